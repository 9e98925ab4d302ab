/* SPDX-License-Identifier: MIT */
/* vmx.h - network adapters in a virtual machine's .vmx file: lines of key = "value". */
#ifndef HOSTOPS_VMX_H
#define HOSTOPS_VMX_H

#include <stdbool.h>
#include <stddef.h>

#include "common/attr.h"

#define VMX_NICS       10 /* ethernet0 to ethernet9 */
#define VMX_NAME_BYTES 96

struct vmx_nic {
	bool is_present;
	char adapter[24]; /* "vmxnet3"; "": not written, the default of the guest's type: unknown */
	char network[VMX_NAME_BYTES]; /* "" */
	char mac[24];                 /* "" */
};

void vmx_read(const char *text, struct vmx_nic out[VMX_NICS]);

#endif
