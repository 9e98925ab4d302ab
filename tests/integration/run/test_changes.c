/* SPDX-License-Identifier: MIT */
/*
 * Settings of real devices of this kernel, in network and mount namespaces of the test: a veth
 * pair is the NICs of two hosts, whose texts this machine's shell runs. All of run/changes.h but
 * SSH and agents. Needs root, ip(8) and ethtool(8).
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): unshare(2) */
#endif
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/clock.h"
#include "run/changes.h"
#include "run/result.h"
#include "tests/support/test.h"

enum { HOSTS = 2, ROWS_MAX = 32, EVENTS_MAX = 256, SECONDS_MAX = 40 };

#define MARK "c0ffee"

/* ---- links that run texts here ---- */

static struct {
	struct link_event events[EVENTS_MAX];
	size_t first, count;
	enum changes_phase hook_at; /* before a text of this phase; CHANGES_IDLE: never */
	const char *hook;           /* the command */
	enum changes_phase after_at;
	const char *after;
	enum changes_phase instead_at;
	const char *instead;        /* of the text */
	enum changes_phase down_at; /* the host is lost after a text of this phase */
	unsigned texts[CHANGES_RENEW + 1];
} net;

static struct changes c;

static void sh(const char *command)
{
	int status = system(command); /* NOLINT(cert-env33-c): a test's own words */

	if (status != 0)
		fail_msg("`%s` ends with %d", command, status);
}

static bool is_true(const char *command)
{
	return system(command) == 0; /* NOLINT(cert-env33-c): a test's own words */
}

static struct link_event *post(size_t host, enum link_event_kind kind)
{
	struct link_event *e = &net.events[net.count++ % EVENTS_MAX];

	assert_true(net.count - net.first <= EVENTS_MAX);
	*e = (struct link_event){.host = host, .kind = kind};
	return e;
}

struct link_set *link_set_new(const struct link_target *targets, size_t count,
                              const struct link_options *options, struct err *err)
{
	(void)targets;
	(void)count;
	(void)options;
	(void)err;
	return (struct link_set *)&net;
}

void link_connect(struct link_set *set, size_t host)
{
	(void)set;
	(void)host;
}

void link_run(struct link_set *set, size_t host, const char *command,
              const struct shell_marker *marker)
{
	(void)set;
	(void)host;
	(void)command;
	(void)marker;
	fail_msg("there is an agent");
}

void link_send(struct link_set *set, size_t host, const struct msg *msg)
{
	struct link_event *e;

	(void)set;
	assert_int_equal(msg->type, MSG_LEASE);
	if (msg->u.lease.path[0] != '\0')
		assert_int_equal(access(msg->u.lease.path, W_OK), 0);
	e = post(host, LINK_MESSAGE);
	msg_init(&e->msg, MSG_DONE, msg->id);
}

/* The host's guardian has a folder of its own: "D=" chooses the first place of the machine. */
static void write_text(size_t host, const char *text)
{
	FILE *f = fopen("/run/text", "we");

	assert_non_null(f);
	for (; *text != '\0'; text += strcspn(text, "\n") + 1) {
		int len = (int)strcspn(text, "\n");

		if (strncmp(text, "D=\n", 3) == 0)
			assert_true(fprintf(f, "D=/run/guard-%zu\n", host) > 0);
		else
			assert_true(fprintf(f, "%.*s\n", len, text) > 0);
		if (text[len] == '\0')
			break;
	}
	assert_int_equal(fclose(f), 0);
}

void link_run_text(struct link_set *set, size_t host, const struct link_text *what)
{
	enum changes_phase phase = c.at[host].phase;
	size_t said_before = net.count;
	char line[1024];
	FILE *shell;

	(void)set;
	net.texts[phase]++;
	if (phase == net.hook_at && net.hook != NULL)
		sh(net.hook);
	write_text(host, phase == net.instead_at && net.instead != NULL ? net.instead : what->text);
	shell = popen("m=" MARK "; eval \"$(cat /run/text)\"", "r"); /* NOLINT(cert-env33-c) */
	assert_non_null(shell);
	while (fgets(line, sizeof(line), shell) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, MARK " ", sizeof(MARK)) == 0)
			(void)snprintf(post(host, LINK_LINE)->line, LINK_LINE_BYTES, "%.500s",
			               line + sizeof(MARK));
	}
	(void)pclose(shell);
	if (phase == net.after_at && net.after != NULL)
		sh(net.after);
	if (phase == net.down_at && net.down_at != CHANGES_IDLE) {
		net.down_at = CHANGES_IDLE;
		net.count = said_before; /* nothing of it is heard */
		(void)err_set(&post(host, LINK_DOWN)->err, ERR_REMOTE, "connection lost");
		return;
	}
	(void)post(host, LINK_RAN);
}

