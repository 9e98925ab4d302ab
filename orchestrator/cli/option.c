/* SPDX-License-Identifier: MIT */
#include "cli/option.h"

#include <assert.h>
#include <string.h>

#include "common/text.h"
#include "config/suggest.h"

enum { OPTIONS_MAX = 32, HELP_COLUMN = 26 };

static const struct option_spec none[] = {{0}};
static const char help_name[] = "help";

/* Where the parser is. */
struct cursor {
	const struct option_spec *specs;
	struct option_args *args;
	int next; /* first argument not read yet */
	int kept; /* operands so far, moved to the front of args->at */
	char *options;
	struct arena *arena;
	bool given[OPTIONS_MAX];
};

static void *target_of(struct cursor *c, const struct option_spec *spec)
{
	return c->options + spec->offset;
}

/* A whole number that no 64 bits hold. */
static bool is_too_large(const char *s)
{
	uint64_t ignored;

	return s[0] >= '1' && s[0] <= '9' && s[strspn(s, "0123456789")] == '\0' &&
	       !units_parse(UNIT_COUNT, s, &ignored);
}

static bool store_u64(struct cursor *c, const struct option_spec *spec, const char *value,
                      struct err *err)
{
	struct option_u64 *out = target_of(c, spec);

	if (!units_parse(spec->unit, value, &out->value) && is_too_large(value))
		return err_set(err, ERR_USAGE, "--%s: %s is out of range, %llu is the most",
		               spec->name, value,
		               (unsigned long long)(spec->max != 0 ? spec->max : UINT64_MAX));
	if (!units_parse(spec->unit, value, &out->value))
		return err_set(err, ERR_USAGE, "--%s: '%s' is not %s", spec->name, value,
		               units_wanted(spec->unit));
	if (spec->max != 0 && out->value > spec->max)
		return err_set(err, ERR_USAGE, "--%s: %s is above %llu", spec->name, value,
		               (unsigned long long)spec->max);
	out->is_given = true;
	return true;
}

static bool store_choice(struct cursor *c, const struct option_spec *spec, const char *value,
                         struct err *err)
{
	struct text list = {0};

	for (unsigned i = 0; spec->choices[i] != NULL; i++) {
		if (strcmp(spec->choices[i], value) == 0) {
			*(unsigned *)target_of(c, spec) = i;
			text_done(&list);
			return true;
		}
		text_printf(&list, "%s%s", i == 0 ? "" : ", ", spec->choices[i]);
	}
	(void)err_set(err, ERR_USAGE, "--%s: '%s' is not one of %s", spec->name, value,
	              text_str(&list));
	text_done(&list);
	return false;
}

static void store_in_list(struct cursor *c, const struct option_spec *spec, const char *value)
{
	struct option_list *list = target_of(c, spec);

	/* There can be no more values than arguments. */
	if (list->at == NULL)
		list->at = arena_alloc(c->arena, (size_t)c->args->count, sizeof(*list->at));
	list->at[list->count++] = value;
}

/* The next argument as a value of `spec`, or NULL with *err set. */
static const char *take_value(struct cursor *c, const struct option_spec *spec, struct err *err)
{
	if (c->next < c->args->count)
		return c->args->at[c->next++];
	(void)err_set(err, ERR_USAGE, "--%s needs %s: --%s %s", spec->name,
	              spec->kind == OPTION_PAIR ? "two values" : "a value", spec->name,
	              spec->value);
	return NULL;
}

/* value NULL: it is the next argument. */
static bool store_value(struct cursor *c, const struct option_spec *spec, const char *value,
                        struct err *err)
{
	if (value == NULL)
		value = take_value(c, spec, err);
	if (value == NULL)
		return false;
	switch (spec->kind) {
	case OPTION_TEXT:
		*(const char **)target_of(c, spec) = value;
		return true;
	case OPTION_PAIR: {
		struct option_pair *pair = target_of(c, spec);

		pair->first = value;
		pair->second = take_value(c, spec, err);
		return pair->second != NULL;
	}
	case OPTION_LIST:
		store_in_list(c, spec, value);
		return true;
	case OPTION_CHOICE:
		return store_choice(c, spec, value, err);
	case OPTION_U64:
		return store_u64(c, spec, value, err);
	case OPTION_FLAG:
		break;
	}
	assert(spec->kind != OPTION_FLAG); /* flags take no value */
	return false;
}

