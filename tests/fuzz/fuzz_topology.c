/* SPDX-License-Identifier: MIT */
/*
 * A topology file. Whatever it is, it is refused with a place and a text that
 * can be printed, or it is a topology that holds together and whose names are
 * harmless.
 */
#include <stdlib.h>
#include <string.h>

#include "config/text_rule.h"
#include "topology/topology.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void must_keep(enum text_rule rule, const char *text)
{
	must(text != NULL && text_rule_problem(rule, text) == NULL);
}

static void may_keep(enum text_rule rule, const char *text)
{
	must(text == NULL || text_rule_problem(rule, text) == NULL);
}

static void check_diags(const struct diag_list *diags)
{
	size_t kept = 0;

	for (const struct diag *d = diags->first; d != NULL; d = d->next) {
		must(d->pos.line > 0 && d->pos.column > 0 && d->text[0] != '\0');
		for (const char *c = d->text; *c != '\0'; c++)
			must((unsigned char)*c >= 0x20 && *c != 0x7f);
		if (d->next != NULL)
			must(d->pos.line <= d->next->pos.line);
		kept++;
	}
	must(kept <= DIAG_MAX && kept <= diags->errors + diags->notes);
}

static void check_nic(const struct topology *topo, const struct host *host, const struct nic *nic)
{
	must(nic->host == host);
	must_keep(TEXT_DEVICE, nic->name);
	may_keep(TEXT_NAME, nic->driver);
	may_keep(TEXT_DEVICE, nic->uplink);
	may_keep(TEXT_LABEL, nic->vswitch);
	may_keep(TEXT_LABEL, nic->portgroup);
	may_keep(TEXT_HOST, nic->ip);
	may_keep(TEXT_HOST, nic->ip6);
	must(nic->ip6 == NULL ||
	     (strchr(nic->ip6, ':') != NULL && topology_nic_address(nic, 6) == nic->ip6));
	must(nic->segment == NULL || (nic->segment >= topo->segments &&
	                              nic->segment < topo->segments + topo->segment_count));
	for (size_t i = 0; i < nic->use_count; i++)
		must(nic->uses[i]->kind != RESOURCE_CPU);
}

static void check_host(const struct topology *topo, const struct host *host)
{
	must_keep(TEXT_NAME, host->name);
	must_keep(TEXT_HOST, host->mgmt);
	may_keep(TEXT_USER, host->ssh.user);
	may_keep(TEXT_PATH, host->ssh.key);
	may_keep(TEXT_PATH, host->ssh.known_hosts);
	may_keep(TEXT_PATH, host->ssh.config);
	may_keep(TEXT_JUMP, host->ssh.jump);
	may_keep(TEXT_PATH, host->ssh.password_file);
	may_keep(TEXT_ENVIRONMENT, host->ssh.password_env);
	must(host->ssh.port <= UINT16_MAX);
	must((host->kind == HOST_VM) == (host->runs_on != NULL));
	must(host->runs_on == NULL || host->runs_on->kind == HOST_ESXI);
	for (size_t i = 0; i < host->use_count; i++)
		must(host->uses[i]->kind == RESOURCE_CPU);
	for (size_t i = 0; i < host->nic_count; i++)
		check_nic(topo, host, &host->nics[i]);
}

static void check_setting(const struct setting *s)
{
	must(s->given < 1u << FACTOR_COUNT);
	if ((s->given >> FACTOR_STREAMS & 1) != 0)
		must(s->streams >= 1 && s->streams <= 128);
	if ((s->given >> FACTOR_DRIVER & 1) != 0)
		must_keep(TEXT_NAME, s->driver);
	if ((s->given >> FACTOR_DURATION & 1) != 0)
		must(s->duration_ms >= 500);
	must(s->bytes <= UINT64_C(1) << 50 && s->rate_bps <= UINT64_C(1000000000000));
	must(s->mss_bytes == 0 || (s->mss_bytes >= 88 && s->mss_bytes <= 65483));
	must(s->dscp <= TOPOLOGY_DSCP_MAX);
	must(s->ip_version == 0 || s->ip_version == 4 || s->ip_version == 6);
	must(s->source_port == 0 || (s->source_port >= 1024 && s->source_port <= 65535));
	may_keep(TEXT_ALGORITHM, s->congestion);
	may_keep(TEXT_CORES, s->affinity);
}

