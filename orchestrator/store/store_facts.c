/* SPDX-License-Identifier: MIT */
/* Facts of hosts and NICs; those that are asked for often have a column, too. */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/store_db.h"

#define WIDTH_MAX 32 /* lanes; Linux writes 0 or 255 for an unknown width */

/* Before: the first value holds, also when the run is resumed; after: the last one. */
static const char sql_fact[] =
	"INSERT INTO facts(run_id,host_id,nic_id,phase,key,value,source_command)"
	" VALUES(?1,?2,?3,?4,?5,?6,?7)"
	" ON CONFLICT(run_id,host_id,phase,key,coalesce(nic_id,0)) DO UPDATE"
	" SET value=excluded.value,source_command=excluded.source_command WHERE phase='after'";

enum fact_kind {
	FACT_TEXT,
	FACT_INT,
	FACT_WIDTH, /* 1 to WIDTH_MAX */
	FACT_REAL   /* a unit may follow after a blank: "8.0 GT/s PCIe" */
};

/* Keys as the agents tell them (agent/platform), columns of run_hosts, run_nics and nics. */
static const struct promotion {
	const char *key;
	const char *table;
	const char *column;
	enum fact_kind kind;
} promotions[] = {
	{"os.name", "run_hosts", "os", FACT_TEXT},
	{"os.version", "run_hosts", "os_version", FACT_TEXT},
	{"os.kernel", "run_hosts", "kernel", FACT_TEXT},
	{"hypervisor.build", "run_hosts", "hypervisor_build", FACT_TEXT},
	{"dmi.bios_version", "run_hosts", "bios_version", FACT_TEXT},
	{"power.governor", "run_hosts", "power_policy", FACT_TEXT},
	{"cpu.model", "run_hosts", "cpu_model", FACT_TEXT},
	{"cpu.count", "run_hosts", "cpu_count", FACT_INT},
	{"cpu.mhz", "run_hosts", "cpu_mhz", FACT_INT},
	{"numa.nodes", "run_hosts", "numa_nodes", FACT_INT},
	{"memory.bytes", "run_hosts", "memory_bytes", FACT_INT},
	{"vm.hardware_version", "run_hosts", "vm_hardware_version", FACT_TEXT},
	{"tcp.congestion", "run_hosts", "tcp_cc", FACT_TEXT},
	{"ip.forwarding", "run_hosts", "ip_forwarding", FACT_INT},
	{"nic.driver", "run_nics", "driver_actual", FACT_TEXT},
	{"nic.driver_version", "run_nics", "driver_version", FACT_TEXT},
	{"nic.firmware", "run_nics", "firmware", FACT_TEXT},
	{"nic.pci_slot", "run_nics", "pci_slot", FACT_TEXT},
	{"nic.pcie_speed", "run_nics", "pcie_gts", FACT_REAL},
	{"nic.pcie_width", "run_nics", "pcie_width", FACT_WIDTH},
	{"nic.pcie_speed_max", "run_nics", "pcie_max_gts", FACT_REAL},
	{"nic.pcie_width_max", "run_nics", "pcie_max_width", FACT_WIDTH},
	{"nic.numa_node", "run_nics", "numa_node", FACT_INT},
	{"nic.speed_bps", "run_nics", "link_speed_bps", FACT_INT},
	{"nic.rx_queues", "run_nics", "rx_queues", FACT_INT},
	{"nic.tx_queues", "run_nics", "tx_queues", FACT_INT},
	{"nic.rx_ring", "run_nics", "rx_ring", FACT_INT},
	{"nic.tx_ring", "run_nics", "tx_ring", FACT_INT},
	{"nic.mac", "nics", "mac", FACT_TEXT},
};

static bool read_int(const char *text, int64_t min, int64_t max, struct sql_value *out)
{
	char *end;
	long long value;

	errno = 0;
	value = strtoll(text, &end, 10);
	*out = sql_int(value);
	return errno == 0 && end != text && *end == '\0' && value >= min && value <= max;
}

