/* SPDX-License-Identifier: MIT */
/* A preflight of made-up hosts, as it is shown. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/check_view.h"
#include "tests/support/test.h"

enum { A, B, GONE, HOSTS };

struct fixture {
	struct host hosts[HOSTS];
	struct nic nics[HOSTS];
	struct topology topo;
	struct hosts_entry entries[HOSTS];
	struct hosts_nic known[HOSTS];
	struct hosts_fact facts[2];
	struct check_probe probes[2];
	struct check check;
	struct arena arena;
};

static void set_host(struct fixture *f, int i, const char *name, const char *ip)
{
	struct hosts_entry *e = &f->entries[i];

	f->nics[i] = (struct nic){.name = "eth1", .host = &f->hosts[i], .ip = ip};
	f->hosts[i] = (struct host){.name = name, .nics = &f->nics[i], .nic_count = 1};
	f->known[i] = (struct hosts_nic){.nic = &f->nics[i], .is_known = true, .name = "eth1"};
	e->host = &f->hosts[i];
	e->nics = &f->known[i];
	e->state = HOSTS_READY;
	e->info.stage = LINK_STAGE_UP;
	(void)snprintf(e->info.config, sizeof(e->info.config), "ssh -G");
	(void)snprintf(e->info.address, sizeof(e->info.address), "10.0.0.%d:22", i + 1);
	(void)snprintf(e->info.host_key, sizeof(e->info.host_key), "ssh-ed25519 SHA256:K%d", i);
	(void)snprintf(e->info.login, sizeof(e->info.login), "key /home/me/.ssh/id_lab");
	(void)snprintf(e->info.folder, sizeof(e->info.folder), "/var/tmp/.vnm-0123456789abcdef");
	(void)snprintf(e->info.agent_version, sizeof(e->info.agent_version), "0.1.0");
	(void)snprintf(e->info.platform, sizeof(e->info.platform), "linux");
	(void)snprintf(e->info.arch, sizeof(e->info.arch), "aarch64");
	e->info.survey.privilege = PRIVILEGE_ROOT;
	e->info.survey.firewall.kind = FIREWALL_NONE;
}

/* Two hosts that are well and reach one another, and one that is not there. */
static void set_up(struct fixture *f)
{
	struct err *why = &f->entries[GONE].why;

	memset(f, 0, sizeof(*f));
	set_host(f, A, "a", "10.1.0.1");
	set_host(f, B, "b", "10.1.0.2");
	set_host(f, GONE, "gone", "10.1.0.3");
	f->entries[GONE].info = (struct link_info){.stage = LINK_STAGE_CONNECT};
	f->entries[GONE].state = HOSTS_GONE;
	(void)err_set(why, ERR_REMOTE, "gone: connect to 10.0.0.3 port 22: refused");
	f->topo = (struct topology){.name = "lab",
	                            .hosts = f->hosts,
	                            .host_count = HOSTS,
	                            .port_min = 5201,
	                            .port_max = 5210};
	f->facts[0].fact = (struct result_fact){.key = "os.version", .value = "Debian 12"};
	f->facts[0].next = &f->facts[1];
	f->facts[1].fact = (struct result_fact){.key = "os.kernel", .value = "6.1.0"};
	f->entries[A].facts = &f->facts[0];
	f->probes[0] = (struct check_probe){.connector = &f->nics[B],
	                                    .listener = &f->nics[A],
	                                    .answer = CHECK_REACHED,
	                                    .rtt_base_us = 51.5};
	f->probes[1] = (struct check_probe){.connector = &f->nics[A],
	                                    .listener = &f->nics[B],
	                                    .answer = CHECK_REACHED,
	                                    .rtt_base_us = NAN};
	f->check.hosts.topology = &f->topo;
	f->check.hosts.at = f->entries;
	f->check.probes = f->probes;
	f->check.probe_count = 2;
}

