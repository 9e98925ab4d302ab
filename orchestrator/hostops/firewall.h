/* SPDX-License-Identifier: MIT */
/*
 * firewall.h - which firewall of a host may refuse a data port, and what opens it.
 *
 * The probe only reads: files below /etc and /proc, and the listing commands of
 * the firewalls that are there. It runs none that would load a kernel module. The
 * lines that it says are the tools' own output, marked:
 *
 *	fw nft <line of `nft list ruleset`>	fw iptables <line of `iptables -S`>
 *	fw ufw <its status>			fw firewalld <its state>
 *	fw esxi <line of `esxcli network firewall get`>
 *	fw pf <its status>			fw ipfw <net.inet.ip.fw.enable>
 *	fw closed <tool>			it is there, but cannot be read by this account
 *	fw end
 */
#ifndef HOSTOPS_FIREWALL_H
#define HOSTOPS_FIREWALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/attr.h"
#include "common/text.h"
#include "hostops/firewall_chains.h"

enum firewall_kind {
	FIREWALL_UNKNOWN, /* not asked, or it cannot be read: see `closed` */
	FIREWALL_NONE,    /* nothing on the host refuses what comes in */
	FIREWALL_UFW,
	FIREWALL_FIREWALLD,
	FIREWALL_ESXI,
	FIREWALL_NFTABLES,
	FIREWALL_IPTABLES,
	FIREWALL_PF,
	FIREWALL_IPFW,
};

struct firewall {
	enum firewall_kind kind;
	char chain[96];  /* nftables: "inet filter input", the first that refuses; else "" */
	unsigned others; /* nftables: further tables that refuse */
	char closed[24]; /* tool that could not be read; "" = all were */
	bool is_refused; /* it was asked and refused to tell: root of a container alone? */
};

/* Reads the lines of one probe. {.out = ...} is a valid start. */
struct firewall_reader {
	struct firewall *out;
	bool seen[FIREWALL_IPFW + 1]; /* is there and may refuse */
	bool is_ended;
	bool is_esxi_on, is_esxi_pass;
	/* The table of nftables that is being read, or what iptables has. */
	struct firewall_chains chains;
	char table[64]; /* "inet filter" */
	char chain[32]; /* whose rules come now */
	char entry[32]; /* the first chain that sees what comes in */
	bool is_of_iptables, is_next_of_iptables;
};

/* "nftables"; "none"; NULL when it is not known. */
const char *firewall_name(enum firewall_kind kind) NODISCARD;

/* Adds the probe to a script that has $m and $S (see privilege.h). */
void firewall_add_probe(struct text *script);

/* Takes what follows `fw ` in a line. */
void firewall_read(struct firewall_reader *r, const char *said);

/* All has come: fills *r->out. */
void firewall_read_end(struct firewall_reader *r);

/* Adds the command that lets TCP ports port_min..port_max in, to be typed as root on the host;
 * nothing when the firewall is none or not known. */
void firewall_add_remedy(struct text *out, const struct firewall *f, uint16_t port_min,
                         uint16_t port_max);

#endif
