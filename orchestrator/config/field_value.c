/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "config/field.h"
#include "config/field_range.h"

const struct field_word field_truth[] = {
	{"true", true, NULL}, {"false", false, NULL}, {"on", true, NULL}, {"off", false, NULL},
	{"yes", true, NULL},  {"no", false, NULL},    {NULL, 0, NULL},
};

static bool refuse(const struct field_loader *l, const struct field *row, const struct node *value,
                   const char *wanted)
{
	char shown[NODE_SHOWN_BYTES];

	diag_error(l->diags, value->pos, "`%s` must be %s, not %s", row->key, wanted,
	           node_show(value, shown));
	return false;
}

/* The text of a scalar that says something; NULL after telling that it does not. */
static const char *text_of(const struct field_loader *l, const struct field *row,
                           const struct node *value, const char *wanted)
{
	if (value->kind == NODE_TEXT && !node_is_nothing(value))
		return value->text;
	if (value->kind != NODE_BAD)
		(void)refuse(l, row, value, wanted);
	return NULL;
}

static const char *expand_home(const struct field_loader *l, const struct field *row,
                               const struct node *value)
{
	const char *text = value->text;
	char *path;
	size_t home_len;

	if (text[0] != '~')
		return arena_strndup(l->arena, text, strlen(text));
	if (text[1] != '/' || l->home == NULL) {
		diag_error(l->diags, value->pos, "`%s`: %s", row->key,
		           l->home == NULL
		                   ? "`~` cannot be replaced: the home directory is not known"
		                   : "only `~/` is replaced: write the whole path");
		return NULL;
	}
	home_len = strlen(l->home);
	path = arena_alloc(l->arena, home_len + strlen(text), 1);
	memcpy(path, l->home, home_len);
	memcpy(path + home_len, text + 1, strlen(text) - 1);
	return path;
}

static const char *load_text(const struct field_loader *l, const struct field *row,
                             const struct node *value)
{
	char shown[NODE_SHOWN_BYTES];
	const char *text = text_of(l, row, value, text_rule_wanted(row->rule));
	const char *problem = text == NULL ? NULL : text_rule_problem(row->rule, text);

	if (text == NULL)
		return NULL;
	if (problem != NULL) {
		diag_error(l->diags, value->pos, "`%s`: %s %s: write %s", row->key,
		           node_show(value, shown), problem, text_rule_wanted(row->rule));
		return NULL;
	}
	return row->rule == TEXT_PATH ? expand_home(l, row, value)
	                              : arena_strndup(l->arena, text, strlen(text));
}

static bool load_texts(const struct field_loader *l, const struct field *row,
                       const struct node *value, struct text_list *out)
{
	struct node_items items = node_items(&value);
	struct text_list list = {0};

	list.at = arena_alloc(l->arena, items.count, sizeof(*list.at));
	list.nodes = arena_alloc(l->arena, items.count, sizeof(*list.nodes));
	for (size_t i = 0; i < items.count; i++) {
		list.at[list.count] = load_text(l, row, items.at[i]);
		list.nodes[list.count] = items.at[i];
		if (list.at[list.count] != NULL)
			list.count++;
	}
	if (out != NULL)
		*out = list;
	return list.count == items.count;
}

static bool is_zero_word(const struct field *row, const struct node *value)
{
	return row->zero_word != NULL && value->kind == NODE_TEXT &&
	       strcmp(value->text, row->zero_word) == 0;
}

/* The number of that name. */
static bool find_name(const struct field_word *words, const char *text, uint64_t *number)
{
	for (; words != NULL && words->word != NULL; words++) {
		if (strcmp(words->word, text) == 0) {
			*number = (uint64_t)words->value;
			return true;
		}
	}
	return false;
}

static bool store_number(const struct field *row, uint64_t number, void *at)
{
	if (row->width == sizeof(uint16_t))
		*(uint16_t *)at = (uint16_t)number;
	else if (row->width == sizeof(uint32_t))
		*(uint32_t *)at = (uint32_t)number;
	else
		*(uint64_t *)at = number;
	return true;
}

static bool load_number(const struct field_loader *l, const struct field *row,
                        const struct node *value, void *at)
{
	char wanted[FIELD_RANGE_BYTES], shown[NODE_SHOWN_BYTES];
	const char *text = text_of(l, row, value, field_wanted(row, wanted));
	uint64_t number = 0;

	if (text == NULL)
		return false;
	if (!is_zero_word(row, value) && !find_name(row->words, text, &number)) {
		if (!units_parse(row->unit, text, &number))
			return refuse(l, row, value, wanted);
		if (row->max != 0 && (number < row->min || number > row->max)) {
			diag_error(l->diags, value->pos, "`%s`: %s is out of range: %s", row->key,
			           node_show(value, shown), field_range(row, wanted));
			return false;
		}
	}
	return at == NULL || store_number(row, number, at);
}