bool link_next(struct link_set *set, uint64_t deadline_ns, int wake_fd, struct link_event *out)
{
	(void)set;
	(void)deadline_ns;
	(void)wake_fd;
	if (net.first == net.count)
		return false;
	*out = net.events[net.first++ % EVENTS_MAX];
	return true;
}

void link_set_free(struct link_set *set)
{
	(void)set;
}

/* ---- a journal that remembers ---- */

static struct {
	size_t count, fail_at;
	struct {
		enum journal_state state;
		char name[64], from[32], to[32], reason[256];
	} rows[ROWS_MAX + 1];
} kept;

static bool intend(void *ctx, const struct journal_change *change, int64_t *id, struct err *err)
{
	(void)ctx;
	if (++kept.count == kept.fail_at)
		return err_set(err, ERR_SYSTEM, "disk full");
	assert_true(kept.count <= ROWS_MAX);
	*id = (int64_t)kept.count;
	(void)snprintf(kept.rows[kept.count].name, 64, "%s %s", change->object, change->setting);
	(void)snprintf(kept.rows[kept.count].from, 32, "%s", change->value_before);
	(void)snprintf(kept.rows[kept.count].to, 32, "%s", change->value_requested);
	kept.rows[kept.count].state = JOURNAL_INTENDED;
	assert_non_null(change->guard_token);
	assert_true(strlen(change->apply_command) > 0 && strlen(change->restore_command) > 0 &&
	            strlen(change->read_command) > 0);
	return true;
}

static bool update(void *ctx, int64_t id, const struct journal_update *u, struct err *err)
{
	(void)ctx;
	(void)err;
	assert_true(journal_is_open(kept.rows[id].state)); /* a closed row is never updated */
	kept.rows[id].state = u->state;
	(void)snprintf(kept.rows[id].reason, 256, "%s", u->reason == NULL ? "" : u->reason);
	return true;
}

static const struct journal_sink journal = {.intend = intend, .update = update};

static void all_rows_are(enum journal_state state, size_t count)
{
	assert_int_equal(kept.count, count);
	for (size_t i = 1; i <= kept.count; i++) {
		if (kept.rows[i].state != state)
			fail_msg("row %zu, %s to %s: %s (%s)", i, kept.rows[i].name,
			         kept.rows[i].to, journal_state_names[kept.rows[i].state],
			         kept.rows[i].reason);
	}
}

/* ---- the stage ---- */

static struct topology topo;
static struct host hosts_of[HOSTS];
static struct nic nics[HOSTS];
static struct plan plan;
static struct plan_cell cells[4];
static struct plan_slot slots[4];
static struct hosts hosts;
static struct run_consent consent;
static bool can_run;

static int group_setup(void **state)
{
	(void)state;
	can_run = geteuid() == 0 && is_true("command -v ethtool >/dev/null && "
	                                    "command -v ip >/dev/null");
	if (!can_run)
		return 0;
	if (unshare(CLONE_NEWNET | CLONE_NEWNS) != 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mount("sysfs", "/sys", "sysfs", 0, NULL) != 0 ||
	    mount("tmpfs", "/run", "tmpfs", 0, "mode=755") != 0) {
		can_run = false;
		print_message("no namespaces here\n");
	}
	return 0;
}

static void add_cell(size_t i, uint32_t mtu, enum toggle tso, enum toggle lro)
{
	cells[i] = (struct plan_cell){.index = (uint32_t)i, .src = &nics[0], .dst = &nics[1]};
	cells[i].config.mtu_bytes = mtu;
	cells[i].config.tso = tso;
	cells[i].config.lro = lro;
	slots[i] = (struct plan_slot){.cell = (uint32_t)i, .block = 1};
	plan.cell_count = plan.slot_count = i + 1;
}