/* What is printed; the caller frees it. */
static char *print(struct fixture *f, bool is_json)
{
	struct check_problems problems = check_find_problems(&f->check, &f->arena);
	struct check_cells cells = {.all = 4, .open = 3, .fault = 1};
	struct check_view view = {.check = &f->check, .problems = &problems, .cells = &cells};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	if (is_json)
		check_print_json(out, &view);
	else
		check_print_text(out, &view);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void assert_holds(const char *text, const char *part)
{
	if (strstr(text, part) == NULL)
		fail_msg("no '%s' in:\n%s", part, text);
}

/* Prints as text, looks for all parts, and frees the fixture's memory. */
static void check_text(struct fixture *f, const char *const *parts, const char *not_there)
{
	char *text = print(f, false);

	for (; *parts != NULL; parts++)
		assert_holds(text, *parts);
	if (not_there != NULL && strstr(text, not_there) != NULL)
		fail_msg("'%s' in:\n%s", not_there, text);
	free(text);
	arena_done(&f->arena);
}

static void hosts_that_are_well_have_a_line_and_what_is_known(void **state)
{
	static const char expected[] =
		"host  address      login       agent                      system     data port  "
		"clock\n"
		"a     10.0.0.1:22  key id_lab  0.1.0 aarch64 in /var/tmp  Debian 12  1 of 1     "
		"+0.000 s\n"
		"      settings of ssh -G, ssh-ed25519 SHA256:K0, as root, kernel 6.1.0, no "
		"firewall,\n"
		"      port of eth1 reached from b.eth1\n"
		"b     10.0.0.2:22  key id_lab  0.1.0 aarch64 in /var/tmp  -          1 of 1     "
		"+0.000 s\n"
		"      settings of ssh -G, ssh-ed25519 SHA256:K1, as root, no firewall,\n"
		"      port of eth1 reached from a.eth1\n"
		"gone  -            -           -                          -          -          "
		"-\n"
		"  gone: connect to 10.0.0.3 port 22: refused\n"
		"3 of 4 cells can be measured\n";
	struct fixture f;
	char *text;

	(void)state;
	set_up(&f);
	text = print(&f, false);
	assert_string_equal(text, expected);
	free(text);
	arena_done(&f.arena);
}

static void a_clock_that_is_far_off_is_a_warning(void **state)
{
	static const char *const parts[] = {
		"  note: a: its clock is 2.5 s behind this machine's: figures are not affected",
		"but its logs tell other times\n",
		"\n    -> let both follow NTP: timedatectl set-ntp true\n",
		"  note: b: its clock is 86400.0 s ahead of this machine's",
		"-2.500 s\n",
		"    -> let both follow NTP: sudo timedatectl set-ntp true\n",
		NULL};
	struct check_problems problems;
	struct fixture f;

	(void)state;
	set_up(&f);
	f.entries[A].info.clock_offset_us = -2500000;
	f.entries[B].info.clock_offset_us = INT64_C(86400000000);
	f.entries[B].info.survey.privilege = PRIVILEGE_SUDO_PASSWORD;
	problems = check_find_problems(&f.check, &f.arena);
	assert_int_equal(problems.count, 3);
	assert_int_equal(problems.errors, 1); /* the host that is gone */
	check_text(&f, parts, NULL);
	set_up(&f);
	f.entries[A].info.clock_offset_us = CHECK_CLOCK_US;
	f.entries[B].info.clock_offset_us = -CHECK_CLOCK_US;
	assert_int_equal(check_find_problems(&f.check, &f.arena).count, 1);
	arena_done(&f.arena);
}

static void a_remedy_of_several_problems_comes_once(void **state)
{
	static const char *const parts[] = {
		"  b.eth1 -> a.eth1: refused at once: b: no\n"
		"  b.eth1 -> a.eth1: silently dropped: b: nothing\n"
		"    -> ufw of a is on; to let the tests in: ufw allow 5201:5210/tcp\n",
		"0 of 2", NULL};
	struct fixture f;

	(void)state;
	set_up(&f);
	f.entries[A].info.survey.firewall.kind = FIREWALL_UFW;
	f.probes[1] = f.probes[0];
	f.probes[0].answer = CHECK_REFUSED;
	f.probes[1].answer = CHECK_DROPPED;
	(void)snprintf(f.probes[0].reason, sizeof(f.probes[0].reason), "b: no");
	(void)snprintf(f.probes[1].reason, sizeof(f.probes[1].reason), "b: nothing");
	check_text(&f, parts, "reached from b.eth1");
}

static void who_blocks_a_port_decides_about_the_remedy(void **state)
{
	static const struct {
		enum firewall_kind at, from;
		const char *closed;
		enum privilege privilege;
		const char *remedy;
		bool is_refused;
	} cases[] = {
		{FIREWALL_UNKNOWN, FIREWALL_NONE, "nftables", PRIVILEGE_SUDO,
	         "    -> nftables of a may do it, but its rules are not shown to root there: is it "
	         "a "
	         "container? look at them from the machine that it runs on\n",
	         true},
		{FIREWALL_UNKNOWN, FIREWALL_NONE, "nftables", PRIVILEGE_NONE,
	         "    -> nftables of a may do it, but this login cannot look: ", true},
		{FIREWALL_NONE, FIREWALL_NONE, "", PRIVILEGE_ROOT,
	         "    -> no firewall of a does it: look at what is between the two\n", false},
		{FIREWALL_NONE, FIREWALL_ESXI, "", PRIVILEGE_ROOT,
	         "look at what is between the two, and at the ESXi firewall of the other\n", false},
		{FIREWALL_UNKNOWN, FIREWALL_NONE, "nftables", PRIVILEGE_NONE,
	         "    -> nftables of a may do it, but this login cannot look: log in as root, or "
	         "let it use sudo without a password, and check again\n",
	         false},
		{FIREWALL_UNKNOWN, FIREWALL_NONE, "nftables", PRIVILEGE_ROOT,
	         "    -> nftables of a may do it, but no program there lists its rules: install "
	         "nftables or iptables there, and check again\n",
	         false},
		{FIREWALL_UNKNOWN, FIREWALL_NONE, "", PRIVILEGE_UNKNOWN,
	         "    -> the firewall of a could not be looked at: is it that?\n", false},
		{FIREWALL_ESXI, FIREWALL_NONE, "", PRIVILEGE_ROOT,
	         "esxcli network firewall set --enabled false (and afterwards --enabled true)\n",
	         false},
		{FIREWALL_IPTABLES, FIREWALL_NONE, "", PRIVILEGE_SUDO,
	         "to let the tests in: sudo iptables -I INPUT -p tcp --dport 5201:5210 -j "
	         "ACCEPT\n",
	         false},
	};
	struct fixture f;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const char *parts[] = {cases[i].remedy, NULL};
		struct firewall *w = &f.entries[A].info.survey.firewall;

		set_up(&f);
		f.probes[0].answer = CHECK_DROPPED;
		w->kind = cases[i].at;
		w->is_refused = cases[i].is_refused;
		(void)snprintf(w->closed, sizeof(w->closed), "%s", cases[i].closed);
		f.entries[A].info.survey.privilege = cases[i].privilege;
		f.entries[B].info.survey.firewall.kind = cases[i].from;
		check_text(&f, parts, NULL);
	}
}

