/* SPDX-License-Identifier: MIT */
#include "link/talk.h"

#include <string.h>

#include "common/wire/codec.h"

void talk_init(struct talk *k, struct transport *transport)
{
	memset(k, 0, sizeof(*k));
	k->transport = transport;
	wire_reader_init(&k->reader, true);
}

void talk_done(struct talk *k)
{
	text_done(&k->out);
}

void talk_add(struct talk *k, const char *lines, size_t len)
{
	text_add_bytes(&k->out, lines, len);
}

bool talk_add_message(struct talk *k, const struct msg *msg, struct err *err)
{
	char line[WIRE_LINE_MAX];
	size_t len = wire_encode(msg, line);

	if (len == 0)
		return err_set(err, ERR_INPUT, "the message %s does not fit into a line",
		               wire_messages[msg->type].verb);
	talk_add(k, line, len);
	explicit_bzero(line, len);
	return true;
}

void talk_flush(struct talk *k)
{
	while (k->sent < k->out.len) {
		size_t n = transport_write(k->transport, k->out.at + k->sent, k->out.len - k->sent);

		if (n == 0)
			return;
		k->sent += n;
	}
	if (k->out.len > 0)
		explicit_bzero(k->out.at, k->out.len); /* one may have been a password */
	text_clear(&k->out);
	k->sent = 0;
}

bool talk_is_greeted(const struct talk *k)
{
	return wire_reader_greeted(&k->reader);
}

int talk_take(struct talk *k, struct msg *out, struct err *err)
{
	for (;;) {
		int got;

		if (k->left == 0) {
			k->at = k->in;
			k->left = transport_read(k->transport, k->in, sizeof(k->in));
		}
		if (k->left == 0)
			return 0;
		got = wire_reader_take(&k->reader, &k->at, &k->left, err);
		if (got == 0)
			continue;
		if (got < 0 || !wire_decode(k->reader.line, strlen(k->reader.line), out, err))
			return -1;
		if (wire_messages[out->type].dir == WIRE_TO_ORCH)
			return 1;
		(void)err_set(err, ERR_REMOTE, "the agent sent %s, which is for agents",
		              wire_messages[out->type].verb);
		return -1;
	}
}
