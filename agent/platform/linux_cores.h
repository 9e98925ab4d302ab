/* SPDX-License-Identifier: MIT */
/* linux_cores.h - which cores are good for the traffic of a NIC. */
#ifndef AGENT_PLATFORM_LINUX_CORES_H
#define AGENT_PLATFORM_LINUX_CORES_H

#include <stdbool.h>

#include "common/attr.h"
#include "common/number_set.h"

/*
 * Of `own` those that are near the device and serve none of its interrupts; when all near ones
 * serve some, all near ones. `device` is its folder below /sys/bus/pci/devices, `irqs` is
 * /proc/irq. False when the system does not say which are near, or we may use none of them.
 */
bool linux_near_cores(const char *device, const char *irqs, const struct number_set *own,
                      struct number_set *out) NODISCARD;

#endif