static void what_a_shell_says_is_shown_clean(void **state)
{
	static const char *const parts[] = {
		"its shell says 40 bytes and 7 bytes on stderr of its own: \"\\x1b[31mhello\"",
		"no way to be root: there is no sudo", "nftables cannot be read", NULL};
	struct fixture f;

	(void)state;
	set_up(&f);
	f.entries[A].info.noise = (struct deploy_noise){
		.is_known = true, .out_bytes = 40, .err_bytes = 7, .first = "\x1b[31mhello"};
	f.entries[A].info.survey.privilege = PRIVILEGE_NONE;
	(void)snprintf(f.entries[A].info.survey.privilege_why, PRIVILEGE_WHY_BYTES,
	               "there is no sudo");
	f.entries[A].info.survey.firewall =
		(struct firewall){.kind = FIREWALL_UNKNOWN, .closed = "nftables"};
	check_text(&f, parts, "\x1b");
}

static void what_a_host_calls_itself_is_shown_clean(void **state)
{
	static const char *const parts[] = {"  L\\x1b[2Jinux \xc3\xa4\\x9b  ",
	                                    "kernel 6\\n\\x1b[1m,", NULL};
	struct fixture f;

	(void)state;
	set_up(&f);
	for (struct hosts_fact *fact = f.entries[A].facts; fact != NULL; fact = fact->next) {
		if (strcmp(fact->fact.key, "os.version") == 0)
			fact->fact.value = "L\x1b[2Jinux \xc3\xa4\x9b";
		else if (strcmp(fact->fact.key, "os.kernel") == 0)
			fact->fact.value = "6\n\x1b[1m";
	}
	check_text(&f, parts, "\x1b");
}

static void a_nic_of_another_name_is_a_note_and_an_unknown_one_an_error(void **state)
{
	static const char *const parts[] = {
		"  note: a.eth1: its address 10.1.0.1 belongs to ens9 there; the name in the "
		"topology is wrong\n",
		"  b.eth1: nobody has it\n", NULL};
	struct fixture f;

	(void)state;
	set_up(&f);
	(void)snprintf(f.known[A].name, sizeof(f.known[A].name), "ens9");
	f.known[B].is_known = false;
	(void)snprintf(f.known[B].problem, sizeof(f.known[B].problem), "nobody has it");
	assert_int_equal(check_find_problems(&f.check, &f.arena).errors, 2);
	check_text(&f, parts, NULL);
}

