/* SPDX-License-Identifier: MIT */
#include "cli/check_problem.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/text.h"

struct finder {
	const struct check *check;
	struct arena *arena;
	struct check_problems *out;
	size_t host;
};

/* Takes over what is in the texts; an empty remedy is none. */
static void add(struct finder *f, bool is_warning, struct text *text, struct text *remedy)
{
	f->out->at[f->out->count++] = (struct check_problem){
		.host = f->host,
		.is_warning = is_warning,
		.text = arena_strndup(f->arena, text_str(text), text->len),
		.remedy = remedy->len == 0 ? NULL
	                                   : arena_strndup(f->arena, text_str(remedy), remedy->len),
	};
	f->out->errors += !is_warning;
	text_done(text);
	text_done(remedy);
}

static bool begins_with_name(const char *s, const char *name)
{
	size_t len = strlen(name);

	return strncmp(s, name, len) == 0 && (s[len] == ':' || s[len] == ' ');
}

static const char *words_of(const struct hosts_entry *e)
{
	size_t len = strlen(e->host->name);
	bool has_name = begins_with_name(e->why.msg, e->host->name) && e->why.msg[len] == ':';

	return has_name ? e->why.msg + len + 1 + strspn(e->why.msg + len + 1, " ") : e->why.msg;
}

/* What this machine cannot do for several hosts is one fault; what they say is each one's own. */
static const char *find_same(const struct finder *f, const struct hosts_entry *e)
{
	const struct hosts *hosts = &f->check->hosts;

	if (e->why.kind != ERR_INPUT)
		return NULL;
	for (size_t h = 0; h < f->host; h++) {
		const struct hosts_entry *other = &hosts->at[h];

		if (other->state == HOSTS_GONE && other->why.kind == ERR_INPUT &&
		    strcmp(words_of(other), words_of(e)) == 0)
			return other->host->name;
	}
	return NULL;
}

static void find_gone(struct finder *f, const struct hosts_entry *e)
{
	struct text text = {0};
	struct text remedy = {0};

	if (!begins_with_name(e->why.msg, e->host->name))
		text_printf(&text, "%s: ", e->host->name);
	text_add(&text, e->why.msg);
	add(f, false, &text, &remedy);
	f->out->at[f->out->count - 1].same_as = find_same(f, e);
}

static void find_nics(struct finder *f, const struct hosts_entry *e)
{
	for (const struct hosts_nic *n = e->nics; n != NULL; n = n->next) {
		struct text text = {0};
		struct text remedy = {0};
		bool is_renamed = n->name[0] != '\0' && strcmp(n->name, n->nic->name) != 0;

		if (n->is_known && !is_renamed)
			continue;
		text_printf(&text, "%s.%s: ", e->host->name, n->nic->name);
		if (n->is_known)
			text_printf(&text,
			            "its address %s belongs to %s there; the name in the topology "
			            "is wrong",
			            topology_nic_address(n->nic, 0), n->name);
		else
			text_add(&text, n->problem[0] != '\0' ? n->problem
			                                      : "the agent does not know this NIC");
		add(f, n->is_known, &text, &remedy);
	}
}

/* "sudo ", unless the login is root. */
static const char *sudo_of(const struct hosts_entry *e)
{
	return e->info.survey.privilege == PRIVILEGE_ROOT ? "" : "sudo ";
}

/* What the listener's own firewall has to do with it. */
static void add_firewall_remedy(const struct finder *f, const struct hosts_entry *at,
                                const struct hosts_entry *from, struct text *out)
{
	const struct firewall *w = &at->info.survey.firewall;
	const struct firewall *other = &from->info.survey.firewall;
	const struct topology *topo = f->check->hosts.topology;
	bool is_root = at->info.survey.privilege == PRIVILEGE_ROOT ||
	               at->info.survey.privilege == PRIVILEGE_SUDO;

	if (w->kind == FIREWALL_UNKNOWN && w->closed[0] != '\0' && is_root && w->is_refused) {
		text_printf(
			out,
			"%s of %s may do it, but its rules are not shown to root there: is it a "
			"container? look at them from the machine that it runs on",
			w->closed, at->host->name);
	} else if (w->kind == FIREWALL_UNKNOWN && w->closed[0] != '\0' && is_root) {
		text_printf(out,
		            "%s of %s may do it, but no program there lists its rules: install "
		            "nftables or iptables there, and check again",
		            w->closed, at->host->name);
	} else if (w->kind == FIREWALL_UNKNOWN && w->closed[0] != '\0') {
		text_printf(
			out,
			"%s of %s may do it, but this login cannot look: log in as root, or let "
			"it use sudo without a password, and check again",
			w->closed, at->host->name);
	} else if (w->kind == FIREWALL_UNKNOWN) {
		text_printf(out, "the firewall of %s could not be looked at: is it that?",
		            at->host->name);
	} else if (w->kind == FIREWALL_NONE) {
		text_printf(out, "no firewall of %s does it: look at what is between the two%s%s%s",
		            at->host->name, other->kind > FIREWALL_NONE ? ", and at " : "",
		            other->kind > FIREWALL_NONE ? firewall_name(other->kind) : "",
		            other->kind > FIREWALL_NONE ? " of the other" : "");
	} else {
		text_printf(out, "%s of %s is on; to let the tests in: %s", firewall_name(w->kind),
		            at->host->name, w->kind == FIREWALL_PF ? "" : sudo_of(at));
		firewall_add_remedy(out, w, topo->port_min, topo->port_max);
		if (w->kind == FIREWALL_ESXI)
			text_add(out, " (and afterwards --enabled true)");
		if (w->others > 0)
			text_printf(out, "; %u more of its tables refuse too", w->others);
	}
}

