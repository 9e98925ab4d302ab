/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/check_view.h"
#include "common/text.h"
#include "report/format.h"

#define COLUMNS       7
#define WIDTH_DEFAULT 100
#define INDENT        6

/* One line of the table, cell by cell. */
struct row {
	char at[COLUMNS][192];
};

const char *check_fact(const struct hosts_entry *e, const char *key)
{
	for (const struct hosts_fact *f = e->facts; f != NULL; f = f->next) {
		if (f->fact.nic == NULL && strcmp(f->fact.key, key) == 0)
			return f->fact.value;
	}
	return NULL;
}

/* "key /root/.ssh/id_lab" -> "key id_lab" */
static void login_text(const char *login, char *out, size_t size)
{
	const char *slash = strrchr(login, '/');
	const char *blank = strchr(login, ' ');

	if (slash != NULL && blank != NULL && blank < slash)
		(void)snprintf(out, size, "%.*s %s", (int)(blank - login), login, slash + 1);
	else
		(void)snprintf(out, size, "%s", login);
}

/* The place without the agent's own folder there: its name is another each time. */
static void agent_text(const struct hosts_entry *e, char *out, size_t size)
{
	const char *slash = strrchr(e->info.folder, '/');

	(void)snprintf(out, size, "%s %s%s in %.*s", e->info.agent_version, e->info.arch,
	               strcmp(e->info.origin, "compiled") == 0 ? " compiled there" : "",
	               slash == NULL || slash == e->info.folder ? 1 : (int)(slash - e->info.folder),
	               e->info.folder);
}

/* What a host says of itself, without what could drive a terminal. */
static void clean_text(const char *said, char *out, size_t size)
{
	struct text t = {0};

	format_add_clean(&t, said);
	(void)snprintf(out, size, "%s", text_str(&t));
	text_done(&t);
}

static void fill_row(const struct check *check, const struct hosts_entry *e, struct row *row)
{
	const char *os = check_fact(e, "os.version");
	size_t reached;
	size_t all;

	memset(row, 0, sizeof(*row));
	for (int i = 1; i < COLUMNS; i++)
		(void)snprintf(row->at[i], sizeof(row->at[i]), "-");
	(void)snprintf(row->at[0], sizeof(row->at[0]), "%s", e->host->name);
	if (e->info.address[0] != '\0')
		(void)snprintf(row->at[1], sizeof(row->at[1]), "%s", e->info.address);
	if (e->info.login[0] != '\0')
		login_text(e->info.login, row->at[2], sizeof(row->at[2]));
	if (e->state != HOSTS_READY)
		return;
	if (os == NULL)
		os = check_fact(e, "os.name");
	agent_text(e, row->at[3], sizeof(row->at[3]));
	if (os != NULL)
		clean_text(os, row->at[4], sizeof(row->at[4]));
	check_count_probes(check, e->host, &reached, &all);
	if (all > 0)
		(void)snprintf(row->at[5], sizeof(row->at[5]), "%zu of %zu", reached, all);
	(void)snprintf(row->at[6], sizeof(row->at[6]), "%+.3f s",
	               (double)e->info.clock_offset_us / 1e6);
}

static void print_row(FILE *out, const struct row *row, const size_t width[COLUMNS])
{
	for (int c = 0; c < COLUMNS; c++) {
		size_t len = format_width(row->at[c]);

		(void)fprintf(out, "%s%*s%s", row->at[c],
		              c == COLUMNS - 1 || len > width[c] ? 0 : (int)(width[c] - len), "",
		              c == COLUMNS - 1 ? "\n" : "  ");
	}
}

/* ---- what stands below a host's line ---- */

/* Phrases with commas between them, a new line before one that would pass the edge. */
struct phrases {
	FILE *out;
	size_t width, column; /* column 0: none came yet */
};

static void add_phrase(struct phrases *p, const struct text *phrase)
{
	size_t len = format_width(text_str(phrase));

	if (len == 0)
		return;
	if (p->column > 0 && p->column + len + 3 > p->width) {
		(void)fputs(",\n", p->out);
		p->column = 0;
	} else if (p->column > 0) {
		(void)fputs(", ", p->out);
		p->column += 2;
	}
	if (p->column == 0) {
		(void)fprintf(p->out, "%*s", INDENT, "");
		p->column = INDENT;
	}
	(void)fputs(text_str(phrase), p->out);
	p->column += len;
}

static void end_phrases(struct phrases *p)
{
	if (p->column > 0)
		(void)fputc('\n', p->out);
}

static void add_privilege(struct text *t, const struct survey *s)
{
	static const char *const words[] = {
		[PRIVILEGE_UNKNOWN] = "",
		[PRIVILEGE_ROOT] = "as root",
		[PRIVILEGE_SUDO] = "sudo without a password",
		[PRIVILEGE_SUDO_PASSWORD] = "sudo asks for a password",
		[PRIVILEGE_NONE] = "no way to be root",
	};

	text_add(t, words[s->privilege]);
	if (s->privilege == PRIVILEGE_NONE && s->privilege_why[0] != '\0') {
		text_add(t, ": ");
		format_add_clean(t, s->privilege_why);
	}
}

