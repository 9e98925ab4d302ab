/* SPDX-License-Identifier: MIT */
#include "config/text_rule.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct rule {
	size_t max;        /* bytes */
	const char *extra; /* besides letters and digits */
	bool beyond_ascii;
	const char *wanted;
} rules[] = {
	[TEXT_REFERENCE] = {64, NULL, true, "the name of another entry"},
	[TEXT_ADDRESS] = {64, NULL, true, "an IPv4 or IPv6 address"},
	[TEXT_SUBNET] = {64, NULL, true, "a network such as 10.1.0.0/24"},
	[TEXT_NAME] = {64, "_-", false, "a name of letters, digits, `_` and `-`"},
	[TEXT_DEVICE] = {64, "_-.:", false, "a name of letters, digits, `_`, `-`, `.` and `:`"},
	[TEXT_USER] = {64, "_-.@", false, "a name of letters, digits, `_`, `-`, `.` and `@`"},
	[TEXT_HOST] = {253, "_-.:", false, "a host name or an IPv4 or IPv6 address"},
	[TEXT_PATH] = {512, "_-./+,=@%~ ", true, "a file name without quotes and shell characters"},
	[TEXT_JUMP] = {400, "_-.:@,[]", false, "jump hosts such as user@jump1:22,jump2"},
	[TEXT_ENVIRONMENT] = {128, "_", false, "the name of an environment variable"},
	[TEXT_LABEL] = {128, "_-./+,=@%~ :()", true,
                        "a name that may hold blanks, `:`, `(` and `)`"},
	[TEXT_ALGORITHM] = {15, "_-", false, "a name of 1 to 15 letters, digits, `_` and `-`"},
	[TEXT_CORES] = {200, "-,", false,
                        "`auto`, or cores of 0 to 1023 in ascending order such as 0-3,6"},
	[TEXT_FREE] = {400, NULL, true, "text"},
};

static bool is_word_char(unsigned char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static const char *bad_char(const struct rule *rule, unsigned char c)
{
	if (c < 0x20 || c == 0x7f)
		return "holds a control character";
	if (rule->extra == NULL || is_word_char(c) || strchr(rule->extra, c) != NULL)
		return NULL;
	if (c >= 0x80)
		return rule->beyond_ascii ? NULL : "holds a character beyond ASCII";
	if (c == ' ')
		return "holds a blank";
	return "holds a character that is not allowed here";
}

/* RFC 1123 section 2.1: labels of 1 to 63; what looks like an IPv4 address must be one. */
static const char *host_problem(const char *text)
{
	unsigned char address[16];
	const char *label = text;

	if (inet_pton(AF_INET, text, address) == 1 || inet_pton(AF_INET6, text, address) == 1)
		return NULL;
	if (strchr(text, ':') != NULL)
		return "is no IPv6 address (a port is its own key: `ssh: { port: 2222 }`)";
	for (;;) {
		size_t len = strcspn(label, ".");

		if (len == 0 || len > 63 || label[0] == '-' || label[len - 1] == '-')
			return "is no host name";
		if (label[len] == '\0')
			break;
		label += len + 1;
	}
	return strspn(label, "0123456789") == strlen(label) ? "is no IPv4 address" : NULL;
}

/* [user@]host[:port], the host without brackets in `host`; NULL: right. */
static const char *hop_problem(const char *hop, size_t len)
{
	char text[256], *host = text, *colon;
	const char *at;

	if (len == 0)
		return "has an empty hop";
	if (len >= sizeof(text))
		return "is too long";
	(void)snprintf(text, sizeof(text), "%.*s", (int)len, hop);
	at = strrchr(text, '@');
	if (at != NULL) {
		if (at == text || text[0] == '-')
			return "has a hop whose user is no name";
		host = text + (at - text) + 1;
	}
	if (host[0] == '[') {
		char *end = strchr(++host, ']');

		if (end == NULL || (end[1] != '\0' && end[1] != ':'))
			return "has a bracket too many or too few";
		colon = end[1] == ':' ? end + 1 : NULL;
		*end = '\0';
	} else {
		colon = strrchr(host, ':');
		if (colon != NULL)
			*colon = '\0';
	}
	if (colon != NULL) {
		size_t digits = strspn(colon + 1, "0123456789");
		unsigned long port = strtoul(colon + 1, NULL, 10);

		if (digits == 0 || digits > 5 || colon[1 + digits] != '\0' || port == 0 ||
		    port > 65535)
			return "has a hop whose port is none of 1 to 65535";
	}
	if (host[0] == '-' || host[0] == '\0' || strpbrk(host, "@[],") != NULL)
		return "has a hop that is no host name";
	return NULL;
}

static const char *jump_problem(const char *text)
{
	for (;;) {
		size_t len = strcspn(text, ",");
		const char *problem = hop_problem(text, len);

		if (problem != NULL)
			return problem;
		if (text[len] == '\0')
			return NULL;
		text += len + 1;
	}
}

/* The number of a core at *at, which moves behind it; -1: there is none. */
static int read_core(const char **at)
{
	size_t digits = strspn(*at, "0123456789");
	unsigned long core = strtoul(*at, NULL, 10);

	if (digits == 0 || digits > 4 || (digits > 1 && **at == '0') || core > 1023)
		return -1;
	*at += digits;
	return (int)core;
}

static const char *cores_problem(const char *text)
{
	int last = -1;

	if (strcmp(text, "auto") == 0)
		return NULL;
	for (;; text++) {
		int from = read_core(&text), to = from;

		if (from >= 0 && *text == '-') {
			text++;
			to = read_core(&text);
		}
		if (from < 0 || to < 0 || (*text != ',' && *text != '\0'))
			return "is no list of cores of 0 to 1023";
		if (from <= last || to < from)
			return "names cores that do not ascend";
		last = to;
		if (*text == '\0')
			return NULL;
	}
}

const char *text_rule_problem(enum text_rule rule, const char *text)
{
	const struct rule *r = &rules[rule];
	size_t len = strlen(text);

	if (len == 0)
		return "is empty";
	if (len > r->max)
		return "is too long";
	if (rule != TEXT_FREE && text[0] == '-')
		return "begins with `-`";
	if (rule != TEXT_FREE && (text[0] == ' ' || text[len - 1] == ' '))
		return "begins or ends with a blank";
	for (size_t i = 0; i < len; i++) {
		const char *problem = bad_char(r, (unsigned char)text[i]);

		if (problem != NULL)
			return problem;
	}
	if (rule == TEXT_HOST)
		return host_problem(text);
	if (rule == TEXT_JUMP)
		return jump_problem(text);
	if (rule == TEXT_CORES)
		return cores_problem(text);
	if (rule == TEXT_ENVIRONMENT && text[0] >= '0' && text[0] <= '9')
		return "begins with a digit";
	return NULL;
}

const char *text_rule_wanted(enum text_rule rule)
{
	return rules[rule].wanted;
}