/* Digits with at most one point between them: no sign, no exponent, no hexadecimal. */
static bool parse_real(const char *text, double *out)
{
	size_t whole = strspn(text, "0123456789");
	size_t part = text[whole] == '.' ? strspn(text + whole + 1, "0123456789") : 0;
	size_t len = whole + (part > 0 ? 1 + part : 0);

	if (whole == 0 || len > 30 || text[len] != '\0')
		return false;
	*out = strtod(text, NULL);
	return true;
}

static bool load_real(const struct field_loader *l, const struct field *row,
                      const struct node *value, double *at)
{
	char wanted[FIELD_RANGE_BYTES], shown[NODE_SHOWN_BYTES];
	const char *text = text_of(l, row, value, field_wanted(row, wanted));
	double number;

	if (text == NULL)
		return false;
	if (!parse_real(text, &number))
		return refuse(l, row, value, wanted);
	if (row->max != 0 && (number < (double)row->min || number > (double)row->max)) {
		diag_error(l->diags, value->pos, "`%s`: %s is out of range: %s", row->key,
		           node_show(value, shown), field_range(row, wanted));
		return false;
	}
	if (at != NULL)
		*at = number * row->scale;
	return true;
}

/* The word that stands there; NULL after telling that it is not one of them. */
static const struct field_word *find_word(const struct field_loader *l, const struct field *row,
                                          const struct node *value)
{
	char wanted[FIELD_RANGE_BYTES], shown[NODE_SHOWN_BYTES], meant[SUGGEST_TEXT_BYTES];
	const char *text = text_of(l, row, value, field_wanted(row, wanted));
	struct suggestion names;

	if (text == NULL)
		return NULL;
	names = suggest_for(text);
	for (const struct field_word *w = row->words; w->word != NULL; w++) {
		if (strcmp(w->word, text) != 0) {
			suggest_try(&names, w->word);
			continue;
		}
		if (w->refused == NULL)
			return w;
		diag_error(l->diags, value->pos, "`%s: %s` is not yet supported: %s", row->key,
		           text, w->refused);
		return NULL;
	}
	diag_error(l->diags, value->pos, "`%s` must be %s, not %s%s", row->key, wanted,
	           node_show(value, shown), suggest_text(&names, meant));
	return NULL;
}

static bool load_word(const struct field_loader *l, const struct field *row,
                      const struct node *value, void *at)
{
	const struct field_word *w = find_word(l, row, value);

	if (w == NULL || at == NULL)
		return w != NULL;
	if (row->keeps_word)
		*(const char **)at = w->word;
	else if (row->width == sizeof(bool))
		*(bool *)at = w->value != 0;
	else
		*(int *)at = w->value;
	return true;
}

static bool load_words(const struct field_loader *l, const struct field *row,
                       const struct node *value, uint32_t *at)
{
	struct node_items items = node_items(&value);
	uint32_t all = 0;
	bool ok = true;

	for (size_t i = 0; i < items.count; i++) {
		const struct field_word *w = find_word(l, row, items.at[i]);

		ok = ok && w != NULL;
		all |= w != NULL ? (uint32_t)w->value : 0;
	}
	if (at != NULL)
		*at = all;
	return ok;
}

static bool load_map(const struct field_loader *l, const struct field *row,
                     const struct node *value, void *at)
{
	struct field_part part = {.rows = row->rows, .out = at};
	struct field_loader inner = *l;

	inner.other_key = NULL; /* belongs to the outer mapping */
	inner.other_keys = NULL;
	return field_want(l, value, NODE_MAP, row->key, row->example) &&
	       field_load(&inner, value, &part, 1);
}

static bool store_text(const char *text, void *at)
{
	*(const char **)at = text;
	return true;
}

static bool load_kind(const struct field_loader *l, const struct field *row,
                      const struct node *value, void *at)
{
	const char *text;

	switch (row->kind) {
	case FIELD_TEXT:
		if (is_zero_word(row, value))
			return at == NULL || store_text(NULL, at);
		text = load_text(l, row, value);
		return text != NULL && (at == NULL || store_text(text, at));
	case FIELD_NUMBER:
		return load_number(l, row, value, at);
	case FIELD_REAL:
		return load_real(l, row, value, at);
	case FIELD_WORD:
		return load_word(l, row, value, at);
	case FIELD_WORDS:
		return load_words(l, row, value, at);
	case FIELD_TEXTS:
		return load_texts(l, row, value, at);
	case FIELD_MAP:
		return load_map(l, row, value, at);
	case FIELD_NODE:
		if (at != NULL)
			*(const struct node **)at = value;
		return true;
	}
	return false;
}

bool field_load_value(const struct field_loader *l, const struct field *row,
                      const struct node *value, void *out)
{
	void *at = row->offset == FIELD_NOWHERE ? NULL : (char *)out + row->offset;

	if (row->refused != NULL) {
		diag_error(l->diags, value->pos, "`%s` is not yet supported: %s", row->key,
		           row->refused);
		return false;
	}
	if (!load_kind(l, row, value, at))
		return false;
	if (row->later != NULL)
		diag_note(l->diags, value->pos, "`%s` is not yet supported: %s", row->key,
		          row->later);
	return true;
}
