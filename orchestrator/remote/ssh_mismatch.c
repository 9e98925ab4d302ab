/* SPDX-License-Identifier: MIT */
#include "remote/ssh_mismatch.h"

#include <string.h>

#define LIST_MAX 150 /* characters of each list: the host's and the beginning of ours */

static const struct {
	const char *said; /* libssh's name of it begins so */
	const char *what;
	const char *keyword; /* of ssh_config */
} kinds[] = {
	{"server host key", "kind of host key", "HostKeyAlgorithms"},
	{"kex", "key exchange", "KexAlgorithms"},
	{"encryption", "cipher", "Ciphers"},
	{"mac", "message authentication code", "MACs"},
	{"compression", "compression", "Compression"},
};

struct list {
	const char *at;
	int len;
};

/* "name [a,b]" behind *at. */
static bool take_list(const char *text, const char *name, struct list *out)
{
	const char *at = strstr(text, name);

	if (at == NULL)
		return false;
	out->at = at + strlen(name);
	out->len = (int)strcspn(out->at, "]");
	if (out->len > LIST_MAX)
		out->len = LIST_MAX;
	return true;
}

/* What to add to the keyword: the first that the host has. */
static struct list first_of(struct list list)
{
	int len = 0;

	while (len < list.len && list.at[len] != ',')
		len++;
	return (struct list){list.at, len};
}

bool ssh_mismatch_explain(const char *said, struct err *err)
{
	static const char begin[] = "no match for method ";
	const char *at = strstr(said, begin);
	struct list theirs;
	struct list ours;
	size_t kind = 0;

	if (at == NULL || !take_list(at, "server [", &theirs) || !take_list(at, "client [", &ours))
		return false;
	at += strlen(begin);
	while (kind < COUNT_OF(kinds) &&
	       strncmp(at, kinds[kind].said, strlen(kinds[kind].said)) != 0)
		kind++;
	if (kind == COUNT_OF(kinds))
		return false;
	(void)err_set(err, ERR_REMOTE,
	              "no %s in common: the host has %.*s, vnm takes %.*s: if that is good enough "
	              "for this host, say `%s +%.*s` in ssh_config, else set `transport: openssh`",
	              kinds[kind].what, theirs.len, theirs.at, ours.len, ours.at,
	              kinds[kind].keyword, first_of(theirs).len, theirs.at);
	return true;
}