static void open_changes(void)
{
	const struct changes_options options = {&consent, &journal, "the test"};
	struct err err;

	assert_true(hosts_init(&hosts, &topo, &(struct link_options){.agent_path = NULL}, &err));
	for (size_t i = 0; i < HOSTS; i++) {
		hosts_use(&hosts, &nics[i]);
		hosts.at[i].state = HOSTS_READY;
		(void)snprintf(hosts.at[i].info.platform, 16, "linux");
		hosts.at[i].info.agent_pid = (uint32_t)getpid();
		hosts.at[i].info.survey.privilege = PRIVILEGE_ROOT;
		hosts_learn(&hosts, &nics[i], "nic.name", nics[i].name);
		hosts_learn(&hosts, &nics[i], "nic.mtu", "1500");
		hosts_learn(&hosts, &nics[i], "nic.tso", "on");
	}
	changes_open(&c, &hosts, &plan, &options);
}

static int setup(void **state)
{
	static const char *const names[] = {"v0", "v1"};

	(void)state;
	if (!can_run)
		return 0;
	memset(&net, 0, sizeof(net));
	memset(&kept, 0, sizeof(kept));
	memset(&topo, 0, sizeof(topo));
	memset(&plan, 0, sizeof(plan));
	consent = (struct run_consent){.no_change = false};
	for (size_t i = 0; i < HOSTS; i++) {
		hosts_of[i] = (struct host){.name = i == 0 ? "a" : "b",
		                            .connection = CONNECTION_LOCAL,
		                            .nics = &nics[i],
		                            .nic_count = 1};
		nics[i] = (struct nic){.name = names[i], .host = &hosts_of[i]};
	}
	topo.hosts = hosts_of;
	topo.host_count = HOSTS;
	topo.safety = (struct safety){SAFETY_MTU | SAFETY_TSO | SAFETY_LRO, 60000, true};
	plan.topology = &topo;
	plan.cells = cells;
	plan.slots = slots;
	sh("rm -rf /run/guard-* && echo 0 >/proc/sys/net/ipv6/conf/default/accept_dad && ip link "
	   "add v0 type veth peer name v1 && "
	   "ip addr add 10.9.0.1/24 dev v0 && ip addr add 10.9.0.2/24 dev v1 && "
	   "ip link set v0 up && ip link set v1 up && sleep 0.1 && "
	   "ip route add 10.99.0.0/16 dev v0");
	add_cell(0, 9000, TOGGLE_OFF, TOGGLE_UNCHANGED);
	add_cell(1, 1500, TOGGLE_ON, TOGGLE_UNCHANGED);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	if (!can_run)
		return 0;
	changes_close(&c);
	hosts_done(&hosts);
	(void)system(
		"for p in /run/guard-*/pid; do test -f $p && kill -9 $(cat $p); done; " /* NOLINT */
		"rm -rf /run/guard-*; ip link del v0 2>/dev/null; ip link del br9 2>/dev/null");
	return 0;
}

static bool is_stage_ready(void)
{
	if (!can_run)
		print_message("skipped: this needs root, ip and ethtool\n");
	return can_run;
}

static bool any_busy(void)
{
	for (size_t i = 0; i < HOSTS; i++) {
		if (changes_is_busy(&c, i) && c.at[i].phase != CHANGES_LOST)
			return true;
	}
	return net.first != net.count;
}

static void pump(void)
{
	uint64_t until = clock_now_ns() + SECONDS_MAX * CLOCK_NS_PER_S;

	while (any_busy()) {
		struct link_event event;

		if (link_next(hosts.links, 0, -1, &event))
			(void)changes_event(&c, &event, clock_now_ns());
		else
			(void)usleep(20000);
		(void)changes_tick(&c, clock_now_ns());
		assert_true(clock_now_ns() < until);
	}
}

static char reason[CHANGES_WHY_BYTES];

static void wants(size_t cell, uint32_t block, enum changes_answer answer)
{
	enum changes_answer a = changes_want(&c, &cells[cell], block, reason);

	if (a != answer)
		fail_msg("cell %zu: %d, not %d: %s", cell, (int)a, (int)answer, reason);
}

static void begin(size_t cell, uint32_t block)
{
	changes_begin(&c, &cells[cell], block);
	pump();
}

static void is_as(const char *nic, const char *mtu, const char *tso)
{
	char command[256];

	(void)snprintf(command, sizeof(command),
	               "test $(cat /sys/class/net/%s/mtu) = %s && "
	               "ethtool -k %s | grep -q '^tcp-segmentation-offload: %s'",
	               nic, mtu, nic, tso);
	if (!is_true(command))
		fail_msg("%s is not mtu %s, tso %s", nic, mtu, tso);
}

