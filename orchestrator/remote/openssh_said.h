/* SPDX-License-Identifier: MIT */
/*
 * openssh_said.h - what OpenSSH's client says on standard error at LogLevel DEBUG1.
 *
 * Its lines are no interface, and a server's banner stands among them: they are read for what
 * the user is told (address, host key, login, the reason of a failure), never to decide
 * whether a host may be trusted or is there. What is not found is not known.
 */
#ifndef REMOTE_OPENSSH_SAID_H
#define REMOTE_OPENSSH_SAID_H

#include <stdbool.h>
#include <stddef.h>

#include "common/attr.h"
#include "common/err.h"
#include "remote/known_hosts.h"
#include "remote/transport.h"

#define OPENSSH_LINE_BYTES 400

enum openssh_problem {
	OPENSSH_NO_PROBLEM,
	OPENSSH_FOLDER,  /* no folder for its socket on this machine */
	OPENSSH_MISSING, /* no ssh on this machine */
	OPENSSH_CONFIG,  /* its configuration is wrong */
	OPENSSH_RESOLVE,
	OPENSSH_CONNECT,
	OPENSSH_CLOSED,    /* hung up before the key exchange was over */
	OPENSSH_NEGOTIATE, /* no algorithm in common */
	OPENSSH_UNKNOWN_KEY,
	OPENSSH_CHANGED_KEY,
	OPENSSH_REVOKED_KEY,
	OPENSSH_DENIED,
	OPENSSH_DEAD /* no sign of life */
};

/* How the last command ended, as far as the client's exit status 255 leaves it open. */
enum openssh_end { OPENSSH_END_UNTOLD, OPENSSH_END_STATUS, OPENSSH_END_SIGNAL };

/* "" or 0: not known. */
struct openssh_said {
	enum openssh_problem problem;
	char reason[OPENSSH_LINE_BYTES]; /* of the problem, in ssh's words or a part of them */
	char address[64];                /* "10.1.2.3:22" or "[fe80::1]:22" */
	char host_key[96];               /* "ssh-ed25519 SHA256:..." */
	char user[64];
	char offered[128];    /* the last key that was offered, as in login... */
	unsigned offers;      /* ...and how many were */
	char login[128];      /* "key FILE", "agent key NAME" or a method; it may still fail */
	char methods[96];     /* "publickey,password": what the server offers */
	char notes[160];      /* about keys that could not be used */
	char known_file[256]; /* CHANGED_KEY: where the old key is... */
	unsigned known_line;  /* ...from 1... */
	char known_name[128]; /* ...and of whom */
	bool is_behind;       /* a jump host or a ProxyCommand, which speaks here as well */
	bool is_connected, has_greeted; /* TCP; the server's version came */
	bool is_verified;               /* the host key is accepted */
	bool is_partial;                /* a key was, and the server wants more */
	enum openssh_end end;
	char last[OPENSSH_LINE_BYTES]; /* the last line that is not for debugging */

	char line[OPENSSH_LINE_BYTES]; /* being read; a longer one is cut */
	size_t line_len;
};

/* Takes in what came; {0} to begin with. */
void openssh_said_take(struct openssh_said *s, const char *data, size_t len);
/* The end of it. */
void openssh_said_end(struct openssh_said *s);

/* How far opening came: never TRANSPORT_OPEN. */
enum transport_stage openssh_said_stage(const struct openssh_said *s) NODISCARD;

/* What an error speaks of. */
struct openssh_asked {
	const char *host;        /* as the user wrote it */
	const char *known_hosts; /* file, NULL: ssh's own */
	/* The key that a changed one is held against; "": not known. */
	char known_type[KNOWN_HOSTS_TYPE_BYTES];
	char known_fingerprint[FINGERPRINT_BYTES];
};

/* Why opening failed and what to do, as the other transport would say it. Returns false. */
bool openssh_said_error(const struct openssh_said *s, const struct openssh_asked *asked,
                        struct err *err);

/* The same when there was no end within waited_ms. Returns false. */
bool openssh_said_timeout(const struct openssh_said *s, const struct openssh_asked *asked,
                          unsigned waited_ms, struct err *err);

#endif
