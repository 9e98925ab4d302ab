/* SPDX-License-Identifier: MIT */
/*
 * pcie_link.h - how wide and fast a device's PCI Express link is, as tools tell it:
 *
 *	link x4(x8) speed 5.0(5.0)				pciconf -lvc (FreeBSD)
 *	LnkCap: ... Speed 16GT/s, Width x16			lspci -vv
 *	LnkSta: Speed 8GT/s (downgraded), Width x8 (downgraded)
 *	63.008 Gb/s available PCIe bandwidth, limited by 8.0 GT/s PCIe x8 link at ...
 *		(capable of 252.048 Gb/s with 16.0 GT/s PCIe x16 link)	the kernel's log, since 4.18
 *	(Speed:5.0GT/s, Width: x4, Encoding Loss:20%)		ixgbe in the kernel's log
 */
#ifndef HOSTOPS_PCIE_LINK_H
#define HOSTOPS_PCIE_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "common/attr.h"

#define PCIE_LINK_UNKNOWN (-1)

struct pcie_link {
	int64_t lanes, max_lanes;   /* PCIE_LINK_UNKNOWN */
	int64_t speed_mts, max_mts; /* megatransfers a second: 2500, 5000, 8000, 16000, ... */
};

/* Reads the lines about one device; false when no line tells of a link. */
bool pcie_link_read(const char *text, struct pcie_link *out) NODISCARD;

#endif
