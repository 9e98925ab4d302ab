/* SPDX-License-Identifier: MIT */
/*
 * vim_cmd.h - reads what vim-cmd of ESXi prints about virtual machines.
 *
 * Its values are in a notation of its own, "key = value,", with ", " at the end of lines in some
 * releases, and <unset> for what is not known: that is NULL here. Text lies in the arena.
 */
#ifndef HOSTOPS_VIM_CMD_H
#define HOSTOPS_VIM_CMD_H

#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/attr.h"

#define VIM_VMS_MAX  4096
#define VIM_NICS_MAX 32 /* a VM has at most 10 */

/* `vim-cmd vmsvc/getallvms`; names may hold blanks and brackets, annotations lines of all kinds. */
struct vim_vms {
	struct vim_vm {
		int64_t id; /* for other vmsvc commands; not the World ID */
		const char *name;
		const char *file;     /* "[datastore 2] nas core/nas core.vmx" */
		const char *guest;    /* "freebsd12_64Guest" */
		const char *hardware; /* "vmx-15" */
	} * at;
	size_t count;
};

struct vim_vms vim_vms_read(struct arena *arena, const char *text);

/* `vim-cmd vmsvc/device.getdevices ID`: its network adapters. */
struct vim_nics {
	struct vim_nic {
		const char *
			adapter; /* "e1000", "e1000e", "vmxnet3", ...; NULL: a kind not known here */
		const char *label;   /* "Network adapter 1" */
		const char *network; /* port group; NULL */
		const char *mac;     /* lower case; NULL */
	} at[VIM_NICS_MAX];
	size_t count;
};

struct vim_nics vim_nics_read(struct arena *arena, const char *text);

/* The value of the first such key, of get.guest, get.networks and the like; NULL: unset or not
 * there. */
const char *vim_value(struct arena *arena, const char *text, const char *key) NODISCARD;

/* `vim-cmd vmsvc/power.getstate ID`. */
enum vim_power { VIM_POWER_UNKNOWN, VIM_POWER_ON, VIM_POWER_OFF, VIM_POWER_SUSPENDED };
enum vim_power vim_power_read(const char *text) NODISCARD;

#endif