static void put_back(void)
{
	changes_end(&c);
	pump();
	assert_true(changes_have_ended(&c));
	is_as("v0", "1500", "on");
	is_as("v1", "1500", "on");
	assert_true(is_true("ip route show dev v0 | grep -q 10.99.0.0/16"));
	assert_false(is_true("test -d /run/guard-0 || test -d /run/guard-1"));
}

/* ---- tests ---- */

static void both_ends_are_changed_proven_and_put_back(void **state)
{
	(void)state;
	if (!is_stage_ready())
		return;
	open_changes();
	assert_true(changes_are_possible(&c));
	wants(0, 1, CHANGES_NEEDED);
	begin(0, 1);
	wants(0, 1, CHANGES_READY);
	wants(1, 1, CHANGES_NEEDED);
	is_as("v0", "9000", "off");
	is_as("v1", "9000", "off");
	all_rows_are(JOURNAL_CONFIRMED, 4);
	assert_string_equal(kept.rows[1].name, "v0 mtu");
	assert_string_equal(kept.rows[1].from, "1500");
	assert_string_equal(kept.rows[1].to, "9000");
	assert_int_equal(hosts_nic(&hosts, &nics[0])->mtu_bytes, 9000);
	assert_int_equal(hosts_nic(&hosts, &nics[1])->tso, TOGGLE_OFF);
	begin(1, 1);
	wants(1, 1, CHANGES_READY);
	is_as("v0", "1500", "on");
	all_rows_are(JOURNAL_CONFIRMED, 8);
	put_back();
	all_rows_are(JOURNAL_RESTORED, 8);
}

static void what_is_there_already_is_proven_without_a_change(void **state)
{
	(void)state;
	if (!is_stage_ready())
		return;
	open_changes();
	begin(1, 1);
	wants(1, 1, CHANGES_READY);
	assert_int_equal(kept.count, 0);
	assert_false(is_true("test -d /run/guard-0"));
	put_back();
}

/* So each block has an application of its own. */
static void a_switch_goes_away_and_back_in_a_new_block(void **state)
{
	(void)state;
	if (!is_stage_ready())
		return;
	open_changes();
	begin(1, 1);
	wants(1, 1, CHANGES_READY);
	wants(1, 2, CHANGES_NEEDED);
	begin(1, 2);
	wants(1, 2, CHANGES_READY);
	all_rows_are(JOURNAL_CONFIRMED, 4);
	assert_string_equal(kept.rows[1].to, "off");
	assert_string_equal(kept.rows[2].to, "on");
	put_back();
	all_rows_are(JOURNAL_RESTORED, 4);
}

static void refused(const char *part, const char *prepare)
{
	open_changes();
	if (prepare != NULL)
		sh(prepare);
	if (changes_want(&c, &cells[0], 1, reason) == CHANGES_NEEDED)
		begin(0, 1);
	wants(0, 1, CHANGES_CHOICE);
	assert_non_null(strstr(reason, RESULT_BY_CHOICE));
	if (strstr(reason, part) == NULL)
		fail_msg("'%s' tells nothing of '%s'", reason, part);
	is_as("v0", "1500", "on");
	wants(1, 1, consent.no_change ? CHANGES_READY : CHANGES_NEEDED);
}

static void without_consent_nothing_is_changed(void **state)
{
	(void)state;
	if (!is_stage_ready())
		return;
	consent.no_change = true;
	refused("--no-change", NULL);
	assert_false(changes_are_possible(&c));
}

static void a_setting_that_is_not_listed_is_left_alone(void **state)
{
	(void)state;
	if (!is_stage_ready())
		return;
	topo.safety.change = SAFETY_MTU;
	refused("not in `change` of `safety`", NULL);
}

static void a_nic_of_management_is_left_alone(void **state)
{
	(void)state;
	if (!is_stage_ready())
		return;
	nics[0].role = NIC_MGMT;
	refused("its role is mgmt", NULL);
}

static void the_way_of_ssh_is_left_alone(void **state)
{
	(void)state;
	if (!is_stage_ready())
		return;
	hosts_of[0].connection = CONNECTION_SSH;
	nics[0].allow_busy = true; /* of no avail */
	assert_int_equal(setenv("SSH_CONNECTION", "10.9.0.7 4711 10.9.0.1 22", 1), 0);
	refused("the SSH session of this run goes by it", NULL);
	assert_int_equal(unsetenv("SSH_CONNECTION"), 0);
}

