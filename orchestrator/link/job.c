/* SPDX-License-Identifier: MIT */
#include "link/job.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>

#include "link/link_parts.h"

void job_init(struct job *j, struct link_host *host)
{
	memset(j, 0, sizeof(*j));
	j->host = host;
}

void job_done(struct job *j)
{
	text_done(&j->command);
	text_done(&j->text);
}

static bool build(struct job *j, struct err *err)
{
	struct text script = {0};
	bool ok = shell_marker_init(&j->marker, err);

	text_clear(&j->command);
	text_add(&script, SHELL_PROLOGUE);
	shell_marker_define(&script, &j->marker);
	text_add(&script, "echo; echo \"$m " JOB_READY "\"; eval \"$(cat)\"");
	ok = ok && privilege_command(&j->command, j->privilege, text_str(&script), err);
	text_done(&script);
	return ok;
}

bool job_take(struct job *j)
{
	struct link_host *h = j->host;
	struct job_wish *wish = &h->job;
	bool is_new;
	struct err why;

	(void)pthread_mutex_lock(&h->lock);
	is_new = wish->is_wanted && !j->is_open;
	if (is_new) {
		wish->is_wanted = false;
		j->privilege = wish->privilege;
		j->timeout_ms = wish->timeout_ms;
		text_clear(&j->text);
		text_add(&j->text, text_str(&wish->text));
	}
	(void)pthread_mutex_unlock(&h->lock);
	if (!is_new)
		return false;
	j->is_open = true;
	j->is_ready = false;
	j->said[0] = '\0';
	j->line[0].len = j->line[1].len = 0;
	if (build(j, &why))
		return true;
	job_end(j, NULL, &why);
	return false;
}

/* Being woken ends the wait for a person; with no wish to stop it goes on. */
static const char *wait_for_password(const struct job *j, struct err *err)
{
	struct link_host *h = j->host;
	const struct link_target *target = &h->target;
	const struct password_wish wish = {.user = target->user == NULL ? "sudo" : target->user,
	                                   .host = target->name,
	                                   .file = target->password_file,
	                                   .env = target->password_env,
	                                   .may_ask = true,
	                                   .wake_fd = h->wake_fd};

	for (;;) {
		const char *password = secrets_password(h->set->options.secrets, &wish, err);
		eventfd_t count;
		bool is_woken;

		if (password != NULL || err->kind != ERR_CANCELLED)
			return password;
		is_woken = eventfd_read(h->wake_fd, &count) == 0;
		if (link_is_stopping(h)) {
			(void)eventfd_write(h->wake_fd, 1); /* it stays readable */
			return NULL;
		}
		if (!is_woken) /* the person has given up */
			return NULL;
	}
}

bool job_password(struct job *j, char out[PRIVILEGE_INPUT_BYTES], size_t *len)
{
	const char *password;
	struct err why;

	*len = 0;
	if (j->privilege != PRIVILEGE_SUDO_PASSWORD)
		return true;
	password = wait_for_password(j, &why);
	if (password != NULL && privilege_input(password, out, len, &why))
		return true;
	(void)err_prefix(&why, "sudo");
	job_end(j, NULL, &why);
	return false;
}

void job_tell(const struct job *j, const char *marked)
{
	struct link_event event = {.host = j->host->index, .kind = LINK_LINE};

	(void)snprintf(event.line, sizeof(event.line), "%s", marked);
	link_post(j->host->set, &event);
}

/* It ended before our first line: sudo's doing, or the shell's. */
static void blame(const struct job *j, const struct link_ran *ran, struct err *err)
{
	char why[PRIVILEGE_WHY_BYTES];

	if (j->privilege != PRIVILEGE_ROOT && privilege_is_refusal(ran->said, why))
		(void)err_set(err, ERR_REMOTE, "%s", why);
	else
		(void)err_set(err, ERR_REMOTE,
		              "the shell ended before it had begun (status %d%s%s)%s%s",
		              ran->status, ran->signal[0] == '\0' ? "" : ", signal ", ran->signal,
		              ran->said[0] == '\0' ? "" : ": ", ran->said);
}

void job_end(struct job *j, const struct link_ran *ran, const struct err *why)
{
	struct link_event event = {
		.host = j->host->index, .kind = LINK_RAN, .ran = {.status = LINK_STATUS_NONE}};

	if (ran != NULL)
		event.ran = *ran;
	if (why != NULL)
		event.err = *why;
	else if (!j->is_ready)
		blame(j, &event.ran, &event.err);
	if (event.err.kind != ERR_NONE)
		(void)err_prefix(&event.err, "%s", j->host->target.name);
	j->is_open = false;
	link_post(j->host->set, &event);
}
