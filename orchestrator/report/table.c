/* SPDX-License-Identifier: MIT */
#include "report/table.h"

#include <string.h>

#include "common/arena.h"

static struct writer_value value_of(const struct table *table, const struct table_column *c,
                                    const void *row, char scratch[FORMAT_BYTES])
{
	struct writer_value v = column_value(&c->is, row);

	if (v.kind == WRITER_NULL)
		return c->look == TABLE_ASKED ? writer_str("default") : v;
	switch (c->look) {
	case TABLE_RATE:
		return writer_real(v.real / table->unit.scale);
	case TABLE_ABOUT:
		return writer_str(format_about_bytes(v.integer, scratch));
	case TABLE_SIZE:
	case TABLE_ASKED:
		return writer_str(format_size(v.integer, "-", scratch));
	case TABLE_SWITCH:
		return writer_str(v.integer != 0 ? "on" : "off");
	case TABLE_PLAIN:
		break;
	}
	return v;
}

static bool is_told(const struct table_column *c, const void *const *rows, size_t count)
{
	if (!c->is_optional)
		return true;
	for (size_t i = 0; i < count; i++) {
		if (column_value(&c->is, rows[i]).kind != WRITER_NULL)
			return true;
	}
	return false;
}

static void print_rows(FILE *out, const struct table *table, const struct table_column **columns,
                       size_t column_count, const void *const *rows, size_t count)
{
	struct arena arena = {0};
	const char **heads = arena_alloc(&arena, column_count, sizeof(*heads));
	struct writer_value *values = arena_alloc(&arena, column_count, sizeof(*values));
	char(*scratch)[FORMAT_BYTES] = arena_alloc(&arena, column_count, sizeof(*scratch));
	struct writer w;

	for (size_t i = 0; i < column_count; i++)
		heads[i] = columns[i]->is.name != NULL ? columns[i]->is.name : table->unit.name;
	writer_begin(&w, &writer_text, out, heads, column_count);
	for (size_t r = 0; r < count; r++) {
		for (size_t i = 0; i < column_count; i++)
			values[i] = value_of(table, columns[i], rows[r], scratch[i]);
		writer_row(&w, values);
	}
	writer_end(&w);
	arena_done(&arena);
}

void table_print(FILE *out, const struct table *table, const void *const *rows, size_t count)
{
	struct arena arena = {0};
	const struct table_column **columns =
		arena_alloc(&arena, table->column_count, sizeof(*columns));
	size_t chosen = 0;

	for (size_t i = 0; i < table->column_count; i++) {
		if (is_told(&table->columns[i], rows, count))
			columns[chosen++] = &table->columns[i];
	}
	print_rows(out, table, columns, chosen, rows, count);
	arena_done(&arena);
}

bool table_has_news(const struct table *table, const void *const *rows, size_t count)
{
	for (size_t i = 0; i < table->column_count; i++) {
		const struct table_column *c = &table->columns[i];

		if (c->is_optional && is_told(c, rows, count))
			return true;
	}
	return false;
}
