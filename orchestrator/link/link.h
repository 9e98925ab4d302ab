/* SPDX-License-Identifier: MIT */
/*
 * link.h - the conversations with the agents of all hosts.
 *
 * A link set owns one thread and one SSH session a host. Each thread connects,
 * verifies the host key, logs in, deploys the agent, greets it, and then
 * carries messages both ways and watches the agent's heartbeat. The caller
 * (one thread) sends messages and takes events; it never blocks on a host.
 *
 * A host that is lost is told once, as LINK_DOWN, within LINK_DEAD_MS of its
 * last sign of life; link_connect() starts it again from the beginning.
 */
#ifndef LINK_LINK_H
#define LINK_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/attr.h"
#include "common/err.h"
#include "common/wire/msg.h"
#include "hostops/shell.h"
#include "hostops/survey.h"
#include "link/deploy.h"
#include "remote/secrets.h"

#define LINK_BEAT_MS        500u
#define LINK_DEAD_MS        2500u  /* no sign of life for this long: the host is lost */
#define LINK_LEASE_MS       30000u /* the agent ends itself after this long without us */
#define LINK_HANDSHAKES_MAX 32u
#define LINK_RUN_MS         20000u /* a command of link_run() that takes longer is given up */
#define LINK_LINE_BYTES     512
#define LINK_SAID_BYTES     320
#define LINK_STATUS_NONE    (-1)
#define LINK_ID_FIRST       0x80000000u /* message ids from here on are the link's own */

/* What carries the commands. */
enum link_transport {
	LINK_LIBSSH,
	LINK_OPENSSH, /* the system's ssh program */
	LINK_LOCAL    /* none: this machine; the target's name is all that is used */
};

struct link_target {
	const char *name; /* for messages */
	enum link_transport transport;
	const char *address; /* for SSH */
	/* As in struct ssh_wish: NULL or 0: the user's ssh configuration decides. */
	uint32_t port;
	const char *user;
	const char *key; /* private key file */
	const char *known_hosts;
	const char *config;
	const char *jump;
	bool accept_new;
	/* Where the password is: a file's first line, an environment variable. NULL: nowhere. */
	const char *password_file;
	const char *password_env;
};

struct link_options {
	const char *agent_path; /* the agent for hosts like this machine */
	/* More of them, for other machines, and the source (link/agents.h), up to NULL. NULL: none. */
	const char *const *more_agents;
	const char *auth_sock;   /* ssh-agent's socket, NULL: none */
	struct secrets *secrets; /* the caller's; NULL: nobody can be asked for a password */
	/* Environment variables that no child of ours may see, up to NULL, beside every target's
	 * password_env. NULL: no others. */
	const char *const *hidden_env;
	bool wants_survey; /* ask the host what hostops/survey.h tells, before the agent is put there */
	bool is_errand;      /* no agent: the sessions run commands, see link_run() */
	uint32_t connect_ms; /* connect, key exchange and login in all; 0: 10 s */
};

enum link_stage {
	LINK_STAGE_CONNECT,
	LINK_STAGE_HOST_KEY,
	LINK_STAGE_LOGIN,
	LINK_STAGE_DEPLOY,
	LINK_STAGE_AGENT,
	LINK_STAGE_UP
};

/* What was learnt on the way up, as far as it got; "" = not known. */
struct link_info {
	enum link_stage stage; /* reached */
	char config[128];      /* where the SSH settings came from: "ssh -G", "libssh", "-" */
	char address[192];     /* that answered, with port, and the jump hosts on the way to it */
	char host_key[96];     /* "ssh-ed25519 SHA256:..." */
	char login[128];       /* "key /root/.ssh/id" or "agent key NAME" */
	char folder[128];      /* where the agent runs */
	struct deploy_noise noise;
	struct survey survey; /* with wants_survey */
	char agent_version[32], platform[16], arch[16], agent_sha256[65];
	char caps[WIRE_STR_BYTES]; /* what the agent can do there: words with commas */
	char origin[16];           /* of the agent: "binary", or "compiled" on the host */
	uint32_t agent_pid;
	int64_t clock_offset_us; /* host's wall clock less ours, half a round trip taken out */
};

enum link_event_kind {
	LINK_UP,      /* the agent answered hello; info is complete. With is_errand: logged in */
	LINK_MESSAGE, /* msg */
	LINK_DOWN,    /* reason; the agent, if it still runs, ends itself */
	LINK_LINE,    /* line: what a command of link_run() or a text of link_run_text() says */
	LINK_RAN      /* it has ended: ran; a text that did not run, or not to its end: err */
};

/* How a command or a text ended. */
struct link_ran {
	int status;                 /* LINK_STATUS_NONE: it is not known */
	char signal[16];            /* "KILL", or its number; "" = none */
	char said[LINK_SAID_BYTES]; /* the end of its standard error, on one line */
};

struct link_event {
	size_t host; /* index into the targets */
	enum link_event_kind kind;
	struct msg msg;
	struct link_info info;      /* LINK_UP, LINK_DOWN */
	struct err err;             /* LINK_DOWN: why, and what to do about it; LINK_RAN */
	struct link_ran ran;        /* LINK_RAN */
	char line[LINK_LINE_BYTES]; /* LINK_LINE: without its marker, cut to fit */
};

struct link_set;

/* Starts nothing yet. The targets and options are copied. */
struct link_set *link_set_new(const struct link_target *targets, size_t count,
                              const struct link_options *options, struct err *err) NODISCARD;

/* Starts connecting the host (again, after LINK_DOWN). Does not block. */
void link_connect(struct link_set *set, size_t host);

/* Queues a message; ids below LINK_ID_FIRST are the caller's. Lost silently when the host is down: LINK_DOWN tells. */
void link_send(struct link_set *set, size_t host, const struct msg *msg);

/*
 * With is_errand: runs a command that was built by hostops/. Its lines that are marked come as
 * LINK_LINE, its end as LINK_RAN. One at a time for a host that is up.
 */
void link_run(struct link_set *set, size_t host, const char *command,
              const struct shell_marker *marker);

struct link_text {
	const char *text;         /* of any length; prints its lines as `echo "$m ..."` */
	enum privilege privilege; /* of the login: how the text is run as root */
	uint32_t timeout_ms;      /* 0: LINK_RUN_MS */
};

/*
 * Has the host's /bin/sh run a text, as root, by its agent or, with is_errand, by a command.
 * What it says comes as for link_run(). LINK_RAN has `err` when root it cannot be, when the
 * password of sudo is missing or wrong, and when it took too long: an agent has killed it
 * then, without one it was given up. One at a time for a host that is up; lost silently when
 * it is down.
 */
void link_run_text(struct link_set *set, size_t host, const struct link_text *what);

/*
 * The next event, waiting until deadline_ns (clock_now_ns()) at most. False at
 * the deadline, or at once when `wake_fd` (>= 0; a signal's self-pipe) is readable.
 */
bool link_next(struct link_set *set, uint64_t deadline_ns, int wake_fd,
               struct link_event *out) NODISCARD;

/*
 * Ends all agents (bye), makes sure that nothing of them is left on the hosts
 * as far as they can be reached, joins all threads. Takes at most about 3 s
 * however the hosts behave. Accepts NULL.
 */
void link_set_free(struct link_set *set);

#endif
