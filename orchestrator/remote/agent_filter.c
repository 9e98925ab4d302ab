/* SPDX-License-Identifier: MIT */
#include "remote/agent_filter.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/oom.h"

#define MESSAGE_BYTES_MAX (256 * (size_t)1024) /* as OpenSSH's agent */
#define HEAD_BYTES        4                    /* length of what follows, big-endian */
#define STACK_BYTES       (128 * (size_t)1024)
#define TOUCH_TELL_MS     400u   /* an agent that needs no touch has signed by then */
#define TOUCH_MS          60000u /* longer than the keys themselves wait */

enum { AGENT_FAILURE = 5, AGENT_LIST = 11, AGENT_LIST_ANSWER = 12, AGENT_SIGN = 13 };

struct agent_filter {
	int agent_fd;
	int own_fd;   /* of the pair: the thread's */
	int other_fd; /* libssh's; -1 once taken */
	struct wait_limit limit;
	bool has_thread;
	pthread_t thread;
	atomic_size_t offered;
	_Atomic(const struct key_blob *) certificate; /* that is offered instead; NULL: none */
	struct agent_filter_touch touch;
	unsigned char *list; /* the agent's answer, which the keys point into */
	struct agent_key keys[AGENT_KEYS_MAX];
	size_t count;
	unsigned char message[HEAD_BYTES + MESSAGE_BYTES_MAX]; /* the thread's */
};

