/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "common/attr.h"
#include "hostops/survey.h"
#include "tests/support/test.h"
#include "tests/unit/orchestrator/hostops/shells.h"

#define NFT_EMPTY "fw nft \n"
#define NFT_INPUT                                                       \
	"fw nft table inet filter {\n"                                  \
	"fw nft chain input {\n"                                        \
	"fw nft type filter hook input priority filter; policy drop;\n" \
	"fw nft tcp dport 22 accept\n"                                  \
	"fw nft }\n"                                                    \
	"fw nft }\n"
#define NFT_OTHER                                                                    \
	"fw nft table ip mine {\n"                                                   \
	"fw nft chain base {\n"                                                      \
	"fw nft type filter hook input priority 10; policy accept;\n"                \
	"fw nft iifname vmap { \"lo\" : accept, \"eth1\" : jump lan }\n"             \
	"fw nft }\n"                                                                 \
	"fw nft chain lan {\n"                                                       \
	"fw nft counter packets 0 bytes 0 reject with icmpx type admin-prohibited\n" \
	"fw nft }\n"                                                                 \
	"fw nft }\n"
/* Docker: only what is forwarded can be refused. */
#define NFT_DOCKER                                                                      \
	"fw nft # Warning: table ip filter is managed by iptables-nft, do not touch!\n" \
	"fw nft table ip filter {\n"                                                    \
	"fw nft chain DOCKER {\n"                                                       \
	"fw nft counter packets 0 bytes 0 drop\n"                                       \
	"fw nft }\n"                                                                    \
	"fw nft chain FORWARD {\n"                                                      \
	"fw nft type filter hook forward priority filter; policy drop;\n"               \
	"fw nft counter packets 0 bytes 0 jump DOCKER\n"                                \
	"fw nft }\n"                                                                    \
	"fw nft chain INPUT {\n"                                                        \
	"fw nft type filter hook input priority filter; policy accept;\n"               \
	"fw nft tcp dport 22 accept comment \"else: drop\"\n"                           \
	"fw nft }\n"                                                                    \
	"fw nft }\n"
#define NFT_OF_IPTABLES                                                                 \
	"fw nft # Warning: table ip filter is managed by iptables-nft, do not touch!\n" \
	"fw nft table ip filter {\n"                                                    \
	"fw nft chain INPUT {\n"                                                        \
	"fw nft type filter hook input priority filter; policy drop;\n"                 \
	"fw nft }\n"                                                                    \
	"fw nft }\n"
#define END "fw end\n"

static const struct {
	const char *said;
	enum firewall_kind kind;
	const char *remedy;
	const char *closed;
} cases[] = {
	{END, FIREWALL_NONE, "", ""},
	{"", FIREWALL_UNKNOWN, "", ""}, /* the probe did not come to its end */
	{NFT_EMPTY END, FIREWALL_NONE, "", ""},
	{NFT_INPUT END, FIREWALL_NFTABLES,
         "nft insert rule inet filter input tcp dport 5201-5210 accept", ""},
	{NFT_OTHER END, FIREWALL_NFTABLES,
         "nft insert rule ip mine base tcp dport 5201-5210 accept", ""},
	{NFT_DOCKER END, FIREWALL_NONE, "", ""},
	{NFT_DOCKER NFT_OTHER END, FIREWALL_NFTABLES,
         "nft insert rule ip mine base tcp dport 5201-5210 accept", ""},
	{NFT_OF_IPTABLES END, FIREWALL_IPTABLES,
         "iptables -I INPUT -p tcp --dport 5201:5210 -j ACCEPT", ""},
	{"fw nft Operation not permitted (you must be root)\n" END, FIREWALL_UNKNOWN, "",
         "nftables"},
	{"fw closed nftables\n" END, FIREWALL_UNKNOWN, "", "nftables"},
	{"fw iptables -P INPUT ACCEPT\nfw iptables -P FORWARD DROP\n" END, FIREWALL_NONE, "", ""},
	{"fw iptables -P INPUT DROP\nfw iptables -A INPUT -p tcp -j ACCEPT\n" END,
         FIREWALL_IPTABLES, "iptables -I INPUT -p tcp --dport 5201:5210 -j ACCEPT", ""},
	{"fw iptables -P INPUT ACCEPT\nfw iptables -N IN\nfw iptables -A INPUT -j IN\n"
         "fw iptables -A IN -j REJECT --reject-with icmp-port-unreachable\n" END,
         FIREWALL_IPTABLES, "iptables -I INPUT -p tcp --dport 5201:5210 -j ACCEPT", ""},
	{"fw iptables -P INPUT ACCEPT\nfw iptables -A OUT -j DROP\n" END, FIREWALL_NONE, "", ""},
	{"fw iptables iptables: Permission denied (you must be root)\n" END, FIREWALL_UNKNOWN, "",
         "iptables"},
	{"fw ufw active\n" NFT_OF_IPTABLES END, FIREWALL_UFW, "ufw allow 5201:5210/tcp", ""},
	{"fw ufw inactive\n" END, FIREWALL_NONE, "", ""},
	{"fw ufw active\nfw closed nftables\n" END, FIREWALL_UFW, "ufw allow 5201:5210/tcp",
         "nftables"},
	{"fw firewalld running\n" NFT_INPUT END, FIREWALL_FIREWALLD,
         "firewall-cmd --add-port=5201-5210/tcp", ""},
	{"fw firewalld not running\n" END, FIREWALL_NONE, "", ""},
	{"fw firewalld\n" END, FIREWALL_NONE, "", ""},
	{"fw esxi   Default Action: DROP\nfw esxi   Enabled: true\nfw esxi   Loaded: true\n" END,
         FIREWALL_ESXI, "esxcli network firewall set --enabled false", ""},
	{"fw esxi   Default Action: DROP\nfw esxi   Enabled: false\n" END, FIREWALL_NONE, "", ""},
	{"fw esxi   Default Action: PASS\nfw esxi   Enabled: true\n" END, FIREWALL_NONE, "", ""},
	{"fw pf Enabled for 3 days 01:02:03\n" END, FIREWALL_PF,
         "add `pass in quick proto tcp to port 5201:5210` to /etc/pf.conf, then pfctl -f "
         "/etc/pf.conf",
         ""},
	{"fw pf Disabled for 3 days\n" END, FIREWALL_NONE, "", ""},
	{"fw ipfw 1\n" END, FIREWALL_IPFW,
         "ipfw add 1 allow tcp from any to me dst-port 5201-5210 in", ""},
	{"fw ipfw 0\n" END, FIREWALL_NONE, "", ""},
	/* Names are shown in a command to be typed. */
	{"fw nft table inet f;reboot {\nfw nft chain $(x) {\nfw nft type filter hook input "
         "priority 0; policy drop;\n" END,
         FIREWALL_NFTABLES, "nft insert rule inet freboot x tcp dport 5201-5210 accept", ""},
};