static void add_noise(struct text *t, const struct deploy_noise *n)
{
	if (n->out_bytes + n->err_bytes == 0)
		return;
	text_add(t, "its shell says ");
	if (n->out_bytes > 0)
		text_printf(t, "%llu bytes", (unsigned long long)n->out_bytes);
	if (n->err_bytes > 0)
		text_printf(t, "%s%llu bytes on stderr", n->out_bytes > 0 ? " and " : "",
		            (unsigned long long)n->err_bytes);
	text_add(t, " of its own");
	if (n->first[0] == '\0')
		return;
	text_add(t, ": \"");
	format_add_clean(t, n->first);
	text_add(t, "\"");
}

static void add_firewall(struct text *t, const struct firewall *w)
{
	if (w->kind == FIREWALL_NONE)
		text_add(t, "no firewall");
	else if (w->kind != FIREWALL_UNKNOWN)
		text_printf(t, "%s is on", firewall_name(w->kind));
	else if (w->closed[0] != '\0')
		text_printf(t, "%s cannot be read", w->closed);
}

/* "vmk1 from pc1.eth1, vm11.vmx0" */
static void add_partners(struct text *t, const struct check *check, const struct nic *listener)
{
	size_t n = 0;

	for (size_t i = 0; i < check->probe_count; i++) {
		const struct check_probe *p = &check->probes[i];

		if (p->listener != listener || p->answer != CHECK_REACHED)
			continue;
		if (n++ == 0)
			text_printf(t, "port of %s reached from ", listener->name);
		text_printf(t, "%s%s.%s", n > 1 ? " " : "", p->connector->host->name,
		            p->connector->name);
	}
}

/* Says one phrase and forgets it. */
static void say(struct phrases *p, struct text *t)
{
	add_phrase(p, t);
	text_clear(t);
}

static void print_details(const struct check_view *v, FILE *out, const struct hosts_entry *e)
{
	struct phrases p = {.out = out, .width = v->width == 0 ? WIDTH_DEFAULT : v->width};
	const char *kernel = check_fact(e, "os.kernel");
	struct text t = {0};

	if (e->info.config[0] != '\0' && strcmp(e->info.config, "-") != 0)
		text_printf(&t, "settings of %s", e->info.config);
	say(&p, &t);
	text_add(&t, e->info.host_key);
	say(&p, &t);
	add_privilege(&t, &e->info.survey);
	say(&p, &t);
	if (kernel != NULL)
		text_add(&t, "kernel ");
	if (kernel != NULL)
		format_add_clean(&t, kernel);
	say(&p, &t);
	add_firewall(&t, &e->info.survey.firewall);
	say(&p, &t);
	add_noise(&t, &e->info.noise);
	say(&p, &t);
	for (const struct hosts_nic *n = e->nics; n != NULL; n = n->next) {
		add_partners(&t, v->check, n->nic);
		say(&p, &t);
	}
	end_phrases(&p);
	text_done(&t);
}

/* A remedy that several problems of a host share comes once, after the last of them. */
static void print_problems(const struct check_view *v, FILE *out, size_t host)
{
	const struct check_problems *all = v->problems;

	for (size_t i = 0; i < all->count; i++) {
		const struct check_problem *p = &all->at[i];
		const struct check_problem *next = i + 1 < all->count ? p + 1 : NULL;

		if (p->host != host)
			continue;
		if (p->same_as != NULL) {
			(void)fprintf(out, "  %s: the same as %s\n",
			              v->check->hosts.at[host].host->name, p->same_as);
			continue;
		}
		(void)fprintf(out, "  %s%s\n", p->is_warning ? "note: " : "", p->text);
		if (p->remedy != NULL &&
		    (next == NULL || next->host != host || next->remedy == NULL ||
		     strcmp(next->remedy, p->remedy) != 0))
			(void)fprintf(out, "    -> %s\n", p->remedy);
	}
}

static void print_cells(FILE *out, const struct check_cells *cells)
{
	(void)fprintf(out, "%zu of %zu cells can be measured\n", cells->open, cells->all);
	if (cells->choice > 0)
		(void)fprintf(out, "%zu will be skipped: %s\n", cells->choice,
		              cells->choice_reason);
}

void check_print_text(FILE *out, const struct check_view *v)
{
	static const struct row head = {
		{"host", "address", "login", "agent", "system", "data port", "clock"}};
	const struct hosts *hosts = &v->check->hosts;
	size_t width[COLUMNS];
	struct row row;

	for (int c = 0; c < COLUMNS; c++)
		width[c] = strlen(head.at[c]);
	for (size_t h = 0; h < hosts->topology->host_count; h++) {
		if (hosts->at[h].state == HOSTS_UNUSED)
			continue;
		fill_row(v->check, &hosts->at[h], &row);
		for (int c = 0; c < COLUMNS; c++) {
			if (format_width(row.at[c]) > width[c])
				width[c] = format_width(row.at[c]);
		}
	}
	print_row(out, &head, width);
	for (size_t h = 0; h < hosts->topology->host_count; h++) {
		if (hosts->at[h].state == HOSTS_UNUSED)
			continue;
		fill_row(v->check, &hosts->at[h], &row);
		print_row(out, &row, width);
		print_details(v, out, &hosts->at[h]);
		print_problems(v, out, h);
	}
	if (v->cells != NULL)
		print_cells(out, v->cells);
}