static uint32_t get_u32(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static void put_u32(unsigned char *p, size_t v)
{
	for (unsigned i = 0; i < 4; i++)
		p[i] = (unsigned char)(v >> (24 - 8 * i));
}

/* Moves *data on behind an SSH string; false when it is cut off. */
static bool take_string(const unsigned char **data, size_t *len, const unsigned char **out,
                        size_t *out_len)
{
	size_t n;

	if (*len < 4)
		return false;
	n = get_u32(*data);
	if (n > *len - 4)
		return false;
	*out = *data + 4;
	*out_len = n;
	*data += 4 + n;
	*len -= 4 + n;
	return true;
}

static void keep_comment(const unsigned char *in, size_t len, char out[AGENT_COMMENT_BYTES])
{
	size_t n = 0;

	for (size_t i = 0; i < len && n + 1 < AGENT_COMMENT_BYTES; i++) {
		if (in[i] >= ' ' && in[i] != 0x7f)
			out[n++] = (char)in[i];
	}
	out[n] = '\0';
}

bool agent_filter_parse(const unsigned char *data, size_t len,
                        struct agent_key keys[AGENT_KEYS_MAX], size_t *count, struct err *err)
{
	uint32_t total;

	if (len < 5 || data[0] != AGENT_LIST_ANSWER)
		return err_set(err, ERR_SYSTEM, "ssh-agent does not list its keys");
	total = get_u32(data + 1);
	data += 5;
	len -= 5;
	*count = 0;
	for (uint32_t i = 0; i < total && *count < AGENT_KEYS_MAX; i++) {
		struct agent_key *key = &keys[*count];
		const unsigned char *comment;
		size_t comment_len;

		if (!take_string(&data, &len, &key->blob, &key->len) ||
		    !take_string(&data, &len, &comment, &comment_len))
			return err_set(err, ERR_SYSTEM, "ssh-agent's list of keys is cut off");
		keep_comment(comment, comment_len, key->comment);
		(*count)++;
	}
	return true;
}

static bool read_bytes(int fd, const struct wait_limit *limit, unsigned char *data, size_t len)
{
	while (len > 0) {
		ssize_t n;

		if (wait_for(fd, POLLIN, limit) != WAIT_READY)
			return false;
		n = read(fd, data, len);
		if (n <= 0)
			return false;
		data += n;
		len -= (size_t)n;
	}
	return true;
}

/* Whole messages, head included; they are small against a socket's buffer. */
static bool send_message(int fd, const unsigned char *message)
{
	size_t len = HEAD_BYTES + get_u32(message);

	while (len > 0) {
		ssize_t n = send(fd, message, len, MSG_NOSIGNAL);

		if (n <= 0)
			return false;
		message += n;
		len -= (size_t)n;
	}
	return true;
}

static bool read_message(int fd, const struct wait_limit *limit,
                         unsigned char message[HEAD_BYTES + MESSAGE_BYTES_MAX])
{
	size_t len;

	if (!read_bytes(fd, limit, message, HEAD_BYTES))
		return false;
	len = get_u32(message);
	return len > 0 && len <= MESSAGE_BYTES_MAX &&
	       read_bytes(fd, limit, message + HEAD_BYTES, len);
}

/* What the server is shown. */
static struct key_blob shown(const struct agent_filter *f)
{
	const struct key_blob *certificate = atomic_load(&f->certificate);
	const struct agent_key *key = &f->keys[atomic_load(&f->offered)];

	return certificate != NULL ? *certificate : (struct key_blob){key->blob, key->len};
}

/* The list with the offered key alone; its comment is ours to know. */
static void write_list(struct agent_filter *f)
{
	struct key_blob key = shown(f);
	unsigned char *at = f->message;

	put_u32(at, 1 + 4 + 4 + key.len + 4);
	at[4] = AGENT_LIST_ANSWER;
	put_u32(at + 5, 1);
	put_u32(at + 9, key.len);
	memcpy(at + 13, key.at, key.len);
	put_u32(at + 13 + key.len, 0);
}

/* A request to sign for the certificate becomes one for the key that the agent has. */
static void name_own_key(struct agent_filter *f)
{
	const struct agent_key *key = &f->keys[atomic_load(&f->offered)];
	struct key_blob certificate = shown(f);
	unsigned char *body = f->message + HEAD_BYTES;
	size_t len = get_u32(f->message);
	const unsigned char *rest = body + 1;
	size_t rest_len = len - 1;
	const unsigned char *named;
	size_t named_len;

	if (!take_string(&rest, &rest_len, &named, &named_len) ||
	    !key_blob_equal((struct key_blob){named, named_len}, certificate) ||
	    key->len > certificate.len)
		return;
	put_u32(body + 1, key->len);
	memcpy(body + 5, key->blob, key->len);
	memmove(body + 5 + key->len, rest, rest_len);
	put_u32(f->message, 1 + 4 + key->len + rest_len);
}

static bool wait_for_touch(struct agent_filter *f, const struct agent_key *key)
{
	struct wait_limit soon = f->limit;
	bool ok;

	soon.deadline_ns = clock_now_ns() + TOUCH_TELL_MS * CLOCK_NS_PER_MS;
	if (wait_for(f->agent_fd, POLLIN, &soon) == WAIT_TIMEOUT)
		f->touch.waits(f->touch.ctx, key->comment);
	soon.deadline_ns = clock_now_ns() + TOUCH_MS * CLOCK_NS_PER_MS;
	ok = wait_for(f->agent_fd, POLLIN, &soon) == WAIT_READY;
	return ok && read_message(f->agent_fd, &soon, f->message);
}

static bool sign(struct agent_filter *f)
{
	const struct agent_key *key = &f->keys[atomic_load(&f->offered)];
	uint64_t start_ns = clock_now_ns();
	bool needs_touch = f->touch.begin != NULL &&
	                   key_blob_is_security_key((struct key_blob){key->blob, key->len});
	bool ok;

	if (atomic_load(&f->certificate) != NULL)
		name_own_key(f);
	if (needs_touch && !f->touch.begin(f->touch.ctx))
		return false;
	ok = send_message(f->agent_fd, f->message) &&
	     (needs_touch ? wait_for_touch(f, key)
	                  : read_message(f->agent_fd, &f->limit, f->message));
	if (needs_touch) {
		f->limit.deadline_ns += clock_now_ns() - start_ns;
		f->touch.end(f->touch.ctx);
	}
	return ok;
}

static void *run(void *arg)
{
	struct agent_filter *f = arg;

	while (read_message(f->own_fd, &f->limit, f->message)) {
		unsigned char kind = f->message[HEAD_BYTES];

		if (kind == AGENT_LIST) {
			write_list(f);
		} else if (kind == AGENT_SIGN) {
			if (!sign(f))
				break;
		} else {
			put_u32(f->message, 1);
			f->message[HEAD_BYTES] = AGENT_FAILURE;
		}
		if (!send_message(f->own_fd, f->message))
			break;
	}
	/* libssh waits for its answer without a limit: this is how it learns. */
	(void)shutdown(f->own_fd, SHUT_RDWR);
	return NULL;
}

static bool connect_agent(struct agent_filter *f, const char *path, struct err *err)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	if (strlen(path) >= sizeof(address.sun_path))
		return err_set(err, ERR_INPUT, "%s: the path is too long for a socket", path);
	memcpy(address.sun_path, path, strlen(path) + 1);
	f->agent_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (f->agent_fd < 0 ||
	    connect(f->agent_fd, (const struct sockaddr *)&address, sizeof(address)) != 0)
		return err_set_errno(err, errno, "%s", path);
	return true;
}

