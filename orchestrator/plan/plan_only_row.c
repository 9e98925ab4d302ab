/* SPDX-License-Identifier: MIT */
/* plan_only_row.c - the keys of --only: a row tells everything about one. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "plan/plan_build.h"
#include "plan/plan_only.h"

/* clang-format off */
#define AT(member) offsetof(struct plan_config, member), sizeof(((struct plan_config *)NULL)->member)
#define NAME(name, wanted) {name, PLAN_ONLY_NAME, 0, NULL, NULL, 0, 0, wanted}
#define NUMBER(name, unit, zero, member, wanted) {name, PLAN_ONLY_NUMBER, unit, zero, NULL, AT(member), wanted}
#define LEVEL(name, level_name, member, wanted) {name, PLAN_ONLY_LEVEL, 0, NULL, level_name, AT(member), wanted}
#define TEXT(name, zero, member) {name, PLAN_ONLY_TEXT, 0, zero, NULL, AT(member), ""}

static const struct plan_only_row rows[PLAN_ONLY_KEYS] = {
	[PLAN_ONLY_SRC] = NAME("src", "no such host or NIC; hosts: "),
	[PLAN_ONLY_DST] = NAME("dst", "no such host or NIC; hosts: "),
	[PLAN_ONLY_HOST] = NAME("host", "no such host or NIC; hosts: "),
	[PLAN_ONLY_PAIR] = {"pair", PLAN_ONLY_ENDS, 0, NULL, NULL, 0, 0, "want two hosts or NICs, A:B; hosts: "},
	[PLAN_ONLY_CLASS] = NAME("class", "no such path class; classes: "),
	[PLAN_ONLY_DRIVER] = NAME("driver", "no NIC has this driver; drivers: "),
	[PLAN_ONLY_PROFILE] = NAME("profile", "no such profile in this plan; profiles: "),
	[PLAN_ONLY_MTU] = NUMBER("mtu", UNIT_COUNT, "unchanged", mtu_bytes, "want a number of bytes or unchanged"),
	[PLAN_ONLY_WINDOW] = NUMBER("window", UNIT_BYTES, "default", window_bytes, "want a size such as 64K, or default"),
	[PLAN_ONLY_BUFFER] = NUMBER("buffer", UNIT_BYTES, "default", buffer_bytes, "want a size such as 128K, or default"),
	[PLAN_ONLY_STREAMS] = NUMBER("streams", UNIT_COUNT, NULL, streams, "want a number"),
	[PLAN_ONLY_DIRECTION] = {"direction", PLAN_ONLY_LEVEL, 0, NULL, plan_direction_name, 0, 0, "want forward, reverse or bidir"},
	[PLAN_ONLY_LRO] = LEVEL("lro", plan_toggle_name, lro, "want on, off or unchanged"),
	[PLAN_ONLY_TSO] = LEVEL("tso", plan_toggle_name, tso, "want on, off or unchanged"),
	[PLAN_ONLY_BYTES] = NUMBER("bytes", UNIT_BYTES, "none", bytes, "want a size such as 10G, or none"),
	[PLAN_ONLY_PROTOCOL] = LEVEL("protocol", plan_protocol_name, protocol, "want tcp or udp"),
	[PLAN_ONLY_MODE] = LEVEL("mode", plan_mode_name, mode, "want bulk or rr"),
	[PLAN_ONLY_ZERO_COPY] = LEVEL("zero_copy", plan_zero_copy_name, zero_copy, "want off, sender or both"),
	[PLAN_ONLY_BITRATE] = NUMBER("bitrate", UNIT_BPS, "unlimited", rate_bps, "want a rate such as 500M, or unlimited"),
	[PLAN_ONLY_MSS] = NUMBER("mss", UNIT_COUNT, "default", mss_bytes, "want a number of bytes or default"),
	[PLAN_ONLY_NO_DELAY] = LEVEL("no_delay", plan_switch_name, no_delay, "want on or off"),
	[PLAN_ONLY_DSCP] = NUMBER("dscp", UNIT_COUNT, "default", dscp, "want a number up to 63, a name such as ef, or default"),
	[PLAN_ONLY_CONGESTION] = TEXT("congestion", "default", congestion),
	[PLAN_ONLY_IP_VERSION] = NUMBER("ip_version", UNIT_COUNT, "default", ip_version, "want 4, 6 or default"),
	[PLAN_ONLY_AFFINITY] = TEXT("affinity", "off", affinity),
	[PLAN_ONLY_BIND_DEVICE] = LEVEL("bind_device", plan_switch_name, bind_device, "want on or off"),
	[PLAN_ONLY_SOURCE_PORT] = NUMBER("source_port", UNIT_COUNT, "any", source_port, "want a port or any"),
	[PLAN_ONLY_CELL] = {"cell", PLAN_ONLY_ONE, 0, NULL, NULL, 0, 0, "want a cell's index, or at least 8 digits of its fingerprint"},
};
/* clang-format on */

