/* SPDX-License-Identifier: MIT */
#include "remote/key_blob.h"

#include <stdint.h>
#include <string.h>

#include "remote/base64.h"

#define CERTIFICATE_END "-cert-v01@openssh.com"
#define VENDOR_END      "@openssh.com"

struct part {
	const unsigned char *at;
	size_t len;
};

/* Moves *from on behind an SSH string; false when it is cut off. */
static bool take(struct part *from, struct part *out)
{
	size_t n;

	if (from->len < 4)
		return false;
	n = (size_t)from->at[0] << 24 | (size_t)from->at[1] << 16 | (size_t)from->at[2] << 8 |
	    from->at[3];
	if (n > from->len - 4)
		return false;
	*out = (struct part){from->at + 4, n};
	from->at += 4 + n;
	from->len -= 4 + n;
	return true;
}

static bool ends_with(struct part p, const char *end)
{
	size_t len = strlen(end);

	return p.len >= len && memcmp(p.at + p.len - len, end, len) == 0;
}

static bool begins_with(struct part p, const char *begin)
{
	size_t len = strlen(begin);

	return p.len >= len && memcmp(p.at, begin, len) == 0;
}

/* The type; *rest is what follows it. */
static bool split(struct key_blob blob, struct part *type, struct part *rest)
{
	*rest = (struct part){blob.at, blob.len};
	return take(rest, type) && type->len > 0;
}

bool key_blob_is_certificate(struct key_blob blob)
{
	struct part type;
	struct part rest;

	return split(blob, &type, &rest) && ends_with(type, CERTIFICATE_END);
}

bool key_blob_is_security_key(struct key_blob blob)
{
	struct part type;
	struct part rest;

	return split(blob, &type, &rest) && begins_with(type, "sk-");
}

bool key_blob_equal(struct key_blob a, struct key_blob b)
{
	return a.len > 0 && a.len == b.len && memcmp(a.at, b.at, a.len) == 0;
}

/* "ssh-ed25519" of "ssh-ed25519-cert-v01@openssh.com", "sk-ssh-ed25519" of both
 * "sk-ssh-ed25519@openssh.com" and its certificate. */
static size_t stem(struct part type)
{
	if (ends_with(type, CERTIFICATE_END))
		return type.len - strlen(CERTIFICATE_END);
	return ends_with(type, VENDOR_END) ? type.len - strlen(VENDOR_END) : type.len;
}

bool key_blob_certifies(struct key_blob certificate, struct key_blob key)
{
	struct part type;
	struct part rest;
	struct part key_type;
	struct part fields;
	struct part nonce;

	if (!key_blob_is_certificate(certificate) || key_blob_is_certificate(key) ||
	    !split(certificate, &type, &rest) || !split(key, &key_type, &fields) ||
	    stem(type) != stem(key_type) || memcmp(type.at, key_type.at, stem(type)) != 0)
		return false;
	/* After a nonce the certificate has the key's own fields. */
	return take(&rest, &nonce) && fields.len > 0 && rest.len > fields.len &&
	       memcmp(rest.at, fields.at, fields.len) == 0;
}

bool key_blob_parse_file(const char *text, size_t len, unsigned char room[KEY_BLOB_BYTES],
                         struct key_blob *out)
{
	static const char blanks[] = " \t\r\n";
	struct part type;
	struct part rest;
	size_t type_len;
	size_t blob_len;
	const char *blob;

	if (memchr(text, '\0', len) != NULL)
		return false;
	while (*text == '#' || (*text != '\0' && strchr(blanks, *text) != NULL))
		text += *text == '#' ? strcspn(text, "\n") : 1;
	type_len = strcspn(text, blanks);
	blob = text + type_len;
	blob += strspn(blob, " \t");
	if (!base64_parse(blob, strcspn(blob, blanks), room, KEY_BLOB_BYTES, &blob_len))
		return false;
	*out = (struct key_blob){room, blob_len};
	return split(*out, &type, &rest) && type.len == type_len &&
	       memcmp(type.at, text, type_len) == 0 && rest.len > 0;
}
