/* SPDX-License-Identifier: MIT */
#include "hostops/ip_link.h"

#include <stdio.h>
#include <string.h>

#include "common/json_read.h"

/* clang-format off */
#define NUMBER(where, key, member) {where, key, offsetof(struct ip_link, member)}
static const struct {
	const char *where, *key; /* the object that it is in, "" for the link itself */
	size_t offset;
} numbers[] = {
	NUMBER("", "mtu", mtu),
	NUMBER("", "min_mtu", min_mtu),
	NUMBER("", "max_mtu", max_mtu),
	NUMBER("", "num_rx_queues", rx_queues),
	NUMBER("", "num_tx_queues", tx_queues),
	NUMBER("", "gso_max_size", gso_max_bytes),
	NUMBER("", "gro_max_size", gro_max_bytes),
	NUMBER("rx", "bytes", rx_bytes),
	NUMBER("rx", "dropped", rx_dropped),
	NUMBER("rx", "errors", rx_errors),
	NUMBER("tx", "bytes", tx_bytes),
	NUMBER("tx", "dropped", tx_dropped),
	NUMBER("tx", "errors", tx_errors),
}, texts[] = {
	NUMBER("", "ifname", name),
	NUMBER("", "address", address),
	NUMBER("", "master", master),
	NUMBER("linkinfo", "info_kind", kind),
	NUMBER("", "parentbus", bus),
	NUMBER("", "parentdev", device),
};
/* clang-format on */

static void take_number(struct ip_link *out, const char *where, const struct json_reader *r)
{
	int64_t value;

	for (size_t i = 0; i < COUNT_OF(numbers); i++) {
		if (strcmp(numbers[i].where, where) == 0 && strcmp(numbers[i].key, r->key) == 0 &&
		    json_read_int(r, &value))
			memcpy((char *)out + numbers[i].offset, &value, sizeof(value));
	}
}

static void take_text(struct ip_link *out, const char *where, const struct json_reader *r)
{
	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		if (strcmp(texts[i].where, where) == 0 && strcmp(texts[i].key, r->key) == 0)
			(void)snprintf((char *)out + texts[i].offset, IP_LINK_NAME_BYTES, "%.*s",
			               IP_LINK_NAME_BYTES - 1, r->text);
	}
	if (r->key[0] == '\0' && strcmp(where, "flags") == 0) {
		out->is_up = out->is_up || strcmp(r->text, "UP") == 0;
		out->has_carrier = out->has_carrier || strcmp(r->text, "LOWER_UP") == 0;
	}
}

static void clear(struct ip_link *out)
{
	const int64_t unknown = IP_LINK_UNKNOWN;

	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < COUNT_OF(numbers); i++)
		memcpy((char *)out + numbers[i].offset, &unknown, sizeof(unknown));
}

bool ip_link_read(struct ip_link *out, const char *json)
{
	char where[JSON_READ_DEPTH + 1][JSON_READ_KEY_BYTES] = {{0}};
	struct json_reader r;
	unsigned base;
	enum json_event e;

	clear(out);
	json_read_begin(&r, json);
	if (json_read_next(&r) != JSON_LIST)
		return false;
	/* Some versions put an empty object before it. */
	do {
		e = json_read_next(&r);
		if (e != JSON_OBJECT)
			return false;
		e = json_read_next(&r);
	} while (e == JSON_OBJECT_END);
	base = r.depth;
	for (;; e = json_read_next(&r)) {
		if (e == JSON_BAD || e == JSON_END)
			return false;
		if (e == JSON_OBJECT_END && r.depth < base)
			break;
		if (e == JSON_OBJECT || e == JSON_LIST)
			memcpy(where[r.depth], r.key, sizeof(r.key));
		else if (e == JSON_NUMBER)
			take_number(out, r.depth == base ? "" : where[r.depth], &r);
		else if (e == JSON_STRING)
			take_text(out, r.depth == base ? "" : where[r.depth], &r);
	}
	if (out->max_mtu == 0)
		out->max_mtu = IP_LINK_UNKNOWN;
	return out->name[0] != '\0';
}
