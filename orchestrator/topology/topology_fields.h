/* SPDX-License-Identifier: MIT */
/* topology_fields.h - units and shorthands of the tables in topology_fields*.c. */
#ifndef TOPOLOGY_TOPOLOGY_FIELDS_H
#define TOPOLOGY_TOPOLOGY_FIELDS_H

#include "topology/topology_internal.h"

#define MBIT UINT64_C(1000000)
#define TBIT (MBIT * 1000000)
#define KIB  UINT64_C(1024)
#define MIB  (KIB * 1024)
#define GIB  (MIB * 1024)
#define PIB  (GIB * 1024 * 1024)
#define S_MS UINT64_C(1000)

#define MTU_MIN 576 /* RFC 791: what every host must take */
#define MTU_MAX 65535

#define MSS_MIN 88 /* Linux takes no TCP_MAXSEG below (TCP_MIN_MSS) */
#define MSS_MAX \
	65483 /* an IPv4 packet of 65535 less headers of IP (20) and TCP (20) and timestamps (12) */

#define NAME_OF(name, value) [value] = (name),
#define WORD_OF(name, value) {name, value, NULL},

#define NOWHERE .offset = FIELD_NOWHERE

#endif
