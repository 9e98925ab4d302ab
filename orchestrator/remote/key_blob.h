/* SPDX-License-Identifier: MIT */
/*
 * key_blob.h - public keys and certificates as SSH writes them, as far as they have to be
 * told apart and compared. Pure.
 *
 * Formats: RFC 4253 section 6.6; OpenSSH's PROTOCOL.certkeys and PROTOCOL.u2f.
 */
#ifndef REMOTE_KEY_BLOB_H
#define REMOTE_KEY_BLOB_H

#include <stdbool.h>
#include <stddef.h>

#include "common/attr.h"

#define KEY_BLOB_BYTES 8192 /* an RSA key of 16384 bits in a certificate is smaller */

struct key_blob {
	const unsigned char *at;
	size_t len; /* 0: not known */
};

/*
 * The key of a .pub file: the first line "TYPE BASE64 comment" that is not empty or a comment.
 * text[len] is NUL.
 * False when it is damaged: not base64, cut off, or of another type than it says.
 */
bool key_blob_parse_file(const char *text, size_t len, unsigned char room[KEY_BLOB_BYTES],
                         struct key_blob *out) NODISCARD;

bool key_blob_equal(struct key_blob a, struct key_blob b) NODISCARD; /* both known */
bool key_blob_is_certificate(struct key_blob blob) NODISCARD;
bool key_blob_is_security_key(struct key_blob blob) NODISCARD; /* FIDO, or its certificate */

/* Is the certificate one of this key? */
bool key_blob_certifies(struct key_blob certificate, struct key_blob key) NODISCARD;

#endif
