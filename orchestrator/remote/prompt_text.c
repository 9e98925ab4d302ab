/* SPDX-License-Identifier: MIT */
#include "remote/prompt_text.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "common/attr.h"

/* Bytes of the UTF-8 character at s, whose code is put into *code; 0: it is none. */
static size_t decode(const unsigned char *s, uint32_t *code)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t len = *s < 0x80   ? 1
	             : *s < 0xc2 ? 0
	             : *s < 0xe0 ? 2
	             : *s < 0xf0 ? 3
	             : *s < 0xf5 ? 4
	                         : 0;

	if (len == 0)
		return 0;
	*code = len == 1 ? *s : *s & (0xffu >> (len + 1));
	for (size_t i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (s[i] & 0x3fu);
	}
	return *code < least[len] || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000) ? 0
	                                                                                     : len;
}

/* Neither a control character nor one that has no place of its own (Unicode's Cf). */
static bool is_shown(uint32_t code)
{
	return code >= ' ' && code != 0xad && (code < 0x7f || code >= 0xa0) &&
	       (code < 0x200b || code > 0x200f) && (code < 0x2028 || code > 0x202e) &&
	       (code < 0x2060 || code > 0x206f) && code != 0xfeff && code < 0xe0000;
}

void prompt_text_clean(const char *text, char out[PROMPT_TEXT_BYTES])
{
	const unsigned char *in = (const unsigned char *)text;
	size_t n = 0;

	while (*in != '\0') {
		uint32_t code = 0;
		size_t len = decode(in, &code);
		size_t step = len == 0 ? 1 : len;
		const char *from = (const char *)in;

		if (len > 0 && (code == '\n' || code == '\t' || code == '\r'))
			from = " ";
		else if (len == 0 || !is_shown(code))
			from = "?";
		len = from == (const char *)in ? len : 1;
		if (n + len >= PROMPT_TEXT_BYTES)
			break;
		if (*from != ' ' || (n > 0 && out[n - 1] != ' ')) {
			memcpy(out + n, from, len);
			n += len;
		}
		in += step;
	}
	while (n > 0 && (out[n - 1] == ' ' || out[n - 1] == ':'))
		n--;
	out[n] = '\0';
}

static bool has_word(const char *text, const char *const *words)
{
	for (; *words != NULL; words++) {
		if (strcasestr(text, *words) != NULL)
			return true;
	}
	return false;
}

bool prompt_text_means_password(const char *text)
{
	static const char *const others[] = {"code", "token", "otp", "one-time", "pin", NULL};

	return !has_word(text, others);
}

bool prompt_text_says_password(const char *text)
{
	static const char *const words[] = {
		"passwor", "kennwort", "mot de passe", "contrase", "senha", "wachtwoord", NULL};

	return has_word(text, words) && prompt_text_means_password(text);
}
