/* SPDX-License-Identifier: MIT */
/* esxi_host.h - reads what tools of ESXi other than esxcli and vim-cmd print of the host. */
#ifndef HOSTOPS_ESXI_HOST_H
#define HOSTOPS_ESXI_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/attr.h"
#include "hostops/records.h"

/* `vmware -v`: "VMware ESXi 7.0.3 build-24784741". */
struct esxi_version {
	char text[24]; /* "7.0.3" */
	int64_t major, minor, build;
};

bool esxi_version_read(const char *said, struct esxi_version *out) NODISCARD;

/* The processor's name, of `smbiosDump`: the Version of its first "Processor Info (Type 4)", since
 * `esxcli hardware cpu list` tells the maker only. False when it is not there. */
bool esxi_cpu_read(const char *said, char *out, size_t room) NODISCARD;

/* `esxcfg-advcfg -g X`: "Value of X is 1"; RECORDS_UNKNOWN. */
int64_t esxi_advcfg_read(const char *said, const char *option) NODISCARD;

/* `net-stats -l`: records of PortNum, Type, SubType, SwitchName, MACAddress, ClientName; the last
 * may hold blanks: "nas core.eth0". */
struct records esxi_ports_read(struct arena *arena, const char *said);

/*
 * The value of `esxtop -b -n N` in its last line, of the first column whose name holds `column`,
 * such as "Physical Cpu(_Total)". Lines have thousands of columns. False when there is none.
 */
bool esxi_esxtop_read(const char *said, const char *column, char *out, size_t room) NODISCARD;

#endif