static bool store_option(struct cursor *c, const struct option_spec *spec, const char *value,
                         struct err *err)
{
	bool *given = &c->given[spec - c->specs];

	if (spec->kind == OPTION_FLAG) {
		if (value != NULL)
			return err_set(err, ERR_USAGE, "--%s takes no value", spec->name);
		*(bool *)target_of(c, spec) = true;
		return true;
	}
	if (*given && spec->kind != OPTION_LIST)
		return err_set(err, ERR_USAGE, "--%s is given twice", spec->name);
	*given = true;
	return store_value(c, spec, value, err);
}

static bool refuse_long(const struct cursor *c, const char *name, size_t len, struct err *err)
{
	char *word = arena_strndup(c->arena, name, len);
	struct suggestion near = suggest_for(word);

	for (const struct option_spec *s = c->specs; s->name != NULL; s++)
		suggest_try(&near, s->name);
	suggest_try(&near, help_name);
	if (near.best != NULL)
		return err_set(err, ERR_USAGE, "unknown option --%s, did you mean --%s?", word,
		               near.best);
	return err_set(err, ERR_USAGE, "unknown option --%s", word);
}

/* `arg` follows "--". */
static bool read_long(struct cursor *c, const char *arg, struct err *err)
{
	size_t len = strcspn(arg, "=");
	const char *value = arg[len] == '=' ? arg + len + 1 : NULL;

	for (const struct option_spec *s = c->specs; s->name != NULL; s++) {
		if (strlen(s->name) == len && strncmp(s->name, arg, len) == 0)
			return store_option(c, s, value, err);
	}
	if (len == sizeof(help_name) - 1 && strncmp(help_name, arg, len) == 0) {
		c->args->wants_help = true;
		return true;
	}
	return refuse_long(c, arg, len, err);
}

/* `arg` follows "-": letters of flags, the last of which may take a value. */
static bool read_short(struct cursor *c, const char *arg, struct err *err)
{
	for (; *arg != '\0'; arg++) {
		const struct option_spec *s = c->specs;

		while (s->name != NULL && s->letter != *arg)
			s++;
		if (s->name == NULL && *arg == 'h') {
			c->args->wants_help = true;
			return true;
		}
		if (s->name == NULL)
			return err_set(err, ERR_USAGE, "unknown option -%c", *arg);
		if (s->kind != OPTION_FLAG)
			return store_option(c, s, arg[1] != '\0' ? arg + 1 : NULL, err);
		if (!store_option(c, s, NULL, err))
			return false;
	}
	return true;
}

bool option_parse(const struct option_spec *specs, struct option_args *args, void *options,
                  struct arena *arena, struct err *err)
{
	struct cursor c = {.specs = specs == NULL ? none : specs,
	                   .args = args,
	                   .options = options,
	                   .arena = arena};
	bool is_over = false;

	while (c.next < args->count && !args->wants_help) {
		char *arg = args->at[c.next++];

		if (is_over || arg[0] != '-' || arg[1] == '\0')
			args->at[c.kept++] = arg;
		else if (strcmp(arg, "--") == 0)
			is_over = true;
		else if (!(arg[1] == '-' ? read_long(&c, arg + 2, err)
		                         : read_short(&c, arg + 1, err)))
			return false;
	}
	args->count = c.kept;
	return true;
}

void option_print(FILE *out, const struct option_spec *specs)
{
	for (; specs != NULL && specs->name != NULL; specs++) {
		struct text left = {0};

		if (specs->letter != 0)
			text_printf(&left, "-%c, ", specs->letter);
		else
			text_add(&left, "    ");
		text_printf(&left, "--%s", specs->name);
		if (specs->kind != OPTION_FLAG)
			text_printf(&left, " %s", specs->value);
		(void)fprintf(out, "  %-*s %s\n", HELP_COLUMN, text_str(&left), specs->help);
		text_done(&left);
	}
}
