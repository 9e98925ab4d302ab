/* SPDX-License-Identifier: MIT */
/*
 * consent.h - what a plan would change on hosts, in words for the person who is asked, and the
 * options by which consent is given. Pure.
 */
#ifndef CLI_CONSENT_H
#define CLI_CONSENT_H

#include "cli/option.h"
#include "common/text.h"
#include "plan/plan.h"
#include "run/consent.h"

/* For the option tables. */
#define CONSENT_ALLOW_HELP \
	"further consent: lro-on-router; sysctl and esxi-exec are of no effect yet"
#define CONSENT_NO_CHANGE_HELP "change no setting of any host: cells that need it are skipped"

/* `--allow WORD`, again for each. ERR_USAGE: not known, or with --no-change. */
bool consent_parse(bool no_change, const struct option_list *allow, struct run_consent *out,
                   struct err *err) NODISCARD;

/* NULL: the change may be made; else why it is not, however often a person says yes. */
const char *consent_refusal(const struct topology *topo, const struct plan_change *change);

/*
 * Adds the list, a line each: which setting of which NIC, to which values, how often; then what is
 * not allowed, with the reason. Returns how many changes are allowed and have to be asked for,
 * those that put the settings back at the end included.
 */
size_t consent_add_list(struct text *out, const struct topology *topo,
                        const struct plan_changes *changes);

#endif
