/* SPDX-License-Identifier: MIT */
/*
 * ssh_alive.c - does the SSH server still live?
 *
 * A sign of life is any byte from it, or TCP's acknowledgement of bytes of ours: an upload
 * over a slow path delays every answer. Through a jump host there is no such acknowledgement,
 * so an upload is given more time there. When it is quiet it is asked (RFC 4254 section 4: a
 * global request that it does not know must be answered, too), so a login shell that takes
 * its time is told from a host that is frozen or cut off.
 */
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>

/* clang-format off: it needs the types of the two above */
#include <linux/tcp.h>
/* clang-format on */

#include <libssh/libssh.h>
#include <libssh/server.h> /* ssh_send_keepalive() */

#include "common/clock.h"
#include "common/oom.h"
#include "remote/ssh_parts.h"

#define ASK_MS     400u /* libssh sends at every second call, the others take the answer in */
#define BULK_BYTES (16 * 1024u) /* since the last sign of life: more than questions */

/* Bytes of ours that the other end of the TCP connection has; 0: it is no TCP socket, or the
 * kernel does not tell. */
static uint64_t acknowledged(const struct ssh_transport *t)
{
	struct tcp_info info = {0};
	socklen_t len = sizeof(info);

	if (getsockopt(ssh_get_fd(t->session), IPPROTO_TCP, TCP_INFO, &info, &len) != 0)
		return 0;
	return info.tcpi_bytes_acked;
}

static uint32_t silent_ms(const struct ssh_transport *t)
{
	const struct ssh_alive *a = &t->alive;

	if (t->is_carried && a->socket->out_bytes - a->out_bytes > BULK_BYTES)
		return SSH_CARRIED_SILENT_MS;
	return SSH_SILENT_MS;
}

void ssh_transport_count(struct ssh_transport *t)
{
	t->alive.socket = calloc(1, sizeof(*t->alive.socket));
	if (t->alive.socket == NULL)
		oom_end();
	ssh_set_counters(t->session, t->alive.socket, NULL);
}

void ssh_transport_count_end(struct ssh_transport *t)
{
	free(t->alive.socket);
}

void ssh_transport_watch(struct ssh_transport *t)
{
	t->alive.is_watched = true;
	t->alive.sign_ns = clock_now_ns();
	t->alive.ask_ns = t->alive.sign_ns + ASK_MS * CLOCK_NS_PER_MS;
}

uint64_t ssh_transport_ask(struct ssh_transport *t, uint64_t until_ns)
{
	struct ssh_alive *a = &t->alive;
	uint64_t now_ns = clock_now_ns();

	if (!a->is_watched)
		return until_ns;
	if (now_ns >= a->ask_ns) {
		(void)ssh_send_keepalive(t->session); /* says OK whatever happens */
		a->ask_ns = now_ns + ASK_MS * CLOCK_NS_PER_MS;
	}
	/* Before the wait: it may be we who come late. */
	a->was_due = now_ns >= a->sign_ns + silent_ms(t) * CLOCK_NS_PER_MS;
	return until_ns < a->ask_ns ? until_ns : a->ask_ns;
}

bool ssh_transport_lives(struct ssh_transport *t, struct err *err)
{
	struct ssh_alive *a = &t->alive;
	uint64_t acked;

	if (!a->is_watched)
		return true;
	acked = acknowledged(t);
	if (a->socket->in_bytes != a->in_bytes || acked != a->acked) {
		a->in_bytes = a->socket->in_bytes;
		a->acked = acked;
		a->out_bytes = a->socket->out_bytes;
		a->sign_ns = clock_now_ns();
		a->ask_ns = a->sign_ns + ASK_MS * CLOCK_NS_PER_MS;
		return true;
	}
	return !a->was_due ||
	       err_set(err, ERR_TIMEOUT, "no sign of life from the SSH server for %.1f s",
	               silent_ms(t) / 1000.0);
}
