/* SPDX-License-Identifier: MIT */
#include "link/link.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/io.h"
#include "common/oom.h"
#include "common/wire/codec.h"
#include "link/agents.h"
#include "link/link_parts.h"

#define STACK_BYTES (256 * (size_t)1024)
#define POLL_MS_MAX 1000u

static const char *copy(struct arena *arena, const char *s)
{
	return s == NULL ? NULL : arena_strndup(arena, s, strlen(s));
}

static bool init_host(struct link_set *set, size_t index, const struct link_target *target,
                      struct err *err)
{
	struct link_host *h = &set->hosts[index];

	h->set = set;
	h->index = index;
	h->target = *target;
	h->target.name = copy(&set->arena, target->name);
	h->target.address = copy(&set->arena, target->address);
	h->target.user = copy(&set->arena, target->user);
	h->target.key = copy(&set->arena, target->key);
	h->target.known_hosts = copy(&set->arena, target->known_hosts);
	h->target.config = copy(&set->arena, target->config);
	h->target.jump = copy(&set->arena, target->jump);
	h->target.password_file = copy(&set->arena, target->password_file);
	h->target.password_env = copy(&set->arena, target->password_env);
	(void)pthread_mutex_init(&h->lock, NULL);
	h->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	set->count++; /* so much has to be undone */
	return h->wake_fd >= 0 || err_set_errno(err, errno, "%s: eventfd", target->name);
}

/* Those of the options, and where the targets' passwords are. */
static const char *const *hidden_env(struct arena *arena, const struct link_target *targets,
                                     size_t count, const char *const *more)
{
	size_t n = 0;
	const char **names;

	for (const char *const *m = more; m != NULL && *m != NULL; m++)
		n++;
	names = arena_alloc(arena, n + count + 1, sizeof(*names));
	n = 0;
	for (const char *const *m = more; m != NULL && *m != NULL; m++)
		names[n++] = copy(arena, *m);
	for (size_t i = 0; i < count; i++) {
		if (targets[i].password_env != NULL)
			names[n++] = copy(arena, targets[i].password_env);
	}
	return names;
}

static struct ssh_jumps *jumps_new(const struct link_set *set, struct err *err)
{
	const struct ssh_jumps_options options = {.auth_sock = set->options.auth_sock,
	                                          .secrets = set->options.secrets,
	                                          .hidden_env = set->options.hidden_env};

	return ssh_jumps_new(&options, err);
}

static bool init_set(struct link_set *set, const struct link_target *targets, size_t count,
                     const struct link_options *options, struct err *err)
{
	set->options = *options;
	set->options.agent_path = copy(&set->arena, options->agent_path);
	set->options.auth_sock = copy(&set->arena, options->auth_sock);
	set->options.hidden_env = hidden_env(&set->arena, targets, count, options->hidden_env);
	set->options.more_agents = NULL; /* read here, and done with */
	if (!options->is_errand &&
	    !agents_load(&set->agents, &set->arena, options->agent_path, options->more_agents, err))
		return false;
	set->jumps = jumps_new(set, err);
	if (set->jumps == NULL)
		return false;
	if (set->events_fd < 0)
		return err_set_errno(err, errno, "eventfd");
	set->hosts = arena_alloc(&set->arena, count, sizeof(*set->hosts));
	for (size_t i = 0; i < count; i++) {
		if (!init_host(set, i, &targets[i], err))
			return false;
	}
	return true;
}

struct link_set *link_set_new_over(link_opener *opener, const struct link_target *targets,
                                   size_t count, const struct link_options *options,
                                   struct err *err)
{
	struct link_set *set = calloc(1, sizeof(*set));

	if (set == NULL)
		oom_end();
	set->opener = opener;
	set->slots = LINK_HANDSHAKES_MAX;
	set->last = &set->first;
	(void)pthread_mutex_init(&set->slots_lock, NULL);
	(void)pthread_cond_init(&set->slots_changed, NULL);
	(void)pthread_mutex_init(&set->events_lock, NULL);
	set->events_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (init_set(set, targets, count, options, err))
		return set;
	link_set_free(set);
	return NULL;
}