/* Of levels that hold for a cell together: those that the file gives in one place. */
static void check_together(const struct setting *s)
{
	must(s->bytes == 0 || (s->given >> FACTOR_DURATION & 1) == 0);
	if (s->protocol == PROTOCOL_UDP) {
		must(s->zero_copy == ZERO_COPY_OFF && s->mss_bytes == 0 && !s->no_delay);
		must(s->congestion == NULL && s->mode == MODE_BULK && s->buffer_bytes <= 65507);
	}
	if (s->mode == MODE_RR)
		must(s->direction != DIRECTION_BIDIR && s->rate_bps == 0 && s->bytes == 0 &&
		     s->zero_copy == ZERO_COPY_OFF);
	must(s->mtu_bytes == 0 || s->mss_bytes <= s->mtu_bytes - 40);
}

static void check_pair(const struct pair *pair)
{
	must(pair->a.host != NULL && pair->b.host != NULL && pair->a.host != pair->b.host);
	must(pair->a.nic == NULL ||
	     (pair->a.nic->host == pair->a.host && topology_nic_address(pair->a.nic, 0) != NULL));
	must(pair->b.nic == NULL ||
	     (pair->b.nic->host == pair->b.host && topology_nic_address(pair->b.nic, 0) != NULL));
}

static void check_profile(const struct profile *p)
{
	must_keep(TEXT_NAME, p->name);
	check_setting(&p->fixed);
	check_together(&p->fixed);
	must(p->repeats.min >= 1 && p->repeats.max >= p->repeats.min);
	for (size_t i = 0; i < p->pair_count; i++)
		check_pair(&p->pairs[i]);
	for (size_t i = 0; i < p->between_count; i++)
		must(topology_nic_address(p->between[i], 0) != NULL);
	for (size_t i = 0; i < p->axis_count; i++) {
		must(p->grid[i].level_count > 0);
		for (size_t j = 0; j < p->grid[i].level_count; j++)
			check_setting(&p->grid[i].levels[j]);
	}
	for (size_t i = 0; i < p->cell_count; i++) {
		check_setting(&p->cells[i].setting);
		check_together(&p->cells[i].setting);
		must(p->cells[i].has_pair || p->pair_count > 0 || p->classes != 0);
		if (p->cells[i].has_pair)
			check_pair(&p->cells[i].pair);
	}
	for (size_t i = 0; i < p->published_count; i++)
		check_setting(&p->published[i].where);
}

static void check_topology(const struct topology *topo)
{
	must_keep(TEXT_LABEL, topo->name);
	must_keep(TEXT_PATH, topo->store);
	must(topo->port_min >= 1 && topo->port_min <= topo->port_max);
	must(topo->host_count > 0 && topo->profile_count > 0);
	for (size_t i = 0; i < topo->host_count; i++) {
		check_host(topo, &topo->hosts[i]);
		must(topology_host(topo, topo->hosts[i].name) == &topo->hosts[i]);
	}
	for (size_t i = 0; i < topo->profile_count; i++)
		check_profile(&topo->profiles[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct topology topo;
	struct diag_list diags = {0};
	struct err err = {0};

	if (topology_load_text("lab.yaml", (const char *)data, size, "/home/u", &topo, &diags,
	                       &err)) {
		must(diags.errors == 0);
		check_topology(&topo);
	} else {
		must(diags.errors > 0 && err.kind == ERR_INPUT && err.msg[0] != '\0');
	}
	check_diags(&diags);
	topology_done(&topo);
	diag_done(&diags);
	return 0;
}
