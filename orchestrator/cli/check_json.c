/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "cli/check_view.h"
#include "common/json.h"
#include "common/text.h"

static const char *or_null(const char *s)
{
	return s[0] == '\0' ? NULL : s;
}

static void add_noise(struct json *j, const struct deploy_noise *n)
{
	if (!n->is_known) {
		json_null(j, "shell_noise");
		return;
	}
	json_object_begin(j, "shell_noise");
	json_uint(j, "stdout_bytes", n->out_bytes);
	json_uint(j, "stdout_lines", n->out_lines);
	json_uint(j, "stderr_bytes", n->err_bytes);
	json_uint(j, "stderr_lines", n->err_lines);
	json_str(j, "first_line", or_null(n->first));
	json_object_end(j);
}

static void add_agent(struct json *j, const struct link_info *info)
{
	if (info->agent_version[0] == '\0') {
		json_null(j, "agent");
		return;
	}
	json_object_begin(j, "agent");
	json_str(j, "version", info->agent_version);
	json_str(j, "platform", or_null(info->platform));
	json_str(j, "arch", or_null(info->arch));
	json_str(j, "sha256", or_null(info->agent_sha256));
	json_str(j, "origin", or_null(info->origin));
	json_str(j, "folder", or_null(info->folder));
	json_object_end(j);
}

static void add_firewall(struct json *j, const struct firewall *w, const struct topology *topo)
{
	struct text opens = {0};

	firewall_add_remedy(&opens, w, topo->port_min, topo->port_max);
	json_object_begin(j, "firewall");
	json_str(j, "name", firewall_name(w->kind));
	json_str(j, "chain", or_null(w->chain));
	json_str(j, "cannot_read", or_null(w->closed));
	json_str(j, "open_with", or_null(text_str(&opens)));
	json_object_end(j);
	text_done(&opens);
}

/* What the agent told of the machine, and what the preflight alone asks for. */
static void add_facts(struct json *j, const struct hosts_entry *e)
{
	json_object_begin(j, "facts");
	for (const struct hosts_fact *f = e->facts; f != NULL; f = f->next) {
		if (f->fact.nic == NULL)
			json_str(j, f->fact.key, f->fact.value);
	}
	json_str(j, "login.privilege", privilege_name(e->info.survey.privilege));
	json_object_end(j);
}

static void add_nic(struct json *j, const struct hosts_entry *e, const struct hosts_nic *n)
{
	json_object_begin(j, NULL);
	json_str(j, "name", n->nic->name);
	json_str(j, "ip", topology_nic_address(n->nic, 0));
	json_bool(j, "known", n->is_known);
	json_str(j, "error", or_null(n->problem));
	json_object_begin(j, "facts");
	for (const struct hosts_fact *f = e->facts; f != NULL; f = f->next) {
		if (f->fact.nic != NULL && strcmp(f->fact.nic, n->nic->name) == 0)
			json_str(j, f->fact.key, f->fact.value);
	}
	json_object_end(j);
	json_object_end(j);
}

static void add_host(struct json *j, const struct check_view *v, const struct hosts_entry *e)
{
	const struct link_info *info = &e->info;

	json_object_begin(j, NULL);
	json_str(j, "host", e->host->name);
	json_bool(j, "ready", e->state == HOSTS_READY);
	json_str(j, "error", e->state == HOSTS_GONE ? e->why.msg : NULL);
	json_str(j, "config", or_null(info->config));
	json_str(j, "address", or_null(info->address));
	json_str(j, "host_key", or_null(info->host_key));
	json_str(j, "login", or_null(info->login));
	json_str(j, "privilege_problem", or_null(info->survey.privilege_why));
	add_noise(j, &info->noise);
	add_agent(j, info);
	if (info->stage == LINK_STAGE_UP)
		json_int(j, "clock_offset_us", info->clock_offset_us);
	else
		json_null(j, "clock_offset_us");
	add_firewall(j, &info->survey.firewall, v->check->hosts.topology);
	add_facts(j, e);
	json_list_begin(j, "nics");
	for (const struct hosts_nic *n = e->nics; n != NULL; n = n->next)
		add_nic(j, e, n);
	json_list_end(j);
	json_object_end(j);
}

static void add_nic_name(struct json *j, const char *key, const struct nic *nic)
{
	struct text name = {0};

	text_printf(&name, "%s.%s", nic->host->name, nic->name);
	json_str(j, key, text_str(&name));
	text_done(&name);
}

static void add_probe(struct json *j, const struct check_probe *p)
{
	static const char *const answers[] = {
		[CHECK_UNTRIED] = "untried", [CHECK_REACHED] = "reached",
		[CHECK_REFUSED] = "refused", [CHECK_DROPPED] = "dropped",
		[CHECK_FAILED] = "failed",
	};

	json_object_begin(j, NULL);
	add_nic_name(j, "from", p->connector);
	add_nic_name(j, "to", p->listener);
	json_str(j, "answer", answers[p->answer]);
	json_real(j, "rtt_us", p->rtt_base_us);
	json_str(j, "error", or_null(p->reason));
	json_object_end(j);
}

static void add_problem(struct json *j, const struct check_view *v, const struct check_problem *p)
{
	json_object_begin(j, NULL);
	json_str(j, "host", v->check->hosts.at[p->host].host->name);
	json_str(j, "level", p->is_warning ? "warning" : "error");
	json_str(j, "text", p->text);
	json_str(j, "remedy", p->remedy);
	json_object_end(j);
}

void check_print_json(FILE *out, const struct check_view *v)
{
	const struct hosts *hosts = &v->check->hosts;
	struct text text = {0};
	struct json j = {.out = &text};

	json_object_begin(&j, NULL);
	json_str(&j, "lab", hosts->topology->name);
	json_list_begin(&j, "hosts");
	for (size_t h = 0; h < hosts->topology->host_count; h++) {
		if (hosts->at[h].state != HOSTS_UNUSED)
			add_host(&j, v, &hosts->at[h]);
	}
	json_list_end(&j);
	json_list_begin(&j, "data_ports");
	for (size_t i = 0; i < v->check->probe_count; i++)
		add_probe(&j, &v->check->probes[i]);
	json_list_end(&j);
	json_list_begin(&j, "problems");
	for (size_t i = 0; i < v->problems->count; i++)
		add_problem(&j, v, &v->problems->at[i]);
	json_list_end(&j);
	if (v->cells != NULL) {
		json_object_begin(&j, "cells");
		json_uint(&j, "planned", v->cells->all);
		json_uint(&j, "measurable", v->cells->open);
		json_uint(&j, "skipped_by_choice", v->cells->choice);
		json_uint(&j, "blocked", v->cells->fault);
		json_object_end(&j);
	}
	json_object_end(&j);
	(void)fprintf(out, "%s\n", text_str(&text));
	text_done(&text);
}
