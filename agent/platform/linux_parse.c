/* SPDX-License-Identifier: MIT */
#include "platform/linux_parse.h"

#include <stdlib.h>
#include <string.h>

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* The start of the line after this one; NULL when it was the last. */
static const char *next_line(const char *line)
{
	const char *end = strchr(line, '\n');

	return end == NULL || end[1] == '\0' ? NULL : end + 1;
}

/* A number and where it ends; false when there is none or it is too large. */
static bool take_number(const char **at, int base, uint64_t *out)
{
	uint64_t n = 0;
	const char *start = *at;

	for (;; (*at)++) {
		char c = **at;
		int digit = -1;

		if (c >= '0' && c <= '9')
			digit = c - '0';
		else if (base == 16 && c >= 'a' && c <= 'f')
			digit = c - 'a' + 10;
		if (digit < 0)
			break;
		if (n > (UINT64_MAX - (uint64_t)digit) / (uint64_t)base)
			return false;
		n = n * (uint64_t)base + (uint64_t)digit;
	}
	*out = n;
	return *at > start;
}

/* The value of the line when it is the key's; NULL when not. */
static const char *match_key(const char *line, const char *key, char separator)
{
	size_t len = strlen(key);

	if (strncmp(line, key, len) != 0)
		return NULL;
	for (line += len; is_blank(*line); line++)
		;
	if (*line != separator)
		return NULL;
	for (line++; is_blank(*line); line++)
		;
	return line;
}

bool linux_find_value(const char *text, const char *key, char separator, char *out,
                      size_t out_bytes)
{
	for (const char *line = text; line != NULL; line = next_line(line)) {
		const char *value = match_key(line, key, separator);
		size_t len = value == NULL ? 0 : strcspn(value, "\n");

		while (len > 0 && is_blank(value[len - 1]))
			len--;
		if (len >= 2 && (*value == '"' || *value == '\'') && value[len - 1] == *value) {
			value++;
			len -= 2;
		}
		if (len == 0)
			continue;
		if (len >= out_bytes)
			len = out_bytes - 1;
		memcpy(out, value, len);
		out[len] = '\0';
		return true;
	}
	return false;
}

void linux_squeeze(char *text)
{
	char *to = text;
	bool had_blank = false;

	for (const char *from = text; *from != '\0'; from++) {
		if (is_blank(*from) || *from == '\n' || *from == '\r') {
			had_blank = to > text;
			continue;
		}
		if (had_blank)
			*to++ = ' ';
		had_blank = false;
		*to++ = *from;
	}
	*to = '\0';
}

bool linux_count_list(const char *text, uint64_t *out)
{
	uint64_t count = 0;

	for (;;) {
		uint64_t first;
		uint64_t last;

		if (!take_number(&text, 10, &first))
			return false;
		last = first;
		if (*text == '-') {
			text++;
			if (!take_number(&text, 10, &last))
				return false;
		}
		if (last < first || last > UINT32_MAX)
			return false;
		count += last - first + 1;
		if (*text != ',')
			break;
		text++;
	}
	if (*text != '\0' && *text != '\n')
		return false;
	*out = count;
	return true;
}

/* The line after "<group>: ", or NULL. */
static const char *find_group(const char *text, const char *group)
{
	for (const char *line = text; line != NULL; line = next_line(line)) {
		const char *rest = match_key(line, group, ':');

		if (rest != NULL)
			return rest;
	}
	return NULL;
}

/* The next word of the line, moving *at behind it; 0 long at the line's end. */
static size_t take_word(const char **at, const char **word)
{
	size_t len;

	while (is_blank(**at))
		(*at)++;
	*word = *at;
	len = strcspn(*at, " \t\n");
	*at += len;
	return len;
}

bool linux_has_word(const char *text, const char *word)
{
	const char *found;
	size_t len;

	while ((len = take_word(&text, &found)) > 0) {
		if (len == strlen(word) && strncmp(found, word, len) == 0)
			return true;
	}
	return false;
}

bool linux_find_counter(const char *text, const char *group, const char *name, uint64_t *out)
{
	const char *names = find_group(text, group);
	const char *second = names == NULL ? NULL : next_line(names);
	const char *values = second == NULL ? NULL : match_key(second, group, ':');

	while (values != NULL) {
		const char *word;
		const char *value;
		size_t len = take_word(&names, &word);

		if (len == 0 || take_word(&values, &value) == 0)
			return false;
		if (len == strlen(name) && strncmp(word, name, len) == 0)
			return take_number(&value, 10, out);
	}
	return false;
}

bool linux_sum_softnet(const char *text, unsigned column, uint64_t *out)
{
	uint64_t sum = 0;

	if (*text == '\0')
		return false;
	for (const char *line = text; line != NULL; line = next_line(line)) {
		const char *at = line;
		const char *word = line;
		uint64_t value;

		for (unsigned i = 0; i <= column; i++) {
			if (take_word(&at, &word) == 0)
				return false;
		}
		if (!take_number(&word, 16, &value))
			return false;
		sum += value;
	}
	*out = sum;
	return true;
}

/* user nice system idle iowait irq softirq steal; guest time is in user already. */
enum { STAT_IDLE = 3, STAT_IOWAIT = 4, STAT_STEAL = 7, STAT_COLUMNS = 8 };

static bool parse_core(const char *at, struct linux_core *out)
{
	struct linux_core core = {0};

	for (int i = 0; i < STAT_COLUMNS; i++) {
		uint64_t ticks;

		while (is_blank(*at))
			at++;
		if (!take_number(&at, 10, &ticks))
			return false;
		core.all += ticks;
		if (i != STAT_IDLE && i != STAT_IOWAIT)
			core.busy += ticks;
		if (i == STAT_STEAL)
			core.steal = ticks;
	}
	*out = core;
	return true;
}

bool linux_parse_stat(const char *text, struct linux_core cores[LINUX_CORES_MAX])
{
	bool has_any = false;

	memset(cores, 0, LINUX_CORES_MAX * sizeof(*cores));
	for (const char *line = text; line != NULL; line = next_line(line)) {
		const char *at = line + 3;
		uint64_t number;

		if (strncmp(line, "cpu", 3) != 0 || !take_number(&at, 10, &number) ||
		    number >= LINUX_CORES_MAX || !is_blank(*at))
			continue;
		if (parse_core(at, &cores[number]))
			has_any = true;
	}
	return has_any;
}

/* Ticks do not always grow: iowait may go back, proc(5). */
static uint64_t grown(uint64_t after, uint64_t before)
{
	return after > before ? after - before : 0;
}

bool linux_compare_stat(const struct linux_core before[LINUX_CORES_MAX],
                        const struct linux_core after[LINUX_CORES_MAX], uint64_t *busiest_permille,
                        uint64_t *steal_permille)
{
	uint64_t all_sum = 0;
	uint64_t steal_sum = 0;
	uint64_t busiest = 0;

	for (size_t i = 0; i < LINUX_CORES_MAX; i++) {
		uint64_t all = grown(after[i].all, before[i].all);
		uint64_t busy = grown(after[i].busy, before[i].busy);

		if (before[i].all == 0 || all == 0)
			continue; /* was switched on or off meanwhile, or no tick yet */
		if (busy * 1000 / all > busiest)
			busiest = busy * 1000 / all;
		all_sum += all;
		steal_sum += grown(after[i].steal, before[i].steal);
	}
	if (all_sum == 0)
		return false;
	*busiest_permille = busiest < 1000 ? busiest : 1000;
	*steal_permille = steal_sum * 1000 / all_sum;
	return true;
}
