/* SPDX-License-Identifier: MIT */
#include "common/compact_printf.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct text {
	char *at;
	size_t size;
	size_t len; /* of the whole text; what does not fit is only counted */
};

struct conversion {
	bool is_left;
	bool has_zeros;
	bool has_precision;
	size_t width;
	size_t precision;
	int size; /* of an integer: -2 char, -1 short, 0 int, 1 long, 2 long long */
};

static void put(struct text *out, char c)
{
	if (out->len + 1 < out->size)
		out->at[out->len] = c;
	out->len++;
}

static void put_times(struct text *out, char c, size_t count)
{
	for (; count > 0; count--)
		put(out, c);
}

/* sign (may be ""), zeros, then len bytes of s, padded to the width. */
static void put_padded(struct text *out, const struct conversion *c, const char *sign, size_t zeros,
                       const char *s, size_t len)
{
	size_t whole = strlen(sign) + zeros + len;
	size_t pad = c->width > whole ? c->width - whole : 0;

	if (!c->is_left && !c->has_zeros)
		put_times(out, ' ', pad);
	for (; *sign != '\0'; sign++)
		put(out, *sign);
	if (!c->is_left && c->has_zeros)
		put_times(out, '0', pad);
	put_times(out, '0', zeros);
	for (; len > 0; len--)
		put(out, *s++);
	if (c->is_left)
		put_times(out, ' ', pad);
}

static void put_number(struct text *out, struct conversion *c, unsigned long long n, unsigned base,
                       const char *sign, char ten)
{
	char digits[3 * sizeof(n)];
	char *at = digits + sizeof(digits);
	size_t len;

	for (; n > 0; n /= base) {
		unsigned digit = (unsigned)(n % base);

		*--at = (char)(digit < 10 ? '0' + digit : (unsigned)ten + digit - 10);
	}
	len = (size_t)(digits + sizeof(digits) - at);
	if (!c->has_precision)
		c->precision = 1; /* of 0, too, a digit is seen */
	else
		c->has_zeros = false;
	put_padded(out, c, sign, c->precision > len ? c->precision - len : 0, at, len);
}

static long long take_signed(int size, va_list *ap)
{
	if (size == 2)
		return va_arg(*ap, long long);
	if (size == 1)
		return va_arg(*ap, long);
	if (size == -1)
		return (short)va_arg(*ap, int);
	if (size == -2)
		return (signed char)va_arg(*ap, int);
	return va_arg(*ap, int);
}

static unsigned long long take_unsigned(int size, va_list *ap)
{
	if (size == 2)
		return va_arg(*ap, unsigned long long);
	if (size == 1)
		return va_arg(*ap, unsigned long);
	if (size == -1)
		return (unsigned short)va_arg(*ap, unsigned);
	if (size == -2)
		return (unsigned char)va_arg(*ap, unsigned);
	return va_arg(*ap, unsigned);
}

static size_t take_count(const char **fmt, va_list *ap)
{
	size_t n = 0;

	if (**fmt == '*') {
		int value = va_arg(*ap, int);

		(*fmt)++;
		return value > 0 ? (size_t)value : 0;
	}
	for (; **fmt >= '0' && **fmt <= '9'; (*fmt)++)
		n = n * 10 + (size_t)(**fmt - '0');
	return n;
}

/* What stands between % and the letter. */
static void take_conversion(const char **fmt, va_list *ap, struct conversion *c)
{
	for (; **fmt == '0' || **fmt == '-'; (*fmt)++) {
		if (**fmt == '0')
			c->has_zeros = true;
		else
			c->is_left = true;
	}
	c->width = take_count(fmt, ap);
	if (**fmt == '.') {
		(*fmt)++;
		c->has_precision = true;
		c->precision = take_count(fmt, ap);
	}
	for (;; (*fmt)++) {
		if (**fmt == 'l')
			c->size++;
		else if (**fmt == 'h')
			c->size--;
		else if (**fmt == 'z' || **fmt == 't')
			c->size = sizeof(size_t) == sizeof(long) ? 1 : 0;
		else if (**fmt == 'j')
			c->size = 2;
		else
			return;
	}
}

static void put_signed(struct text *out, struct conversion *c, va_list *ap)
{
	long long n = take_signed(c->size, ap);

	put_number(out, c, n < 0 ? 0 - (unsigned long long)n : (unsigned long long)n, 10,
	           n < 0 ? "-" : "", 'a');
}

static void put_string(struct text *out, struct conversion *c, const char *s)
{
	size_t len = 0;

	while ((!c->has_precision || len < c->precision) && s[len] != '\0')
		len++;
	c->has_zeros = false;
	put_padded(out, c, "", 0, s, len);
}

/* False when the letter is none of ours. */
static bool put_argument(struct text *out, const char **fmt, va_list *ap)
{
	struct conversion c = {0};
	char letter;

	take_conversion(fmt, ap, &c);
	letter = *(*fmt)++;
	if (letter == '%')
		put(out, '%');
	else if (letter == 'c')
		put(out, (char)va_arg(*ap, int));
	else if (letter == 's')
		put_string(out, &c, va_arg(*ap, const char *));
	else if (letter == 'd' || letter == 'i')
		put_signed(out, &c, ap);
	else if (letter == 'u')
		put_number(out, &c, take_unsigned(c.size, ap), 10, "", 'a');
	else if (letter == 'x' || letter == 'X')
		put_number(out, &c, take_unsigned(c.size, ap), 16, "", letter == 'x' ? 'a' : 'A');
	else
		return false;
	return true;
}

int compact_vsnprintf(char *out, size_t size, const char *fmt, va_list ap)
{
	struct text text = {out, size, 0};
	va_list rest; /* an array on some machines: only a copy has an address to pass on */
	bool is_ours = true;

	va_copy(rest, ap);
	while (is_ours && *fmt != '\0') {
		if (*fmt == '%') {
			fmt++;
			is_ours = put_argument(&text, &fmt, &rest);
		} else {
			put(&text, *fmt++);
		}
	}
	va_end(rest);
	if (size > 0)
		out[text.len < size ? text.len : size - 1] = '\0';
	return text.len > INT_MAX ? -1 : (int)text.len;
}

int compact_snprintf(char *out, size_t size, const char *fmt, ...)
{
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = compact_vsnprintf(out, size, fmt, ap);
	va_end(ap);
	return len;
}