static bool list_keys(struct agent_filter *f, struct err *err)
{
	static const unsigned char request[] = {0, 0, 0, 1, AGENT_LIST};
	size_t len;

	if (!send_message(f->agent_fd, request) ||
	    !read_message(f->agent_fd, &f->limit, f->message))
		return err_set(err, ERR_SYSTEM, "ssh-agent does not answer");
	len = get_u32(f->message);
	f->list = malloc(len);
	if (f->list == NULL)
		oom_end();
	memcpy(f->list, f->message + HEAD_BYTES, len);
	return agent_filter_parse(f->list, len, f->keys, &f->count, err);
}

static bool start(struct agent_filter *f, struct err *err)
{
	pthread_attr_t attr;
	int pair[2];
	int code;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
		return err_set_errno(err, errno, "ssh-agent");
	f->own_fd = pair[0];
	f->other_fd = pair[1];
	(void)pthread_attr_init(&attr);
	(void)pthread_attr_setstacksize(&attr, STACK_BYTES);
	code = pthread_create(&f->thread, &attr, run, f);
	(void)pthread_attr_destroy(&attr);
	f->has_thread = code == 0;
	return code == 0 ? true : err_set_errno(err, code, "ssh-agent: start a thread");
}

struct agent_filter *agent_filter_open(const char *path, const struct wait_limit *limit,
                                       struct err *err)
{
	struct agent_filter *f = calloc(1, sizeof(*f));

	if (f == NULL)
		oom_end();
	f->agent_fd = f->own_fd = f->other_fd = -1;
	f->limit = *limit;
	if (connect_agent(f, path, err) && list_keys(f, err) && start(f, err))
		return f;
	agent_filter_close(f);
	return NULL;
}

size_t agent_filter_count(const struct agent_filter *f)
{
	return f->count;
}

const struct agent_key *agent_filter_key(const struct agent_filter *f, size_t index)
{
	return &f->keys[index];
}

void agent_filter_watch(struct agent_filter *f, const struct agent_filter_touch *touch)
{
	f->touch = *touch;
}

void agent_filter_offer_as(struct agent_filter *f, size_t index, const struct key_blob *certificate)
{
	atomic_store(&f->certificate, certificate);
	atomic_store(&f->offered, index);
}

void agent_filter_offer(struct agent_filter *f, size_t index)
{
	agent_filter_offer_as(f, index, NULL);
}

int agent_filter_socket(struct agent_filter *f)
{
	int fd = f->other_fd;

	f->other_fd = -1;
	return fd;
}

void agent_filter_close(struct agent_filter *f)
{
	if (f == NULL)
		return;
	if (f->has_thread) {
		/* Whatever the thread is reading ends. */
		(void)shutdown(f->own_fd, SHUT_RDWR);
		(void)shutdown(f->agent_fd, SHUT_RDWR);
		(void)pthread_join(f->thread, NULL);
	}
	for (size_t i = 0; i < 3; i++) {
		int fd = (const int[]){f->agent_fd, f->own_fd, f->other_fd}[i];

		if (fd >= 0)
			(void)close(fd);
	}
	free(f->list);
	free(f);
}
