/* SPDX-License-Identifier: MIT */
/* base64.h - bytes to and from base64 (RFC 4648 section 4), as OpenSSH writes keys. */
#ifndef REMOTE_BASE64_H
#define REMOTE_BASE64_H

#include <stdbool.h>
#include <stddef.h>

#include "common/attr.h"

/* Room for the text of `bytes` bytes, without padding, and a NUL. */
#define BASE64_TEXT_BYTES(bytes) (((bytes)*4 + 2) / 3 + 1)

/* Writes no padding: fingerprints carry none. */
void base64_format(const void *data, size_t len, char *out);

/*
 * Decodes text[0..len), with or without padding, into out. False on a foreign
 * character, a wrong length, or when it takes more than room bytes; *out_len is
 * then untouched.
 */
bool base64_parse(const char *text, size_t len, void *out, size_t room, size_t *out_len) NODISCARD;

#endif
