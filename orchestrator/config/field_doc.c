/* SPDX-License-Identifier: MIT */
#include "config/field_doc.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "config/field_range.h"

enum { SENTENCE_BYTES = 512, LINE_BYTES = 74 };

/* How far the last line of out has come. */
static size_t column_of(const struct text *out)
{
	const char *line = out->len == 0 ? NULL : strrchr(out->at, '\n');

	return line == NULL ? out->len : out->len - (size_t)(line + 1 - out->at);
}

/*
 * Plain text: backticks become quotation marks, lines are broken at blanks, and
 * a new sentence begins a new line, as mdoc wants it.
 */
static void add_text(struct text *out, const char *s)
{
	bool is_open = false;

	for (; *s != '\0'; s++) {
		if (*s == '`') {
			text_add(out, is_open ? "\\(cq" : "\\(oq");
			is_open = !is_open;
		} else if (*s == '\\') {
			text_add(out, "\\e");
		} else if (s[0] == '.' && s[1] == ' ' && isupper((unsigned char)s[2])) {
			text_add(out, ".\n");
			s++;
		} else if (*s == ' ' && s[1] != '.' && s[1] != '\'' &&
		           column_of(out) + 1 + strcspn(s + 1, " ") > LINE_BYTES) {
			text_add(out, "\n");
		} else {
			text_add_bytes(out, s, 1);
		}
	}
}

static PRINTF_LIKE(2, 3) void add_sentence(struct text *out, const char *fmt, ...)
{
	char s[SENTENCE_BYTES];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(s, sizeof(s), fmt, ap);
	va_end(ap);
	s[0] = (char)toupper((unsigned char)s[0]);
	add_text(out, s);
	text_add(out, ".\n");
}

static const char *list_names(const struct field_word *words, char out[FIELD_RANGE_BYTES])
{
	size_t len = 0;

	out[0] = '\0';
	for (; words->word != NULL && len < FIELD_RANGE_BYTES; words++)
		len += (size_t)snprintf(out + len, FIELD_RANGE_BYTES - len, "%s%s",
		                        len > 0 ? ", " : "", words->word);
	return out;
}

/* What may stand there. */
static void add_values(const struct field *row, struct text *out)
{
	static const char *const units[] = {
		[UNIT_COUNT] = "a whole number",
		[UNIT_BYTES] = "a size",
		[UNIT_MS] = "a time",
		[UNIT_BPS] = "a rate",
		[UNIT_PERMILLE] = "a percentage",
	};
	char wanted[FIELD_RANGE_BYTES], range[FIELD_RANGE_BYTES];

	(void)field_wanted(row, wanted);
	if (row->kind == FIELD_NUMBER && row->words != NULL)
		add_sentence(out, "%s, %s, or a name: %s", units[row->unit],
		             field_range(row, range), list_names(row->words, wanted));
	else if (row->kind == FIELD_NUMBER)
		add_sentence(out, "%s, %s", units[row->unit], field_range(row, range));
	else if (row->kind == FIELD_REAL)
		add_sentence(out, "%s, %s", wanted, field_range(row, range));
	else if (row->kind == FIELD_TEXTS || row->kind == FIELD_WORDS)
		add_sentence(out, "a list of: %s", wanted);
	else if (row->kind == FIELD_WORD && row->words[1].word == NULL)
		add_sentence(out, "only `%s` is known", wanted);
	else
		add_sentence(out, "%s", wanted);
}

static void add_row(const struct field *row, struct text *out)
{
	text_printf(out, ".It Cm %s\n", row->key);
	add_text(out, row->help);
	text_add(out, "\n");
	if (row->refused == NULL)
		add_values(row, out);
	for (const struct field_word *w = row->words; w != NULL && w->word != NULL; w++) {
		if (w->refused != NULL)
			add_sentence(out, "`%s` is not yet supported: %s", w->word, w->refused);
	}
	if (row->required)
		add_sentence(out, "required");
	if (row->preset != NULL)
		add_sentence(out, "default: `%s`", row->preset);
	if (row->refused != NULL)
		add_sentence(out, "not yet supported and refused: %s", row->refused);
	if (row->later != NULL)
		add_sentence(out, "not yet supported: %s", row->later);
}

void field_doc_mdoc(const struct field *rows, struct text *out)
{
	text_add(out, ".Bl -tag -width Ds\n");
	for (; rows->key != NULL; rows++)
		add_row(rows, out);
	text_add(out, ".El\n");
}
