/* SPDX-License-Identifier: MIT */
#include "hostops/pcie_link.h"

#include <string.h>

#include "hostops/keyed.h"

/* "5.0", "16" in thousands; moves *at behind it. */
static int64_t read_speed(const char **at)
{
	size_t whole = strspn(*at, "0123456789");
	int64_t mts;

	if (whole == 0 || whole > 4 || !keyed_int(*at, whole, &mts))
		return PCIE_LINK_UNKNOWN;
	mts *= 1000;
	*at += whole;
	if (**at == '.') {
		int64_t unit = 100;

		for ((*at)++; **at >= '0' && **at <= '9'; (*at)++, unit /= 10)
			mts += (**at - '0') * unit;
	}
	return mts;
}

static int64_t read_lanes(const char *at)
{
	size_t digits;
	int64_t lanes;

	if (*at != 'x')
		return PCIE_LINK_UNKNOWN;
	digits = strspn(++at, "0123456789");
	return digits > 0 && digits < 3 && keyed_int(at, digits, &lanes) && lanes > 0
	               ? lanes
	               : PCIE_LINK_UNKNOWN;
}

static const char *after(const char *text, const char *word)
{
	const char *at = text == NULL ? NULL : strstr(text, word);

	return at == NULL ? NULL : at + strlen(word);
}

/* "... speed, ... xN": both must be there. */
static bool read_pair(const char *speed, const char *lanes, int64_t *mts, int64_t *count)
{
	int64_t m, n;

	if (speed == NULL || lanes == NULL)
		return false;
	m = read_speed(&speed);
	n = read_lanes(lanes);
	if (m == PCIE_LINK_UNKNOWN || n == PCIE_LINK_UNKNOWN)
		return false;
	*mts = m;
	*count = n;
	return true;
}

static bool read_pciconf(const char *line, struct pcie_link *out)
{
	const char *lanes = after(line, "link ");
	const char *speed = after(lanes, " speed ");

	if (!read_pair(speed, lanes, &out->speed_mts, &out->lanes))
		return false;
	out->max_mts = out->max_lanes = PCIE_LINK_UNKNOWN;
	lanes = after(lanes, "(");
	speed = after(speed, "(");
	if (!read_pair(speed, lanes, &out->max_mts, &out->max_lanes))
		out->max_mts = out->max_lanes = PCIE_LINK_UNKNOWN;
	return true;
}

static bool read_line(const char *line, struct pcie_link *out)
{
	const char *at;

	at = after(line, "LnkCap:");
	if (at != NULL)
		return read_pair(after(at, "Speed "), after(at, "Width "), &out->max_mts,
		                 &out->max_lanes);
	at = after(line, "LnkSta:");
	if (at != NULL)
		return read_pair(after(at, "Speed "), after(at, "Width "), &out->speed_mts,
		                 &out->lanes);
	at = after(line, "PCIe bandwidth, limited by ");
	if (at == NULL)
		at = after(line, "available PCIe bandwidth (");
	if (at != NULL) {
		const char *able = after(at, "capable of ");

		if (!read_pair(at, after(at, "PCIe "), &out->speed_mts, &out->lanes))
			return false;
		if (!read_pair(after(able, " with "), after(able, "PCIe "), &out->max_mts,
		               &out->max_lanes))
			out->max_mts = out->max_lanes = PCIE_LINK_UNKNOWN;
		return true;
	}
	at = after(line, "(Speed:");
	if (at != NULL)
		return read_pair(at, after(at, "Width: "), &out->speed_mts, &out->lanes);
	at = line + strspn(line, " \t");
	return strncmp(at, "link x", 6) == 0 && read_pciconf(at, out);
}

bool pcie_link_read(const char *text, struct pcie_link *out)
{
	bool is_told = false;

	*out = (struct pcie_link){PCIE_LINK_UNKNOWN, PCIE_LINK_UNKNOWN, PCIE_LINK_UNKNOWN,
	                          PCIE_LINK_UNKNOWN};
	while (*text != '\0') {
		char line[512];
		size_t len = strcspn(text, "\n");

		if (len < sizeof(line)) {
			memcpy(line, text, len);
			line[len] = '\0';
			is_told = read_line(line, out) || is_told;
		}
		text += len + (text[len] == '\n');
	}
	return is_told;
}
