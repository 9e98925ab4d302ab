/* SPDX-License-Identifier: MIT */
#include "cli/vault.h"

#include <stdlib.h>
#include <string.h>

/* The value itself is wiped: /proc/PID/environ shows it even when the variable is gone. */
static void take_variable(struct secrets *secrets, const char *name)
{
	char *value = getenv(name);

	if (value == NULL)
		return;
	secrets_add_env(secrets, name, value);
	explicit_bzero(value, strlen(value));
	(void)unsetenv(name);
}

bool vault_open(struct vault *v, const struct command_context *ctx, const struct topology *topo,
                struct err *err)
{
	struct secret_asker asker;

	prompt_init(&v->prompt, ctx->err.is_tty);
	asker = prompt_asker(&v->prompt);
	v->secrets = secrets_new(&asker, err);
	for (size_t i = 0; v->secrets != NULL && i < topo->host_count; i++) {
		if (topo->hosts[i].ssh.password_env != NULL)
			take_variable(v->secrets, topo->hosts[i].ssh.password_env);
	}
	return v->secrets != NULL;
}

void vault_close(struct vault *v)
{
	secrets_free(v->secrets);
	prompt_done(&v->prompt);
}