static void a_bridge_member_is_left_alone(void **state)
{
	(void)state;
	if (!is_stage_ready())
		return;
	refused("it is a member of br9; `allow_busy: true`",
	        "ip link add br9 type bridge && ip link set v0 master br9");
}

static void the_default_route_is_left_alone(void **state)
{
	(void)state;
	if (!is_stage_ready())
		return;
	refused("the default route goes by it", "ip route add default via 10.9.0.9 dev v0");
}

static void a_busy_nic_is_changed_where_that_is_allowed(void **state)
{
	(void)state;
	if (!is_stage_ready())
		return;
	nics[0].allow_busy = true;
	open_changes();
	sh("ip route add default via 10.9.0.9 dev v0");
	begin(0, 1);
	wants(0, 1, CHANGES_READY);
	put_back();
	assert_true(is_true("ip route | grep -q ^default"));
}

static void cannot(size_t cell, const char *part)
{
	open_changes();
	begin(cell, 1);
	wants(cell, 1, CHANGES_FAULT);
	if (strstr(reason, part) == NULL)
		fail_msg("'%s' tells nothing of '%s'", reason, part);
	put_back();
}

static void limits_of_the_device_are_told(void **state)
{
	(void)state;
	if (!is_stage_ready())
		return;
	add_cell(2, 70000, TOGGLE_UNCHANGED, TOGGLE_UNCHANGED);
	cannot(2, "mtu 70000 is above 65535: the device takes no more");
	assert_int_equal(kept.count, 0);
}

static void what_the_driver_lacks_is_told(void **state)
{
	(void)state;
	if (!is_stage_ready())
		return;
	add_cell(2, 0, TOGGLE_UNCHANGED, TOGGLE_ON);
	cannot(2, "lro of a.v0 cannot be on");
	assert_int_equal(kept.count, 0);
}

static void ipv6_keeps_its_least_mtu(void **state)
{
	(void)state;
	if (!is_stage_ready())
		return;
	sh("echo 0 >/proc/sys/net/ipv6/conf/v0/disable_ipv6");
	add_cell(2, 1000, TOGGLE_UNCHANGED, TOGGLE_UNCHANGED);
	cannot(2, "below 1280");
}

static void a_refusal_of_the_host_is_told_and_all_is_put_back(void **state)
{
	(void)state;
	if (!is_stage_ready())
		return;
	net.instead_at = CHANGES_APPLY;
	net.instead = "echo \"$m set 0 2 RTNETLINK answers: Device or resource busy\"\n"
		      "echo \"$m set 1 0\"\nethtool -K v0 tso off; :\n";
	cannot(0, "RTNETLINK answers: Device or resource busy");
	assert_int_equal(kept.rows[1].state, JOURNAL_NOT_APPLIED);
	assert_int_equal(kept.rows[2].state, JOURNAL_RESTORED);
}

static void a_value_that_did_not_take_is_found_out(void **state)
{
	(void)state;
	if (!is_stage_ready())
		return;
	net.after_at = CHANGES_APPLY;
	net.after = "ip link set v0 mtu 1500";
	cannot(0, "the host took the command, and mtu of v0 is 1500");
	all_rows_are(JOURNAL_RESTORED, 4);
}

static void a_route_that_a_change_costs_is_found_out(void **state)
{
	(void)state;
	if (!is_stage_ready())
		return;
	net.after_at = CHANGES_APPLY;
	net.after = "ip route del 10.99.0.0/16 dev v0 2>/dev/null; true";
	open_changes();
	begin(0, 1);
	wants(0, 1, CHANGES_FAULT);
	assert_non_null(strstr(reason, "gone: route 10.99.0.0/16"));
	is_as("v0", "1500", "on");
}

static void no_row_no_change(void **state)
{
	(void)state;
	if (!is_stage_ready())
		return;
	kept.fail_at = 1;
	open_changes();
	begin(0, 1);
	assert_true(c.has_failed);
	assert_int_equal(net.texts[CHANGES_APPLY], 0);
	is_as("v0", "1500", "on");
	put_back();
}

