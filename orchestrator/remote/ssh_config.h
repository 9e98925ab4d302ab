/* SPDX-License-Identifier: MIT */
/*
 * ssh_config.h - how a host is reached: what the topology says of it, over what
 * ssh_config(5) says.
 *
 * The user's configuration is read by those who know it: `ssh -G -- HOST` where there is an
 * ssh binary, else libssh's own parser, which gets parts of it wrong (docs/ARCHITECTURE.md).
 * What comes out is all that the ssh_*.c files go by.
 */
#ifndef REMOTE_SSH_CONFIG_H
#define REMOTE_SSH_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/attr.h"
#include "common/err.h"
#include "remote/wait.h"

#define SSH_CONFIG_NONE "none" /* config, jump: the configuration's is not used */

/* What the topology says; NULL or 0: nothing, so ssh_config decides. */
struct ssh_wish {
	const char *host; /* alias, name or number */
	uint32_t port;
	const char *user;
	const char *key;         /* private key file */
	const char *known_hosts; /* file; need not exist */
	const char *config; /* ssh_config file instead of the user's and the system's, or "none" */
	const char *jump;   /* as ProxyJump: [user@]host[:port],..., or "none" */
	bool accept_new;    /* a host key that is not known is added to the first known_hosts */
	/* Environment variables, up to NULL, that no program of ours may see; NULL: none. */
	const char *const *hidden_env;
};

struct ssh_names {
	size_t count;
	const char *const *at;
};

enum ssh_host_key_policy {
	SSH_HOST_KEY_STRICT,    /* unknown: refused */
	SSH_HOST_KEY_ACCEPT_NEW /* unknown: remembered. Changed and revoked never pass. */
};

/* All in the caller's arena. */
struct ssh_config {
	const char *alias;    /* the host as asked for */
	const char *hostname; /* to connect to */
	uint32_t port;
	const char *user;
	int address_family;            /* AF_UNSPEC, AF_INET, AF_INET6 */
	uint32_t connect_timeout_ms;   /* 0: not said */
	const char *bind_address;      /* NULL: any */
	struct ssh_names identities;   /* private key files, ~ and tokens expanded, in order */
	bool identities_are_named;     /* by topology or configuration: a missing one is told */
	struct ssh_names certificates; /* CertificateFile */
	bool identities_only;          /* agent keys only when among the identities */
	const char *identity_agent;    /* socket; NULL: none. SSH_AUTH_SOCK unless configured */
	struct ssh_names known_hosts;  /* the user's files, then the system's */
	size_t user_known_hosts;    /* how many of them are the user's: new keys go to the first */
	bool hash_known_hosts;      /* new keys are added under a hashed name */
	struct ssh_names revoked;   /* RevokedHostKeys */
	const char *host_key_alias; /* NULL: none */
	/* Lists with commas; NULL: not said, libssh's own. */
	const char *host_key_algorithms;
	const char *kex_algorithms, *ciphers, *macs;
	const char *key_algorithms; /* PubkeyAcceptedAlgorithms */
	enum ssh_host_key_policy host_key_policy;
	const char *proxy_jump;    /* NULL: none; as ProxyJump */
	const char *proxy_command; /* NULL: none; tokens expanded, for /bin/sh -c */
	bool batch_mode;           /* never ask */
	struct ssh_names methods; /* PreferredAuthentications, those switched off left out; not 0 */
	const char *source;       /* "ssh -G", "libssh", "topology" (config: none) */
	const char *file;         /* the wish's config; NULL: the user's and the system's */
	const char *unheeded;     /* what the configuration says and vnm cannot do; NULL: nothing */
};

/*
 * auth_sock is the agent's socket of our environment or NULL. False with ERR_INPUT when a
 * name may not be used or the configuration is wrong (with ssh's own words), ERR_TIMEOUT,
 * ERR_CANCELLED.
 */
bool ssh_config_resolve(struct arena *arena, const struct ssh_wish *wish, const char *auth_sock,
                        const struct wait_limit *limit, struct ssh_config *out,
                        struct err *err) NODISCARD;

/* "ssh -G (alias lab1; not followed: PKCS11Provider)": what was gone by, for people. */
void ssh_config_describe(const struct ssh_config *config, char *out, size_t room);

/* When a host cannot be reached: adds what was not followed to the reason. */
void ssh_config_blame(const struct ssh_config *config, struct err *err);

#endif
