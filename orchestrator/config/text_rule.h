/* SPDX-License-Identifier: MIT */
/*
 * text_rule.h - what a text of the user's file may look like.
 *
 * Names of hosts, NICs, users, addresses and files travel to other programs:
 * into a shell on a host, into an argument list, into SQL, onto a terminal. They
 * are held to plain characters here, once, so that nothing behind has to wonder.
 */
#ifndef CONFIG_TEXT_RULE_H
#define CONFIG_TEXT_RULE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/attr.h"

enum text_rule {
	TEXT_REFERENCE,   /* names another entry: looked up, so it needs no rule of its own */
	TEXT_ADDRESS,     /* an IP address: parsed by the caller */
	TEXT_SUBNET,      /* a network: parsed by the caller */
	TEXT_NAME,        /* letters, digits, _ and -: hosts, segments, profiles... */
	TEXT_DEVICE,      /* TEXT_NAME and . : as in vmx0.10, eth0:1 */
	TEXT_USER,        /* TEXT_NAME and . @ */
	TEXT_HOST,        /* a host name or an IPv4 or IPv6 address */
	TEXT_PATH,        /* TEXT_NAME and / . + , = @ % ~, blanks inside, letters beyond ASCII: a
	                 * file here, which is opened and never part of a command */
	TEXT_JUMP,        /* [user@]host[:port] with commas between; an IPv6 address in brackets */
	TEXT_ENVIRONMENT, /* letters, digits and _, no digit first */
	TEXT_LABEL,       /* TEXT_PATH and : ( ): ESXi's "VM Network (10G)" */
	TEXT_ALGORITHM,   /* 1 to 15 letters, digits, _ and -: a congestion control of Linux */
	TEXT_CORES,       /* `auto`, or cores of 0 to 1023 in ascending ranges: 0-3,6 */
	TEXT_FREE         /* all but control characters: remarks, shown and never used */
};

/*
 * NULL when text keeps to the rule; otherwise what is wrong with it, to be put
 * behind the shown text: "begins with `-`".
 */
const char *text_rule_problem(enum text_rule rule, const char *text) NODISCARD;

/* What a rule allows, for the reference: "a name: letters, digits, _ and -". */
const char *text_rule_wanted(enum text_rule rule);

#endif