struct link_set *link_set_new(const struct link_target *targets, size_t count,
                              const struct link_options *options, struct err *err)
{
	return link_set_new_over(link_open, targets, count, options, err);
}

bool link_is_stopping(struct link_host *host)
{
	bool is_stopping;

	(void)pthread_mutex_lock(&host->lock);
	is_stopping = host->is_stopping;
	(void)pthread_mutex_unlock(&host->lock);
	return is_stopping;
}

bool link_take_slot(struct link_host *host)
{
	struct link_set *set = host->set;
	bool ok;

	(void)pthread_mutex_lock(&set->slots_lock);
	while (set->slots == 0 && !link_is_stopping(host))
		(void)pthread_cond_wait(&set->slots_changed, &set->slots_lock);
	ok = !link_is_stopping(host);
	if (ok)
		set->slots--;
	(void)pthread_mutex_unlock(&set->slots_lock);
	return ok;
}

void link_give_slot(struct link_set *set)
{
	(void)pthread_mutex_lock(&set->slots_lock);
	set->slots++;
	(void)pthread_cond_signal(&set->slots_changed);
	(void)pthread_mutex_unlock(&set->slots_lock);
}

void link_post(struct link_set *set, const struct link_event *event)
{
	struct link_queued *q = malloc(sizeof(*q));

	if (q == NULL)
		oom_end();
	q->next = NULL;
	q->event = *event;
	(void)pthread_mutex_lock(&set->events_lock);
	*set->last = q;
	set->last = &q->next;
	(void)pthread_mutex_unlock(&set->events_lock);
	(void)eventfd_write(set->events_fd, 1);
}

static bool take_event(struct link_set *set, struct link_event *out)
{
	struct link_queued *q;

	(void)pthread_mutex_lock(&set->events_lock);
	q = set->first;
	if (q != NULL) {
		set->first = q->next;
		if (set->first == NULL)
			set->last = &set->first;
	}
	(void)pthread_mutex_unlock(&set->events_lock);
	if (q == NULL)
		return false;
	*out = q->event;
	free(q);
	return true;
}

/* Signals are the main thread's to handle: the new thread inherits this mask. */
static int start_thread(struct link_host *host)
{
	pthread_attr_t attr;
	sigset_t all;
	sigset_t before;
	int code;

	(void)sigfillset(&all);
	(void)pthread_attr_init(&attr);
	(void)pthread_attr_setstacksize(&attr, STACK_BYTES);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	code = pthread_create(&host->thread, &attr, link_session, host);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	(void)pthread_attr_destroy(&attr);
	return code;
}

void link_reset(struct link_host *host)
{
	eventfd_t old;

	host->is_up = host->is_down = host->is_wanted_again = false;
	host->refused.kind = ERR_NONE;
	host->job.is_wanted = false;
	text_clear(&host->outbox);
	if (!host->is_stopping)
		(void)eventfd_read(host->wake_fd, &old);
}

void link_connect(struct link_set *set, size_t host)
{
	struct link_host *h = &set->hosts[host];
	struct link_event failed = {.host = host, .kind = LINK_DOWN};
	bool was_running;
	int code;

	(void)pthread_mutex_lock(&h->lock);
	was_running = h->is_running;
	if (h->is_down)
		h->is_wanted_again = true;
	h->is_running = true;
	(void)pthread_mutex_unlock(&h->lock);
	if (was_running)
		return;
	if (h->has_thread) /* it is about to return, and does nothing more */
		(void)pthread_join(h->thread, NULL);
	code = start_thread(h);
	h->has_thread = code == 0;
	if (code == 0)
		return;
	h->is_running = false;
	(void)err_set_errno(&failed.err, code, "%s: start a thread", h->target.name);
	link_post(set, &failed);
}