static bool read_real(const char *text, struct sql_value *out)
{
	char *end;

	*out = sql_real(strtod(text, &end));
	return end != text && (*end == '\0' || *end == ' ') && isfinite(out->real);
}

/* A value that is not of the column's kind stays a fact only. */
static bool read_value(const char *text, enum fact_kind kind, struct sql_value *out)
{
	switch (kind) {
	case FACT_TEXT:
		*out = sql_text(text);
		return true;
	case FACT_INT:
		return read_int(text, 0, INT64_MAX, out);
	case FACT_WIDTH:
		return read_int(text, 1, WIDTH_MAX, out);
	case FACT_REAL:
		return read_real(text, out);
	}
	return false;
}

static const struct promotion *find_promotion(const char *key)
{
	for (size_t i = 0; i < COUNT_OF(promotions); i++)
		if (strcmp(promotions[i].key, key) == 0)
			return &promotions[i];
	return NULL;
}

static bool promote(struct store *store, const struct result_fact *fact, int64_t host_id,
                    int64_t nic_id, struct err *err)
{
	const struct promotion *p = find_promotion(fact->key);
	bool is_host = p != NULL && strcmp(p->table, "run_hosts") == 0;
	bool is_nic = p != NULL && strcmp(p->table, "nics") == 0;
	struct sql_value value;
	char text[128];

	if (p == NULL || is_host != (nic_id == SQL_UNKNOWN) ||
	    !read_value(fact->value, p->kind, &value))
		return true;
	(void)snprintf(text, sizeof(text), "UPDATE %s SET %s=?1 WHERE %s=?2%s", p->table, p->column,
	               is_host ? "host_id" : "nic_id", is_nic ? "" : " AND run_id=?3");
	return sql_run(&store->sql, text,
	               (struct sql_values){(const struct sql_value[]){
						   value, sql_int(is_host ? host_id : nic_id),
						   sql_int(store->ids.run_id)},
	                                   is_nic ? 2 : 3},
	               err);
}

static bool find_nic(struct store *store, const struct result_fact *fact, int64_t host_id,
                     int64_t *nic_id, struct err *err)
{
	*nic_id = SQL_UNKNOWN;
	if (fact->nic == NULL)
		return true;
	if (!sql_get_int(&store->sql, "SELECT nic_id FROM nics WHERE host_id=? AND name=?",
	                 SQL_VALUES(sql_int(host_id), sql_text(fact->nic)), nic_id, err))
		return false;
	assert(*nic_id != SQL_UNKNOWN);
	return true;
}

static bool put_fact(struct store *store, const struct result_fact *fact, struct err *err)
{
	int64_t host_id;
	int64_t nic_id;

	assert(fact->host < store->ids.host_count);
	host_id = store->ids.hosts[fact->host];
	if (!find_nic(store, fact, host_id, &nic_id, err) ||
	    !sql_run(&store->sql, sql_fact,
	             SQL_VALUES(sql_int(store->ids.run_id), sql_int(host_id), sql_int(nic_id),
	                        sql_text(fact->is_after ? "after" : "before"), sql_text(fact->key),
	                        sql_text(fact->value), sql_text(fact->source)),
	             err))
		return false;
	if (fact->is_after || fact->value == NULL || sqlite3_changes(store->sql.db) == 0)
		return true;
	return promote(store, fact, host_id, nic_id, err);
}

bool store_put_facts(struct store *store, const struct result_fact *facts, size_t count,
                     struct err *err)
{
	bool ok;

	if (!sql_begin(&store->sql, err))
		return false;
	ok = true;
	for (size_t i = 0; ok && i < count; i++)
		ok = put_fact(store, &facts[i], err);
	ok = ok && store_commit(store, err);
	if (!ok)
		sql_rollback(&store->sql);
	return ok;
}