static void find_port(struct finder *f, const struct hosts_entry *e, const struct check_probe *p)
{
	static const char *const how[] = {
		[CHECK_REFUSED] = "refused at once",
		[CHECK_DROPPED] = "silently dropped",
		[CHECK_FAILED] = "failed",
	};
	const struct hosts *hosts = &f->check->hosts;
	struct text text = {0};
	struct text remedy = {0};

	text_printf(&text, "%s.%s -> %s.%s: %s: %s", p->connector->host->name, p->connector->name,
	            e->host->name, p->listener->name, how[p->answer], p->reason);
	if (p->answer == CHECK_REFUSED || p->answer == CHECK_DROPPED)
		add_firewall_remedy(f, e, &hosts->at[hosts_index(hosts, p->connector->host)],
		                    &remedy);
	add(f, false, &text, &remedy);
}

static void find_ports(struct finder *f, const struct hosts_entry *e)
{
	for (size_t i = 0; i < f->check->probe_count; i++) {
		const struct check_probe *p = &f->check->probes[i];

		if (p->listener->host == e->host && p->answer != CHECK_UNTRIED &&
		    p->answer != CHECK_REACHED)
			find_port(f, e, p);
	}
}

static void find_clock(struct finder *f, const struct hosts_entry *e)
{
	int64_t us = e->info.clock_offset_us;
	struct text text = {0};
	struct text remedy = {0};
	const char *os = e->info.platform;

	if (us >= -CHECK_CLOCK_US && us <= CHECK_CLOCK_US)
		return;
	text_printf(&text,
	            "%s: its clock is %.1f s %s this machine's: figures are not affected, but its "
	            "logs tell other times",
	            e->host->name, (double)(us < 0 ? -us : us) / 1e6,
	            us < 0 ? "behind" : "ahead of");
	text_add(&remedy, "let both follow NTP: ");
	if (strcmp(os, "esxi") == 0)
		text_add(&remedy, "esxcli system ntp set --server=pool.ntp.org --enabled=true");
	else if (strcmp(os, "freebsd") == 0)
		text_printf(&remedy, "%ssysrc ntpd_enable=YES; %sservice ntpd start", sudo_of(e),
		            sudo_of(e));
	else
		text_printf(&remedy, "%stimedatectl set-ntp true", sudo_of(e));
	add(f, true, &text, &remedy);
}

/* It can be measured, but not in all that the plan asks for. */
static void find_lacks(struct finder *f, const struct hosts_entry *e)
{
	for (size_t i = 0; i < f->check->lack_count; i++) {
		const struct check_lack *l = &f->check->lacks[i];
		struct text text = {0};
		struct text remedy = {0};

		if (l->host != e->host)
			continue;
		text_printf(&text, "%s: %zu cell%s will be skipped", l->reason, l->cells,
		            l->cells == 1 ? "" : "s");
		add(f, true, &text, &remedy);
	}
}

/* No host has more than these. */
static size_t room_for(const struct check *check)
{
	size_t room =
		check->probe_count + check->lack_count + 2 * check->hosts.topology->host_count;

	for (size_t h = 0; h < check->hosts.topology->host_count; h++) {
		for (const struct hosts_nic *n = check->hosts.at[h].nics; n != NULL; n = n->next)
			room++;
	}
	return room;
}

struct check_problems check_find_problems(const struct check *check, struct arena *arena)
{
	struct check_problems out = {.count = 0};
	struct finder f = {.check = check, .arena = arena, .out = &out};

	out.at = arena_alloc(arena, room_for(check), sizeof(*out.at));
	for (f.host = 0; f.host < check->hosts.topology->host_count; f.host++) {
		const struct hosts_entry *e = &check->hosts.at[f.host];

		if (e->state == HOSTS_GONE) {
			find_gone(&f, e);
		} else if (e->state == HOSTS_READY) {
			find_nics(&f, e);
			find_ports(&f, e);
			find_lacks(&f, e);
			find_clock(&f, e);
		}
	}
	return out;
}
