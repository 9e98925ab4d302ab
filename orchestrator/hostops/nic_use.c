/* SPDX-License-Identifier: MIT */
#include "hostops/nic_use.h"

#include <stdio.h>
#include <string.h>

/* nic_use.sh, see cmake/embed.cmake */
extern const char nic_use_script[];

static const char name_letters[] =
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:@-";

static bool check_name(const char *nic, struct err *err)
{
	if (nic[0] == '\0' || nic[0] == '.' || nic[strspn(nic, name_letters)] != '\0')
		return err_set(err, ERR_INPUT, "'%.80s' is not the name of a NIC", nic);
	return true;
}

static bool add(struct text *out, enum tunable_system system, const char *request,
                const char *const *nics, size_t count, struct err *err)
{
	for (size_t i = 0; i < count; i++) {
		if (!check_name(nics[i], err))
			return false;
		text_printf(out, "%s %zu %s\n", request, i, nics[i]);
	}
	if (system != TUNABLE_LINUX)
		return err_set(err, ERR_INPUT,
		               "what uses a NIC cannot be told on this system yet, so its settings "
		               "are left alone");
	return true;
}

bool nic_use_add_probe(struct text *out, enum tunable_system system, const char *const *nics,
                       size_t count, struct err *err)
{
	text_printf(out, "%s\nuse_begin\n", nic_use_script);
	return add(out, system, "use_nic", nics, count, err);
}

bool nic_state_add_probe(struct text *out, enum tunable_system system, const char *const *nics,
                         size_t count, struct err *err)
{
	text_printf(out, "%s\n", nic_use_script);
	return add(out, system, "use_state", nics, count, err);
}

void nic_use_clear(struct nic_use *list, size_t count)
{
	memset(list, 0, count * sizeof(*list));
}

void nic_state_clear(struct nic_state *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		list[i].is_complete = list[i].has_carrier = list[i].is_tentative = false;
		text_clear(&list[i].lines);
	}
}

void nic_state_done(struct nic_state *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		text_done(&list[i].lines);
}

/* The word behind "use INDEX "; NULL: another line. */
static const char *word_of(const char *marked, size_t count, size_t *index)
{
	const char *at = marked + 4;
	size_t digits;

	if (strncmp(marked, "use ", 4) != 0)
		return NULL;
	digits = strspn(at, "0123456789");
	if (digits == 0 || digits > 6 || at[digits] != ' ')
		return NULL;
	*index = 0;
	for (size_t i = 0; i < digits; i++)
		*index = *index * 10 + (size_t)(at[i] - '0');
	return *index < count ? at + digits + 1 : NULL;
}

void nic_use_read(struct nic_use *list, size_t count, const char *marked)
{
	static const char busy[] = "busy ";
	size_t index;
	const char *word = word_of(marked, count, &index);
	struct nic_use *u;

	if (word == NULL)
		return;
	u = &list[index];
	if (strcmp(word, "session") == 0)
		u->has_session = true;
	else if (strcmp(word, "ssh") == 0)
		u->is_ssh = true;
	else if (strcmp(word, "router") == 0)
		u->is_router = true;
	else if (strcmp(word, "end") == 0)
		u->is_complete = true;
	else if (strncmp(word, busy, sizeof(busy) - 1) == 0 && u->busy_why[0] == '\0')
		(void)snprintf(u->busy_why, sizeof(u->busy_why), "%.*s", NIC_USE_WHY_BYTES - 1,
		               word + sizeof(busy) - 1);
}

void nic_state_read(struct nic_state *list, size_t count, const char *marked)
{
	static const char has[] = "has ";
	size_t index;
	const char *word = word_of(marked, count, &index);

	if (word == NULL)
		return;
	if (strcmp(word, "carrier 1") == 0)
		list[index].has_carrier = true;
	else if (strcmp(word, "tentative") == 0)
		list[index].is_tentative = true;
	else if (strcmp(word, "end") == 0)
		list[index].is_complete = true;
	else if (strncmp(word, has, sizeof(has) - 1) == 0)
		text_printf(&list[index].lines, "%s\n", word + sizeof(has) - 1);
}

/* Is the line, up to its newline, one of `text`? */
static bool is_in(const char *text, const char *line, size_t len)
{
	while (*text != '\0') {
		size_t n = strcspn(text, "\n");

		if (n == len && memcmp(text, line, len) == 0)
			return true;
		text += n + (text[n] == '\n');
	}
	return false;
}

/* The first line of `text` that `other` lacks; NULL: none. */
static const char *lacking(const char *text, const char *other, size_t *len)
{
	while (*text != '\0') {
		*len = strcspn(text, "\n");
		if (!is_in(other, text, *len))
			return text;
		text += *len + (text[*len] == '\n');
	}
	return NULL;
}

bool nic_state_is_same(const struct nic_state *before, const struct nic_state *after,
                       char why[NIC_USE_WHY_BYTES])
{
	const char *was = text_str(&before->lines);
	const char *is = text_str(&after->lines);
	const char *line;
	size_t len;

	why[0] = '\0';
	if (!before->is_complete || !after->is_complete)
		(void)snprintf(why, NIC_USE_WHY_BYTES, "addresses and routes cannot be read");
	else if (before->has_carrier && !after->has_carrier)
		(void)snprintf(why, NIC_USE_WHY_BYTES, "the link is not up");
	else if (after->is_tentative)
		(void)snprintf(why, NIC_USE_WHY_BYTES, "an IPv6 address is still tentative");
	else if ((line = lacking(was, is, &len)) != NULL)
		(void)snprintf(why, NIC_USE_WHY_BYTES, "gone: %.*s", (int)len, line);
	else if ((line = lacking(is, was, &len)) != NULL)
		(void)snprintf(why, NIC_USE_WHY_BYTES, "new: %.*s", (int)len, line);
	return why[0] == '\0';
}
