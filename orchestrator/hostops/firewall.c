/* SPDX-License-Identifier: MIT */
#include "hostops/firewall.h"

#include <stdio.h>
#include <string.h>

#define RULESET_BYTES_MAX "400000"

/*
 * $S runs a command as root, or is "no". nft and iptables ask the kernel, which may load
 * the module of that name for it: so they run only where it is there already.
 */
static const char probe_script[] =
	"fw() { echo \"$m fw $*\"; }; "
	"mark() { sed \"s/^/$m fw $1 /\"; }; "
	"has() { command -v $1 >/dev/null 2>&1; }; "
	"echo; "
	"if has esxcli; then esxcli network firewall get 2>&1 </dev/null | mark esxi; fi; "
	"if grep -q -s \"^ENABLED=yes\" /etc/ufw/ufw.conf && has ufw; then "
	"if test \"$S\" = no; then fw ufw active; "
	"else $S ufw status 2>/dev/null </dev/null | sed -n \"s/^Status: /$m fw ufw /p\"; fi; fi; "
	"if has firewall-cmd; then "
	"s=$(firewall-cmd --state 2>/dev/null </dev/null); fw firewalld $s; fi; "
	"k=; if grep -q -s \"^nf_tables \" /proc/modules || "
	"grep -q -s nft_do_chain /proc/kallsyms; then k=nft; fi; "
	"v=; if has iptables; then v=$(iptables -V 2>/dev/null </dev/null); fi; "
	"if test \"$k\" = nft; then "
	"if test \"$S\" = no; then fw closed nftables; "
	"elif has nft; then $S nft list ruleset 2>&1 </dev/null | head -c " RULESET_BYTES_MAX
	" | mark nft; "
	"else case $v in *nf_tables*) $S iptables -S 2>&1 </dev/null | mark iptables ;; "
	"*) fw closed nftables ;; esac; fi; fi; "
	"if test -e /proc/net/ip_tables_names; then case $v in *nf_tables*|\"\") ;; "
	"*) if test \"$S\" = no; then fw closed iptables; "
	"else $S iptables -S 2>&1 </dev/null | mark iptables; fi ;; esac; fi; "
	"if has kldstat && kldstat -q -m pf; then "
	"if test \"$S\" = no; then fw closed pf; "
	"else $S pfctl -s info 2>/dev/null </dev/null | sed -n \"s/^Status: /$m fw pf /p\"; fi; "
	"fi; "
	"if has kldstat && kldstat -q -m ipfw; then "
	"fw ipfw $(sysctl -n net.inet.ip.fw.enable 2>/dev/null); fi; "
	"fw end; ";

/* In the order in which they are named: the first two own rules of the next ones. */
static const char *const names[] = {
	[FIREWALL_UNKNOWN] = NULL,
	[FIREWALL_NONE] = "none",
	[FIREWALL_UFW] = "ufw",
	[FIREWALL_FIREWALLD] = "firewalld",
	[FIREWALL_ESXI] = "the ESXi firewall",
	[FIREWALL_NFTABLES] = "nftables",
	[FIREWALL_IPTABLES] = "iptables",
	[FIREWALL_PF] = "pf",
	[FIREWALL_IPFW] = "ipfw",
};

const char *firewall_name(enum firewall_kind kind)
{
	return names[kind];
}

void firewall_add_probe(struct text *script)
{
	text_add(script, probe_script);
}

/* The rest of `s` after `word` and blanks, or NULL when it does not begin so. */
static const char *after(const char *s, const char *word)
{
	size_t len = strlen(word);

	if (strncmp(s, word, len) != 0 || (s[len] != ' ' && s[len] != '\0'))
		return NULL;
	return s + len + strspn(s + len, " ");
}

static bool is_word_end(char c)
{
	return c == '\0' || strchr(" ;{},", c) != NULL;
}

/* The first place before `end` where the line holds this word, or NULL. */
static const char *find_word(const char *line, const char *end, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = strstr(line, word); at != NULL && at < end;
	     at = strstr(at + 1, word)) {
		if ((at == line || is_word_end(at[-1])) && is_word_end(at[len]))
			return at;
	}
	return NULL;
}