static void another_run_is_told(void **state)
{
	(void)state;
	if (!is_stage_ready())
		return;
	net.hook_at = CHANGES_ARM;
	net.hook = "mkdir -p /run/guard-0 && cd /run/guard-0 && echo other >token && "
		   "echo run 7 of pc9 >owner && { sh -c 'n=0; while test $n -lt 40; do n=$((n+1)); "
		   "echo $n >tick; sleep 0.2; done' >/dev/null 2>&1 & } && echo $! >pid";
	open_changes();
	begin(0, 1);
	wants(0, 1, CHANGES_FAULT);
	assert_non_null(strstr(reason, "another run changes settings there: run 7 of pc9"));
	is_as("v0", "1500", "on");
}

/* The guardian's own doing: the test in between does not count, and the next gap begins anew. */
static void a_guardian_that_fired_is_noticed(void **state)
{
	(void)state;
	if (!is_stage_ready())
		return;
	open_changes();
	begin(0, 1);
	assert_true(changes_verify(&c, &cells[0]));
	pump();
	assert_false(changes_was_void(&c, &cells[0]));
	wants(0, 1, CHANGES_READY);
	sh("kill $(cat /run/guard-0/pid); n=0; until test $(cat /sys/class/net/v0/mtu) = 1500; "
	   "do n=$((n+1)); test $n -lt 100; sleep 0.1; done; sleep 0.5");
	assert_true(changes_verify(&c, &cells[0]));
	pump();
	assert_true(changes_was_void(&c, &cells[0]));
	assert_int_equal(kept.rows[1].state, JOURNAL_RESTORED);
	wants(0, 1, CHANGES_NEEDED);
	begin(0, 1);
	wants(0, 1, CHANGES_READY);
	is_as("v0", "9000", "off");
	put_back();
	all_rows_are(JOURNAL_RESTORED, 6);
}

static void a_lost_host_is_taken_over_and_read_again(void **state)
{
	struct link_event down = {.host = 0, .kind = LINK_DOWN};

	(void)state;
	if (!is_stage_ready())
		return;
	open_changes();
	begin(0, 1);
	assert_false(changes_event(&c, &down, clock_now_ns()));
	wants(0, 1, CHANGES_BUSY);
	changes_host_ready(&c, 0, clock_now_ns());
	pump();
	is_as("v0", "9000", "off");
	wants(0, 1, CHANGES_NEEDED);
	begin(0, 1);
	wants(0, 1, CHANGES_READY);
	all_rows_are(JOURNAL_CONFIRMED, 4);
	put_back();
	all_rows_are(JOURNAL_RESTORED, 4);
}

static void a_change_that_costs_the_connection_is_put_back(void **state)
{
	(void)state;
	if (!is_stage_ready())
		return;
	net.down_at = CHANGES_APPLY;
	open_changes();
	begin(0, 1);
	changes_host_ready(&c, 0, clock_now_ns());
	pump();
	wants(0, 1, CHANGES_FAULT);
	assert_non_null(strstr(reason, "the host was lost while its settings were changed"));
	is_as("v0", "1500", "on");
	put_back();
	assert_int_equal(kept.rows[1].state, JOURNAL_NOT_APPLIED);
}

int main(void)
{
#define STAGED(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
	const struct CMUnitTest tests[] = {
		STAGED(both_ends_are_changed_proven_and_put_back),
		STAGED(what_is_there_already_is_proven_without_a_change),
		STAGED(a_switch_goes_away_and_back_in_a_new_block),
		STAGED(without_consent_nothing_is_changed),
		STAGED(a_setting_that_is_not_listed_is_left_alone),
		STAGED(a_nic_of_management_is_left_alone),
		STAGED(the_way_of_ssh_is_left_alone),
		STAGED(a_bridge_member_is_left_alone),
		STAGED(the_default_route_is_left_alone),
		STAGED(a_busy_nic_is_changed_where_that_is_allowed),
		STAGED(limits_of_the_device_are_told),
		STAGED(what_the_driver_lacks_is_told),
		STAGED(ipv6_keeps_its_least_mtu),
		STAGED(a_refusal_of_the_host_is_told_and_all_is_put_back),
		STAGED(a_value_that_did_not_take_is_found_out),
		STAGED(a_route_that_a_change_costs_is_found_out),
		STAGED(no_row_no_change),
		STAGED(another_run_is_told),
		STAGED(a_guardian_that_fired_is_noticed),
		STAGED(a_lost_host_is_taken_over_and_read_again),
		STAGED(a_change_that_costs_the_connection_is_put_back),
	};

	return cmocka_run_group_tests(tests, group_setup, NULL);
}
