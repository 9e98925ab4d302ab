/* SPDX-License-Identifier: MIT */
#include "remote/resolve.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "common/oom.h"

#define NAME_BYTES  256
#define STACK_BYTES (512 * (size_t)1024) /* some name services are greedy */

struct answer {
	int code; /* of getaddrinfo() */
	struct resolved found;
};

/* One look-up, shared by the asking thread and the one that waits for the resolver; the
 * last of the two to leave frees it. */
struct lookup {
	char name[NAME_BYTES];
	char service[12];
	int family;
	int done_fd; /* readable when the answer is there */
	pthread_mutex_t lock;
	unsigned users;
	struct answer answer;
};

struct question {
	const char *name;
	const char *service;
	int family;
};

static void ask(const struct question *q, int flags, struct answer *out)
{
	struct addrinfo hints = {
		.ai_family = q->family, .ai_socktype = SOCK_STREAM, .ai_flags = flags};
	struct addrinfo *list = NULL;
	struct resolved *found = &out->found;

	out->code = getaddrinfo(q->name, q->service, &hints, &list);
	found->count = 0;
	for (struct addrinfo *a = list; a != NULL && found->count < RESOLVE_MAX; a = a->ai_next) {
		memcpy(&found->at[found->count].address, a->ai_addr, a->ai_addrlen);
		found->at[found->count++].len = a->ai_addrlen;
	}
	if (list != NULL)
		freeaddrinfo(list);
}

static void leave(struct lookup *l)
{
	unsigned left;

	(void)pthread_mutex_lock(&l->lock);
	left = --l->users;
	(void)pthread_mutex_unlock(&l->lock);
	if (left > 0)
		return;
	(void)pthread_mutex_destroy(&l->lock);
	if (l->done_fd >= 0)
		(void)close(l->done_fd);
	free(l);
}

static void *run(void *arg)
{
	struct lookup *l = arg;
	const struct question question = {l->name, l->service, l->family};
	struct answer answer;

	ask(&question, 0, &answer);
	(void)pthread_mutex_lock(&l->lock);
	l->answer = answer;
	(void)pthread_mutex_unlock(&l->lock);
	(void)eventfd_write(l->done_fd, 1);
	leave(l);
	return NULL;
}

static bool start(struct lookup *l, struct err *err)
{
	pthread_attr_t attr;
	pthread_t thread;
	int code;

	l->done_fd = eventfd(0, EFD_CLOEXEC);
	if (l->done_fd < 0)
		return err_set_errno(err, errno, "resolve %s", l->name);
	(void)pthread_attr_init(&attr);
	(void)pthread_attr_setstacksize(&attr, STACK_BYTES);
	(void)pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	l->users = 2;
	code = pthread_create(&thread, &attr, run, l);
	if (code != 0)
		l->users = 1;
	(void)pthread_attr_destroy(&attr);
	return code == 0 ? true : err_set_errno(err, code, "start a thread to resolve %s", l->name);
}

static bool wait_for_answer(const struct lookup *l, const struct wait_limit *limit, struct err *err)
{
	switch (wait_for(l->done_fd, POLLIN, limit)) {
	case WAIT_READY:
		return true;
	case WAIT_TIMEOUT:
		return err_set(err, ERR_TIMEOUT, "resolve %s: no answer from the name server",
		               l->name);
	case WAIT_WOKEN:
		return err_set(err, ERR_CANCELLED, "resolve %s: given up", l->name);
	case WAIT_FAILED:
		break;
	}
	return err_set_errno(err, errno, "resolve %s", l->name);
}

static bool look_up(const struct question *q, const struct wait_limit *limit, struct answer *out,
                    struct err *err)
{
	struct lookup *l = calloc(1, sizeof(*l));
	bool ok;

	if (l == NULL)
		oom_end();
	(void)snprintf(l->name, sizeof(l->name), "%s", q->name);
	(void)snprintf(l->service, sizeof(l->service), "%s", q->service);
	l->family = q->family;
	(void)pthread_mutex_init(&l->lock, NULL);
	l->users = 1;
	ok = start(l, err) && wait_for_answer(l, limit, err);
	if (ok) {
		(void)pthread_mutex_lock(&l->lock);
		*out = l->answer;
		(void)pthread_mutex_unlock(&l->lock);
	}
	leave(l);
	return ok;
}

/* What the user can look at. */
static const char *remedy_for(int code, int family)
{
	if (code == EAI_AGAIN)
		return "is the name server reachable?";
	return family == AF_UNSPEC ? "is the name right?"
	                           : "is the name right, and AddressFamily of ssh_config?";
}

bool resolve(const char *address, uint32_t port, int family, const struct wait_limit *limit,
             struct resolved *out, struct err *err)
{
	char service[12];
	const struct question question = {address, service, family};
	struct answer answer;

	if (strlen(address) >= NAME_BYTES)
		return err_set(err, ERR_INPUT, "resolve %.40s...: the name is too long", address);
	(void)snprintf(service, sizeof(service), "%u", (unsigned)port);
	ask(&question, AI_NUMERICHOST | AI_NUMERICSERV, &answer);
	if (answer.code != 0 && !look_up(&question, limit, &answer, err))
		return false;
	if (answer.code != 0 || answer.found.count == 0)
		return err_set(err, ERR_REMOTE, "resolve %s: %s: %s", address,
		               answer.code == 0 ? "no address" : gai_strerror(answer.code),
		               remedy_for(answer.code, family));
	*out = answer.found;
	return true;
}
