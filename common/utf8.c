/* SPDX-License-Identifier: MIT */
#include "common/utf8.h"

#include "common/attr.h"

size_t utf8_length(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	static const struct {
		unsigned char first_min, first_max, second_min, second_max;
		size_t length;
	} forms[] = {
		{0x00, 0x7f, 0x00, 0x00, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2},
		{0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3},
		{0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
		{0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4},
		{0xf4, 0xf4, 0x80, 0x8f, 4},
	};

	for (size_t i = 0; i < COUNT_OF(forms); i++) {
		if (s[0] < forms[i].first_min || s[0] > forms[i].first_max)
			continue;
		if (forms[i].length == 1)
			return 1;
		if (s[1] < forms[i].second_min || s[1] > forms[i].second_max)
			return 0;
		for (size_t n = 2; n < forms[i].length; n++) {
			if (s[n] < 0x80 || s[n] > 0xbf)
				return 0;
		}
		return forms[i].length;
	}
	return 0;
}