/* The words of a host are its own, and told for each. */
static void a_fault_of_this_machine_is_told_once(void **state)
{
	static const char *const once[] = {"  a: ssh configuration: line 1\n",
	                                   "  b: the same as a\n", "  gone: the same as a\n", NULL};
	static const char *const other[] = {"  b: ssh configuration: line 2\n",
	                                    "  gone: ssh configuration: line 3\n", NULL};
	static const char *const each[] = {"  a: no answer\n", "  b: no answer\n",
	                                   "  gone: no answer\n", NULL};
	struct fixture f;
	char *text;

	(void)state;
	set_up(&f);
	for (int i = 0; i < HOSTS; i++) {
		f.entries[i].state = HOSTS_GONE;
		(void)err_set(&f.entries[i].why, ERR_INPUT, "%sssh configuration: line 1",
		              i == B ? "b: " : "");
	}
	assert_int_equal(check_find_problems(&f.check, &f.arena).errors, HOSTS);
	text = print(&f, true);
	assert_holds(text, "\"text\":\"gone: ssh configuration: line 1\"");
	free(text);
	check_text(&f, once, NULL);
	for (int i = 0; i < HOSTS; i++)
		(void)err_set(&f.entries[i].why, ERR_INPUT, "ssh configuration: line %d", i + 1);
	check_text(&f, other, "the same");
	for (int i = 0; i < HOSTS; i++)
		(void)err_set(&f.entries[i].why, ERR_REMOTE, "no answer");
	check_text(&f, each, "the same");
}

static void json_has_the_same_and_null_for_what_is_not_known(void **state)
{
	static const char *const parts[] = {
		"{\"lab\":\"lab\",\"hosts\":[{\"host\":\"a\",\"ready\":true,\"error\":null,"
		"\"config\":\"ssh -G\",\"address\":\"10.0.0.1:22\",\"host_key\":\"ssh-ed25519 "
		"SHA256:K0\",\"login\":\"key /home/me/.ssh/id_lab\"",
		"\"shell_noise\":null",
		"\"folder\":\"/var/tmp/.vnm-0123456789abcdef\"},\"clock_offset_us\":0,",
		"\"facts\":{\"os.version\":\"Debian 12\",\"os.kernel\":\"6.1.0\","
		"\"login.privilege\":\"root\"}",
		"{\"host\":\"gone\",\"ready\":false,\"error\":\"gone: connect to 10.0.0.3 port 22: "
		"refused\",\"config\":null,\"address\":null,\"host_key\":null,\"login\":null,",
		"\"agent\":null,\"clock_offset_us\":null,\"firewall\":{\"name\":null,\"chain\":"
		"null,"
		"\"cannot_read\":null,\"open_with\":null},\"facts\":{\"login.privilege\":null}",
		"{\"from\":\"b.eth1\",\"to\":\"a.eth1\",\"answer\":\"reached\",\"rtt_us\":51.5,"
		"\"error\":null}",
		"{\"from\":\"a.eth1\",\"to\":\"b.eth1\",\"answer\":\"reached\",\"rtt_us\":null,",
		"\"problems\":[{\"host\":\"gone\",\"level\":\"error\",\"text\":\"gone: connect to "
		"10.0.0.3 port 22: refused\",\"remedy\":null}]",
		"\"cells\":{\"planned\":4,\"measurable\":3,\"skipped_by_choice\":0,\"blocked\":1}}",
		NULL};
	struct fixture f;
	char *text;

	(void)state;
	set_up(&f);
	text = print(&f, true);
	for (size_t i = 0; parts[i] != NULL; i++)
		assert_holds(text, parts[i]);
	free(text);
	arena_done(&f.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hosts_that_are_well_have_a_line_and_what_is_known),
		cmocka_unit_test(a_clock_that_is_far_off_is_a_warning),
		cmocka_unit_test(a_remedy_of_several_problems_comes_once),
		cmocka_unit_test(who_blocks_a_port_decides_about_the_remedy),
		cmocka_unit_test(what_a_shell_says_is_shown_clean),
		cmocka_unit_test(what_a_host_calls_itself_is_shown_clean),
		cmocka_unit_test(a_nic_of_another_name_is_a_note_and_an_unknown_one_an_error),
		cmocka_unit_test(a_fault_of_this_machine_is_told_once),
		cmocka_unit_test(json_has_the_same_and_null_for_what_is_not_known),
	};

	return cmocka_run_group_tests_name("cli/check_view", tests, NULL, NULL);
}
