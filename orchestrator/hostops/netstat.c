/* SPDX-License-Identifier: MIT */
#include "hostops/netstat.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "hostops/keyed.h"

/* Matches a line with a pattern in which # is a number, and puts the numbers into out. */
static bool match(const char *line, size_t len, const char *pattern, int64_t out[5])
{
	size_t i = 0;
	size_t n = 0;

	for (; *pattern != '\0'; pattern++) {
		size_t digits = 0;

		if (*pattern != '#') {
			if (i == len || line[i] != *pattern)
				return false;
			i++;
			continue;
		}
		while (i + digits < len && line[i + digits] >= '0' && line[i + digits] <= '9')
			digits++;
		if (n == 5 || !keyed_int(line + i, digits, &out[n]))
			return false;
		n++;
		i += digits;
	}
	return i == len;
}

struct row {
	const char *pattern;
	size_t count;
	size_t offsets[3];
};

#define T(member) offsetof(struct netstat_tcp, member)
#define M(member) offsetof(struct netstat_mbufs, member)

/* clang-format off */
static const struct row tcp_rows[] = {
	{"# packets sent", 1, {T(packets_sent)}},
	{"# data packets (# bytes)", 2, {T(data_packets), T(data_bytes)}},
	{"# data packets (# bytes) retransmitted", 2, {T(retransmitted_packets), T(retransmitted_bytes)}},
	{"# packets received", 1, {T(received_packets)}},
	{"# out-of-order packets (# bytes)", 1, {T(out_of_order_packets)}},
	{"# retransmit timeouts", 1, {T(timeouts)}},
	/* One of them only. */
	{"# packet sent", 1, {T(packets_sent)}},
	{"# data packet (# bytes)", 2, {T(data_packets), T(data_bytes)}},
	{"# data packet (# bytes) retransmitted", 2, {T(retransmitted_packets), T(retransmitted_bytes)}},
	{"# packet received", 1, {T(received_packets)}},
	{"# out-of-order packet (# bytes)", 1, {T(out_of_order_packets)}},
	{"# retransmit timeout", 1, {T(timeouts)}},
};

static const struct row mbuf_rows[] = {
	{"#/#/# requests for mbufs denied (mbufs/clusters/mbuf+clusters)", 2, {M(denied_mbufs), M(denied_clusters)}},
	{"#/#/# requests for jumbo clusters denied (4k/9k/16k)", 3, {M(denied_4k), M(denied_9k), M(denied_16k)}},
};
/* clang-format on */

static void read_rows(const char *text, const struct row *rows, size_t row_count, void *out)
{
	while (*text != '\0') {
		size_t len = strcspn(text, "\r\n");
		size_t blanks = strspn(text, " \t");

		for (size_t i = 0; i < row_count && blanks < len; i++) {
			int64_t values[5];

			if (!match(text + blanks, len - blanks, rows[i].pattern, values))
				continue;
			for (size_t k = 0; k < rows[i].count; k++)
				memcpy((char *)out + rows[i].offsets[k], &values[k],
				       sizeof(values[k]));
		}
		text += len;
		text += *text != '\0';
	}
}

void netstat_read_tcp(const char *text, struct netstat_tcp *out)
{
	const int64_t u = NETSTAT_UNKNOWN;

	*out = (struct netstat_tcp){u, u, u, u, u, u, u, u};
	read_rows(text, tcp_rows, sizeof(tcp_rows) / sizeof(tcp_rows[0]), out);
}

void netstat_read_mbufs(const char *text, struct netstat_mbufs *out)
{
	const int64_t u = NETSTAT_UNKNOWN;

	*out = (struct netstat_mbufs){u, u, u, u, u};
	read_rows(text, mbuf_rows, sizeof(mbuf_rows) / sizeof(mbuf_rows[0]), out);
}

int64_t netstat_sum_of(const char *text, const char *name)
{
	int64_t sum = NETSTAT_UNKNOWN;
	struct keyed_line line;
	int64_t value;

	while (keyed_next(&text, &line)) {
		if (!line.is_pair || !keyed_is(&line, name) ||
		    !keyed_int(line.value, line.value_len, &value))
			continue;
		if (sum == NETSTAT_UNKNOWN)
			sum = 0;
		if (value > INT64_MAX - sum)
			return NETSTAT_UNKNOWN;
		sum += value;
	}
	return sum;
}