/* A name that is shown in a command to be typed: what a shell would read is left out. */
static void copy_name(char *out, size_t room, const char *name)
{
	static const char good[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789_-./ ";
	size_t len = strcspn(name, "{");
	size_t n = 0;

	while (len > 0 && name[len - 1] == ' ')
		len--;
	for (size_t i = 0; i < len && n + 1 < room; i++) {
		if (strchr(good, name[i]) != NULL)
			out[n++] = name[i];
	}
	out[n] = '\0';
}

/* A table of nftables, or all of iptables, has come. */
static void end_table(struct firewall_reader *r)
{
	if (firewall_chains_refuses(&r->chains)) {
		if (r->is_of_iptables)
			r->seen[FIREWALL_IPTABLES] = true;
		else if (r->seen[FIREWALL_NFTABLES])
			r->out->others++;
		else
			(void)snprintf(r->out->chain, sizeof(r->out->chain), "%s %s", r->table,
			               r->entry);
		r->seen[FIREWALL_NFTABLES] = r->seen[FIREWALL_NFTABLES] || !r->is_of_iptables;
	}
	memset(&r->chains, 0, sizeof(r->chains));
	r->table[0] = r->chain[0] = r->entry[0] = '\0';
	r->is_of_iptables = false;
}

/* "... vmap { lo : accept, eth0 : jump lan }" has one, other rules have one at their end. */
static void read_jumps(struct firewall_reader *r, const char *line, const char *end,
                       const char *verb)
{
	const char *at = line;

	while ((at = find_word(at, end, verb)) != NULL) {
		const char *to = at + strlen(verb) + strspn(at + strlen(verb), " ");

		firewall_chains_jump(&r->chains, r->chain, strlen(r->chain), to,
		                     strcspn(to, " ;{},"));
		at += strlen(verb);
	}
}

static void read_nft_rule(struct firewall_reader *r, const char *line)
{
	const char *end = strstr(line, "comment \"");

	if (end == NULL)
		end = line + strlen(line);
	if (strstr(line, "hook input") != NULL || strstr(line, "hook ingress") != NULL ||
	    strstr(line, "hook prerouting") != NULL) {
		firewall_chains_entry(&r->chains, r->chain, strlen(r->chain));
		if (r->entry[0] == '\0')
			memcpy(r->entry, r->chain, sizeof(r->entry));
	}
	if (find_word(line, end, "drop") != NULL || find_word(line, end, "reject") != NULL)
		firewall_chains_refuse(&r->chains, r->chain, strlen(r->chain));
	read_jumps(r, line, end, "jump");
	read_jumps(r, line, end, "goto");
}

static void read_nft(struct firewall_reader *r, const char *line)
{
	const char *rest;

	line += strspn(line, " \t");
	if ((rest = after(line, "table")) != NULL) {
		end_table(r);
		copy_name(r->table, sizeof(r->table), rest);
		r->is_of_iptables = r->is_next_of_iptables;
		r->is_next_of_iptables = false;
	} else if (line[0] == '#') {
		r->is_next_of_iptables = strstr(line, "managed by iptables") != NULL;
	} else if (strstr(line, "you must be root") != NULL ||
	           strstr(line, "Operation not permitted") != NULL) {
		(void)snprintf(r->out->closed, sizeof(r->out->closed), "nftables");
		r->out->is_refused = true;
	} else if ((rest = after(line, "chain")) != NULL) {
		copy_name(r->chain, sizeof(r->chain), rest);
	} else if (r->table[0] != '\0' && r->chain[0] != '\0') {
		read_nft_rule(r, line);
	}
}

/* `iptables -S`: "-P INPUT DROP", "-N CHAIN", "-A INPUT ... -j TARGET". */
static void read_iptables(struct firewall_reader *r, const char *line)
{
	static const char input[] = "INPUT";
	const char *chain = after(line, "-P");
	const char *target;

	if (chain == NULL)
		chain = after(line, "-N");
	if (chain == NULL)
		chain = after(line, "-A");
	if (chain == NULL) {
		(void)snprintf(r->out->closed, sizeof(r->out->closed), "iptables");
		r->out->is_refused = true;
		return;
	}
	if (r->table[0] != '\0')
		end_table(r);
	r->is_of_iptables = true;
	firewall_chains_entry(&r->chains, input, sizeof(input) - 1);
	if (line[1] == 'P' && after(chain, input) != NULL && after(chain, "INPUT ACCEPT") == NULL)
		firewall_chains_refuse(&r->chains, input, sizeof(input) - 1);
	target = strstr(line, " -j ");
	if (target == NULL)
		target = strstr(line, " -g ");
	if (line[1] != 'A' || target == NULL)
		return;
	target += 4;
	if (after(target, "DROP") != NULL || after(target, "REJECT") != NULL)
		firewall_chains_refuse(&r->chains, chain, strcspn(chain, " "));
	else
		firewall_chains_jump(&r->chains, chain, strcspn(chain, " "), target,
		                     strcspn(target, " "));
}

static void read_esxi(struct firewall_reader *r, const char *line)
{
	const char *rest;

	line += strspn(line, " \t");
	rest = after(line, "Enabled:");
	if (rest != NULL)
		r->is_esxi_on = strcmp(rest, "true") == 0;
	rest = after(line, "Default Action:");
	if (rest != NULL)
		r->is_esxi_pass = strcmp(rest, "PASS") == 0;
}

void firewall_read(struct firewall_reader *r, const char *said)
{
	const char *rest;

	if ((rest = after(said, "nft")) != NULL)
		read_nft(r, rest);
	else if ((rest = after(said, "iptables")) != NULL)
		read_iptables(r, rest);
	else if ((rest = after(said, "esxi")) != NULL)
		read_esxi(r, rest);
	else if ((rest = after(said, "ufw")) != NULL)
		r->seen[FIREWALL_UFW] = strcmp(rest, "active") == 0;
	else if ((rest = after(said, "firewalld")) != NULL)
		r->seen[FIREWALL_FIREWALLD] = strcmp(rest, "running") == 0;
	else if ((rest = after(said, "pf")) != NULL)
		r->seen[FIREWALL_PF] = after(rest, "Enabled") != NULL;
	else if ((rest = after(said, "ipfw")) != NULL)
		r->seen[FIREWALL_IPFW] = strcmp(rest, "1") == 0;
	else if ((rest = after(said, "closed")) != NULL)
		copy_name(r->out->closed, sizeof(r->out->closed), rest);
	else if (after(said, "end") != NULL)
		r->is_ended = true;
}

void firewall_read_end(struct firewall_reader *r)
{
	enum firewall_kind kind = FIREWALL_UFW;

	end_table(r);
	r->seen[FIREWALL_ESXI] = r->is_esxi_on && !r->is_esxi_pass;
	while (kind <= FIREWALL_IPFW && !r->seen[kind])
		kind++;
	if (kind <= FIREWALL_IPFW)
		r->out->kind = kind;
	else if (r->is_ended && r->out->closed[0] == '\0')
		r->out->kind = FIREWALL_NONE;
	if (r->out->kind != FIREWALL_NFTABLES) {
		r->out->chain[0] = '\0';
		r->out->others = 0;
	}
}

void firewall_add_remedy(struct text *out, const struct firewall *f, uint16_t port_min,
                         uint16_t port_max)
{
	unsigned a = port_min;
	unsigned b = port_max;

	switch (f->kind) {
	case FIREWALL_UNKNOWN:
	case FIREWALL_NONE:
		break;
	case FIREWALL_UFW:
		text_printf(out, "ufw allow %u:%u/tcp", a, b);
		break;
	case FIREWALL_FIREWALLD:
		text_printf(out, "firewall-cmd --add-port=%u-%u/tcp", a, b);
		break;
	case FIREWALL_ESXI:
		text_add(out, "esxcli network firewall set --enabled false");
		break;
	case FIREWALL_NFTABLES:
		text_printf(out, "nft insert rule %s tcp dport %u-%u accept", f->chain, a, b);
		break;
	case FIREWALL_IPTABLES:
		text_printf(out, "iptables -I INPUT -p tcp --dport %u:%u -j ACCEPT", a, b);
		break;
	case FIREWALL_PF:
		text_printf(out,
		            "add `pass in quick proto tcp to port %u:%u` to /etc/pf.conf, then "
		            "pfctl -f /etc/pf.conf",
		            a, b);
		break;
	case FIREWALL_IPFW:
		text_printf(out, "ipfw add 1 allow tcp from any to me dst-port %u-%u in", a, b);
		break;
	}
}