static void read_lines(struct survey *out, const char *said)
{
	struct survey_reader reader;

	survey_read_begin(&reader, out);
	while (*said != '\0') {
		char line[512];
		size_t len = strcspn(said, "\n");

		(void)snprintf(line, sizeof(line), "%.*s", (int)len, said);
		survey_read(&reader, line);
		said += len + (said[len] == '\n');
	}
	survey_read_end(&reader);
}

static void each_firewall_is_told_with_the_command_that_opens_it(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct survey s;
		struct text remedy = {0};

		read_lines(&s, cases[i].said);
		firewall_add_remedy(&remedy, &s.firewall, 5201, 5210);
		if (s.firewall.kind != cases[i].kind ||
		    strcmp(text_str(&remedy), cases[i].remedy) != 0 ||
		    strcmp(s.firewall.closed, cases[i].closed) != 0)
			fail_msg("%s\nis %d, '%s', closed '%s'", cases[i].said,
			         (int)s.firewall.kind, text_str(&remedy), s.firewall.closed);
		assert_true((firewall_name(s.firewall.kind) == NULL) ==
		            (s.firewall.kind == FIREWALL_UNKNOWN));
		text_done(&remedy);
	}
}

static void further_tables_that_refuse_are_counted(void **state)
{
	struct survey s;

	(void)state;
	read_lines(&s, NFT_INPUT NFT_OTHER NFT_OTHER END);
	assert_int_equal(s.firewall.others, 2);
	assert_string_equal(s.firewall.chain, "inet filter input");
	read_lines(&s, "fw ufw active\n" NFT_INPUT NFT_OTHER END);
	assert_int_equal(s.firewall.others, 0);
	assert_string_equal(s.firewall.chain, "");
}

/* More chains and jumps than are kept: it may refuse. */
static void a_huge_ruleset_is_taken_to_refuse(void **state)
{
	struct survey_reader reader;
	struct survey s;
	char line[128];

	(void)state;
	survey_read_begin(&reader, &s);
	survey_read(&reader, "fw nft table inet filter {");
	survey_read(&reader, "fw nft chain input {");
	survey_read(&reader, "fw nft type filter hook input priority 0; policy accept;");
	for (int i = 0; i < FIREWALL_CHAINS_MAX + 1; i++) {
		(void)snprintf(line, sizeof(line), "fw nft ip saddr 10.0.0.%d goto c%d", i % 250,
		               i);
		survey_read(&reader, line);
	}
	survey_read(&reader, "fw end");
	survey_read_end(&reader);
	assert_int_equal(s.firewall.kind, FIREWALL_NFTABLES);
}

static void every_shell_comes_to_the_end_of_the_survey(void **state)
{
	struct shell_marker marker;
	struct text line = {0};
	struct err err;

	(void)state;
	assert_true(shell_marker_init(&marker, &err));
	assert_true(survey_command(&line, &marker, &err));
	for (const struct shell *s = shells; s->name != NULL; s++) {
		struct shell_run run = {.input = ""};
		char end[64];

		if (!shell_is_there(s))
			continue;
		shell_run(s, text_str(&line), &run);
		(void)snprintf(end, sizeof(end), "\n%s fw end\n", marker.text);
		if (strstr(run.said, end) == NULL || run.status != 0)
			fail_msg("%s: status %d, said: %s", s->name, run.status, run.said);
	}
	text_done(&line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_firewall_is_told_with_the_command_that_opens_it),
		cmocka_unit_test(further_tables_that_refuse_are_counted),
		cmocka_unit_test(a_huge_ruleset_is_taken_to_refuse),
		cmocka_unit_test(every_shell_comes_to_the_end_of_the_survey),
	};

	return cmocka_run_group_tests_name("hostops/firewall", tests, NULL, NULL);
}
