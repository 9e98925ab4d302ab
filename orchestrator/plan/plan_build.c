/* SPDX-License-Identifier: MIT */
#include "plan/plan_build.h"

#include <string.h>

enum { FIRST_ROOM = 64, CHOICES_MAX_BYTES = 240 };

void *plan_grow(struct arena *arena, void *at, size_t count, size_t *room, size_t size)
{
	void *moved;

	if (count < *room)
		return at;
	*room = *room == 0 ? FIRST_ROOM : *room * 2;
	moved = arena_alloc(arena, *room, size);
	if (count > 0)
		memcpy(moved, at, count * size);
	return moved;
}

int plan_compare_u32(const void *a, const void *b)
{
	const uint32_t *x = a;
	const uint32_t *y = b;

	return (*x > *y) - (*x < *y);
}

int plan_compare_u64(const void *a, const void *b)
{
	const uint64_t *x = a;
	const uint64_t *y = b;

	return (*x > *y) - (*x < *y);
}

const char *plan_plural(size_t count)
{
	return count == 1 ? "" : "s";
}

void plan_note_add(struct plan *plan, struct text *note)
{
	plan->notes = plan_grow(&plan->arena, plan->notes, plan->note_count, &plan->note_room,
	                        sizeof(const char *));
	plan->notes[plan->note_count++] = arena_strndup(&plan->arena, text_str(note), note->len);
	text_clear(note);
}

uint64_t plan_product(uint64_t a, uint64_t b)
{
	return a != 0 && b > UINT64_MAX / a ? UINT64_MAX : a * b;
}

static bool is_listed(const struct text *list, const char *name)
{
	const char *at = text_str(list);
	size_t len = strlen(name);

	while (at != NULL && *at != '\0') {
		if (strncmp(at, name, len) == 0 && (at[len] == '\0' || at[len] == ','))
			return true;
		at = strstr(at, ", ");
		at = at == NULL ? NULL : at + 2;
	}
	return false;
}

void plan_choice_add(struct text *list, const char *name)
{
	static const char more[] = "...";

	if (is_listed(list, more) || is_listed(list, name))
		return;
	if (list->len > 0)
		text_add(list, ", ");
	text_add(list, list->len + strlen(name) > CHOICES_MAX_BYTES ? more : name);
}

const char *plan_toggle_name(unsigned level)
{
	static const char *const names[] = {
		[TOGGLE_UNCHANGED] = "unchanged", [TOGGLE_OFF] = "off", [TOGGLE_ON] = "on"};

	return level < COUNT_OF(names) ? names[level] : NULL;
}

const char *plan_direction_name(unsigned level)
{
	static const char *const names[] = {[DIRECTION_FORWARD] = "forward",
	                                    [DIRECTION_REVERSE] = "reverse",
	                                    [DIRECTION_BIDIR] = "bidir"};

	return level < COUNT_OF(names) ? names[level] : NULL;
}

const char *plan_protocol_name(unsigned level)
{
	static const char *const names[] = {[PROTOCOL_TCP] = "tcp", [PROTOCOL_UDP] = "udp"};

	return level < COUNT_OF(names) ? names[level] : NULL;
}

const char *plan_mode_name(unsigned level)
{
	static const char *const names[] = {[MODE_BULK] = "bulk", [MODE_RR] = "rr"};

	return level < COUNT_OF(names) ? names[level] : NULL;
}

const char *plan_zero_copy_name(unsigned level)
{
	static const char *const names[] = {
		[ZERO_COPY_OFF] = "off", [ZERO_COPY_SENDER] = "sender", [ZERO_COPY_BOTH] = "both"};

	return level < COUNT_OF(names) ? names[level] : NULL;
}

const char *plan_switch_name(unsigned level)
{
	static const char *const names[] = {"off", "on"};

	return level < COUNT_OF(names) ? names[level] : NULL;
}