const struct plan_only_row *plan_only_row(enum plan_only_key key)
{
	return &rows[key];
}

static enum direction direction_of(const struct plan_cell *cell)
{
	if (cell->config.is_bidir)
		return DIRECTION_BIDIR;
	return cell->dst_initiates ? DIRECTION_REVERSE : DIRECTION_FORWARD;
}

static uint64_t number_of(enum plan_only_key key, const struct plan_cell *cell)
{
	const char *at = (const char *)&cell->config + rows[key].offset;
	uint32_t number = 0;
	uint64_t large = 0;

	if (key == PLAN_ONLY_DIRECTION)
		return direction_of(cell);
	if (rows[key].width == sizeof(bool))
		return *(const bool *)at;
	if (rows[key].width == sizeof(large)) {
		memcpy(&large, at, sizeof(large));
		return large;
	}
	memcpy(&number, at, sizeof(number)); /* an enum, too */
	return number;
}

static const char *text_of(enum plan_only_key key, const struct plan_cell *cell)
{
	const char *text;

	memcpy(&text, (const char *)&cell->config + rows[key].offset, sizeof(text));
	return text != NULL ? text : rows[key].zero;
}

bool plan_only_level_fits(enum plan_only_key key, const struct plan_only_value *value,
                          const struct plan_cell *cell)
{
	if (rows[key].kind == PLAN_ONLY_TEXT)
		return plan_only_name_fits(&value->name, text_of(key, cell));
	return value->number == number_of(key, cell);
}

/* As restore_commas() of plan_only.c reads it. */
static void add_text(const char *text, struct text *list)
{
	struct text shown = {0};

	for (; *text != '\0'; text++)
		text_add_bytes(&shown, *text == ',' ? "+" : text, 1);
	plan_choice_add(list, text_str(&shown));
	text_done(&shown);
}

void plan_only_add_level(enum plan_only_key key, const struct plan_cell *cell, struct text *list)
{
	const struct plan_only_row *row = &rows[key];
	char buf[UNITS_TEXT_BYTES];
	uint64_t number;

	if (row->kind == PLAN_ONLY_TEXT) {
		add_text(text_of(key, cell), list);
		return;
	}
	number = number_of(key, cell);
	if (row->kind == PLAN_ONLY_LEVEL)
		plan_choice_add(list, row->level_name((unsigned)number));
	else if (number == 0 && row->zero != NULL)
		plan_choice_add(list, row->zero);
	else if (row->unit == UNIT_BYTES)
		plan_choice_add(list, units_format_bytes(number, buf));
	else if (row->unit == UNIT_BPS)
		plan_choice_add(list, units_format_bps(number, buf));
	else {
		(void)snprintf(buf, sizeof(buf), "%" PRIu64, number);
		plan_choice_add(list, buf);
	}
}