void link_send(struct link_set *set, size_t host, const struct msg *msg)
{
	struct link_host *h = &set->hosts[host];
	char line[WIRE_LINE_MAX];
	size_t len = wire_encode(msg, line);

	(void)pthread_mutex_lock(&h->lock);
	if (h->is_up && len > 0)
		text_add_bytes(&h->outbox, line, len);
	else if (h->is_up)
		(void)err_set(&h->refused, ERR_INPUT, "the message %s does not fit into a line",
		              wire_messages[msg->type].verb);
	if (h->is_up)
		(void)eventfd_write(h->wake_fd, 1);
	(void)pthread_mutex_unlock(&h->lock);
}

void link_run(struct link_set *set, size_t host, const char *command,
              const struct shell_marker *marker)
{
	struct link_host *h = &set->hosts[host];

	(void)pthread_mutex_lock(&h->lock);
	if (h->is_up) {
		text_clear(&h->outbox);
		text_add(&h->outbox, command);
		h->marker = *marker;
		(void)eventfd_write(h->wake_fd, 1);
	}
	(void)pthread_mutex_unlock(&h->lock);
}

void link_run_text(struct link_set *set, size_t host, const struct link_text *what)
{
	struct link_host *h = &set->hosts[host];

	(void)pthread_mutex_lock(&h->lock);
	if (h->is_up) {
		text_clear(&h->job.text);
		text_add(&h->job.text, what->text);
		h->job.privilege = what->privilege;
		h->job.timeout_ms = what->timeout_ms == 0 ? LINK_RUN_MS : what->timeout_ms;
		h->job.is_wanted = true;
		(void)eventfd_write(h->wake_fd, 1);
	}
	(void)pthread_mutex_unlock(&h->lock);
}

/* False when wake_fd is readable. */
static bool wait_event(const struct link_set *set, uint64_t ns, int wake_fd)
{
	struct pollfd fds[2] = {{.fd = set->events_fd, .events = POLLIN},
	                        {.fd = wake_fd, .events = POLLIN}};
	uint64_t ms = (ns + CLOCK_NS_PER_MS - 1) / CLOCK_NS_PER_MS;
	eventfd_t count;

	if (poll(fds, 2, (int)(ms < POLL_MS_MAX ? ms : POLL_MS_MAX)) < 0)
		return true; /* a signal: its handler may have made wake_fd readable */
	if (fds[1].revents != 0)
		return false;
	if (fds[0].revents != 0)
		(void)eventfd_read(set->events_fd, &count);
	return true;
}

bool link_next(struct link_set *set, uint64_t deadline_ns, int wake_fd, struct link_event *out)
{
	for (;;) {
		uint64_t now_ns;

		if (take_event(set, out))
			return true;
		now_ns = clock_now_ns();
		if (now_ns >= deadline_ns || !wait_event(set, deadline_ns - now_ns, wake_fd))
			return false;
	}
}

static void stop_all(struct link_set *set)
{
	for (size_t i = 0; i < set->count; i++) {
		struct link_host *h = &set->hosts[i];

		(void)pthread_mutex_lock(&h->lock);
		h->is_stopping = true;
		(void)pthread_mutex_unlock(&h->lock);
		(void)eventfd_write(h->wake_fd, 1);
	}
	(void)pthread_mutex_lock(&set->slots_lock);
	(void)pthread_cond_broadcast(&set->slots_changed);
	(void)pthread_mutex_unlock(&set->slots_lock);
}

void link_set_free(struct link_set *set)
{
	struct link_event event;

	if (set == NULL)
		return;
	stop_all(set);
	for (size_t i = 0; i < set->count; i++) {
		struct link_host *h = &set->hosts[i];

		if (h->has_thread)
			(void)pthread_join(h->thread, NULL);
		(void)pthread_mutex_destroy(&h->lock);
		if (h->wake_fd >= 0)
			(void)close(h->wake_fd);
		text_done(&h->outbox);
		text_done(&h->job.text);
	}
	ssh_jumps_free(set->jumps);
	while (take_event(set, &event))
		continue;
	(void)pthread_mutex_destroy(&set->slots_lock);
	(void)pthread_cond_destroy(&set->slots_changed);
	(void)pthread_mutex_destroy(&set->events_lock);
	if (set->events_fd >= 0)
		(void)close(set->events_fd);
	arena_done(&set->arena);
	free(set);
}
