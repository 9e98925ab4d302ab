/* SPDX-License-Identifier: MIT */
/*
 * The lines of tunable.h in every shell of this machine, over tools that print the samples: what
 * they say of a setting, its limits, and what would set it and put it back.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/attr.h"
#include "hostops/tunable.h"
#include "tests/support/test.h"
#include "tests/unit/orchestrator/hostops/samples.h"
#include "tests/unit/orchestrator/hostops/shells.h"

#define U TUNABLE_UNKNOWN

static char bin[] = "/tmp/tunable-XXXXXX";

struct tool {
	const char *name, *args, *sample;
};

#define VMX_ON                                                                \
	{                                                                     \
		"ifconfig", "vmx0", "freebsd/ifconfig-vmx0-lro-on-core13.txt" \
	}
#define VMX_OFF                                                                \
	{                                                                      \
		"ifconfig", "vmx0", "freebsd/ifconfig-vmx0-default-no-lro.txt" \
	}
#define EM                                                               \
	{                                                                \
		"ifconfig", "em0", "freebsd/ifconfig-em0-mtu9000-12.txt" \
	}
#define EM_M                                                                \
	{                                                                   \
		"ifconfig", "-m em0", "freebsd/ifconfig-em0-mtu9000-12.txt" \
	}
#define VMX_M                                                                    \
	{                                                                        \
		"ifconfig", "-m vmx0", "freebsd/ifconfig-vmx0-lro-on-core13.txt" \
	}
#define VMX0_M                                                                    \
	{                                                                         \
		"ifconfig", "-m vmx0", "freebsd/ifconfig-vmx0-default-no-lro.txt" \
	}
#define VMKS                                                                        \
	{                                                                           \
		"esxcli", "network ip interface list", "esxi/ip-interface-list.txt" \
	}
#define SWITCHES                                                                            \
	{                                                                                   \
		"esxcli", "network vswitch standard list", "esxi/vswitch-standard-list.txt" \
	}
#define RING                                                                                    \
	{                                                                                       \
		"esxcli", "network nic ring current get -n vmnic4", "esxi/nic-ring-current.txt" \
	}
#define RING_MAX                                                                              \
	{                                                                                     \
		"esxcli", "network nic ring preset get -n vmnic4", "esxi/nic-ring-preset.txt" \
	}
#define OPTION                                                              \
	{                                                                   \
		"esxcli", "system settings advanced list -o /Net/UseHwTSO", \
			"esxi/adv-UseHwTSO.txt"                             \
	}
#define EXEC(f)                                                                         \
	{                                                                               \
		"esxcli", "system settings advanced list -o /User/execInstalledOnly", f \
	}
#define DOMAINS                                                                              \
	{                                                                                    \
		"localcli", "system secpolicy domain list", "esxi/secpolicy-domain-list.txt" \
	}
#define FIREWALL(f)                                 \
	{                                           \
		"esxcli", "network firewall get", f \
	}
#define K(nic, f)                       \
	{                               \
		"ethtool", "-k " nic, f \
	}
#define G(nic, f)                       \
	{                               \
		"ethtool", "-g " nic, f \
	}

/* clang-format off */
static const struct {
	struct tunable t;
	struct tool tools[2];
	const char *value; /* "": unknown */
	int64_t min, max;
	const char *to, *set, *undo; /* NULL: refused, and `set` is part of the reason */
} cases[] = {
	{{TUNABLE_LINUX, TUNABLE_LRO, "ens192"}, {K("ens192", "linux/ethtool-k-vmxnet3.txt")}, "on", U, U,
	 "off", "ethtool -K ens192 lro off", "ethtool -K ens192 lro on"},
	{{TUNABLE_LINUX, TUNABLE_TSO, "ens192"}, {K("ens192", "linux/ethtool-k-vmxnet3.txt")}, "on", U, U,
	 "off", "ethtool -K ens192 tso off",
	 "ethtool -K ens192 tx-tcp-segmentation on tx-tcp6-segmentation on"},
	{{TUNABLE_LINUX, TUNABLE_TX_CHECKSUM, "ens192"}, {K("ens192", "linux/ethtool-k-vmxnet3.txt")}, "on", U, U,
	 "off", "ethtool -K ens192 tx off", "ethtool -K ens192 tx-checksum-ip-generic on"},
	{{TUNABLE_LINUX, TUNABLE_TSO, "eth0"}, {K("eth0", "linux/ethtool-k-virtio_net.txt")}, "on", U, U,
	 "off", "ethtool -K eth0 tso off",
	 "ethtool -K eth0 tx-tcp-segmentation on tx-tcp-mangleid-segmentation off tx-tcp6-segmentation on"},
	{{TUNABLE_LINUX, TUNABLE_LRO, "eth0"}, {K("eth0", "linux/ethtool-k-virtio_net.txt")}, "off", U, U,
	 "on", "the driver of eth0 has it fixed at off", NULL},
	{{TUNABLE_LINUX, TUNABLE_RX_CHECKSUM, "eth0"}, {K("eth0", "linux/ethtool-k-virtio_net.txt")}, "on", U, U,
	 "off", "the driver of eth0 has it fixed at on", NULL},
	{{TUNABLE_LINUX, TUNABLE_GSO, "bond0"}, {K("bond0", "linux/ethtool-k-requested.txt")}, "off", U, U,
	 "on", "the kernel holds it off", NULL},
	{{TUNABLE_LINUX, TUNABLE_GRO, "bond0"}, {K("bond0", "linux/ethtool-k-requested.txt")}, "on", U, U,
	 "off", "ethtool -K bond0 gro off", "ethtool -K bond0 gro on"},
	{{TUNABLE_LINUX, TUNABLE_TSO, "bond0"}, {K("bond0", "linux/ethtool-k-requested.txt")}, "on", U, U,
	 "off", "has tx-tcp-segmentation fixed at on", NULL},
	{{TUNABLE_LINUX, TUNABLE_TSO, "eth9"}, {K("eth9", "linux/ethtool-errors.txt")}, "", U, U,
	 "off", "cannot be read", NULL},
	{{TUNABLE_LINUX, TUNABLE_RX_RING, "ens192"}, {G("ens192", "linux/ethtool-g-old.txt")}, "1024", 1, 4096,
	 "4096", "ethtool -G ens192 rx 4096", "ethtool -G ens192 rx 1024"},
	{{TUNABLE_LINUX, TUNABLE_TX_RING, "ens192"}, {G("ens192", "linux/ethtool-g-old.txt")}, "512", 1, 4096,
	 "8192", "is above 4096: the device's ring", NULL},
	{{TUNABLE_LINUX, TUNABLE_RX_RING, "eth0"}, {G("eth0", "linux/ethtool-g-6.1.txt")}, "256", 1, 256,
	 "512", "is above 256", NULL},
	{{TUNABLE_FREEBSD, TUNABLE_LRO, "vmx0"}, {VMX_ON, VMX_M}, "on", U, U,
	 "off", "ifconfig vmx0 -lro", "ifconfig vmx0 lro"},
	{{TUNABLE_FREEBSD, TUNABLE_TSO, "vmx0"}, {VMX_ON, VMX_M}, "on", U, U,
	 "off", "ifconfig vmx0 -tso", "ifconfig vmx0 tso4 tso6"},
	{{TUNABLE_FREEBSD, TUNABLE_LRO, "vmx0"}, {VMX_OFF, VMX0_M}, "off", U, U,
	 "on", "ifconfig vmx0 lro", "ifconfig vmx0 -lro"},
	{{TUNABLE_FREEBSD, TUNABLE_RX_CHECKSUM, "vmx0"}, {VMX_ON, VMX_M}, "on", U, U,
	 "off", "ifconfig vmx0 -rxcsum -rxcsum6", "ifconfig vmx0 rxcsum rxcsum6 lro"},
	{{TUNABLE_FREEBSD, TUNABLE_TX_CHECKSUM, "vmx0"}, {VMX_OFF, VMX0_M}, "on", U, U,
	 "off", "ifconfig vmx0 -txcsum -txcsum6", "ifconfig vmx0 txcsum txcsum6 -tso4 -tso6"},
	/* Only some of the options' names differ in later releases, the bits do not. */
	{{TUNABLE_FREEBSD, TUNABLE_TSO, "ice0"}, {{"ifconfig", "ice0", "freebsd/ifconfig-ice0-13-nomap.txt"}},
	 "on", U, U, "off", "ifconfig ice0 -tso", "ifconfig ice0 tso"},
	{{TUNABLE_FREEBSD, TUNABLE_LRO, "vmx0"}, {{"ifconfig", "vmx0", "freebsd/ifconfig-14-lowercase.txt"}},
	 "off", U, U, "on", "ifconfig vmx0 lro", "ifconfig vmx0 -lro"},
	{{TUNABLE_FREEBSD, TUNABLE_MTU, "vmx0"}, {VMX_ON, VMX_M}, "1500", U, 9000,
	 "9000", "ifconfig vmx0 mtu 9000", "ifconfig vmx0 mtu 1500"},
	{{TUNABLE_FREEBSD, TUNABLE_MTU, "vmx0"}, {VMX_ON, VMX_M}, "1500", U, 9000,
	 "9190", "above 9000: vmxnet3 takes 9000, though vmx(4) accepts more", NULL},
	{{TUNABLE_FREEBSD, TUNABLE_MTU, "em0"}, {EM, EM_M}, "9000", 1280, 9216,
	 "9217", "above 9216: em(4) takes 9216", NULL},
	{{TUNABLE_FREEBSD, TUNABLE_MTU, "em0"}, {EM, EM_M}, "9000", 1280, 9216,
	 "1000", "below 1280: IPv6 is on", NULL},
	{{TUNABLE_FREEBSD, TUNABLE_MAXSOCKBUF, ""}, {{"sysctl", "-n kern.ipc.maxsockbuf", "=2097152"}}, "2097152", U, U,
	 "4194304", "sysctl kern.ipc.maxsockbuf=4194304", "sysctl kern.ipc.maxsockbuf=2097152"},
	{{TUNABLE_ESXI, TUNABLE_MTU, "vmk0"}, {VMKS, SWITCHES}, "1500", 1280, 9000,
	 "9000", "esxcli network ip interface set -i vmk0 -m 9000", "esxcli network ip interface set -i vmk0 -m 1500"},
	{{TUNABLE_ESXI, TUNABLE_MTU, "vmk1"}, {VMKS, SWITCHES}, "9000", 1280, 9000,
	 "9001", "above 9000", NULL},
	{{TUNABLE_ESXI, TUNABLE_MTU, "vmk"}, {VMKS, SWITCHES}, "", 1280, U,
	 "9000", "cannot be read", NULL},
	{{TUNABLE_ESXI, TUNABLE_VSWITCH_MTU, "vSwitch0"}, {SWITCHES}, "1500", 1280, 9000,
	 "9000", "esxcli network vswitch standard set -v vSwitch0 -m 9000", "esxcli network vswitch standard set -v vSwitch0 -m 1500"},
	{{TUNABLE_ESXI, TUNABLE_VSWITCH_MTU, "switch01"}, {SWITCHES}, "9000", 1280, 9000,
	 "1500", "is 9000 and is never set below", NULL},
	{{TUNABLE_ESXI, TUNABLE_RX_RING, "vmnic4"}, {RING, RING_MAX}, "1024", 1, 4096,
	 "4096", "esxcli network nic ring current set -n vmnic4 -r 4096", "esxcli network nic ring current set -n vmnic4 -r 1024"},
	{{TUNABLE_ESXI, TUNABLE_OPTION, "/Net/UseHwTSO"}, {OPTION}, "0", 0, 1,
	 "1", "esxcli system settings advanced set -o /Net/UseHwTSO -i 1", "esxcli system settings advanced set -o /Net/UseHwTSO -i 0"},
	{{TUNABLE_ESXI, TUNABLE_OPTION, "/Net/UseHwTSO"}, {OPTION}, "0", 0, 1,
	 "2", "above 1: the option's greatest value", NULL},
	{{TUNABLE_ESXI, TUNABLE_EXEC_INSTALLED_ONLY, ""}, {EXEC("esxi/adv-execInstalledOnly-8.txt")}, "1", 0, 1,
	 "0", "esxcli system settings advanced set -o /User/execInstalledOnly -i 0", "esxcli system settings advanced set -o /User/execInstalledOnly -i 1"},
	{{TUNABLE_ESXI, TUNABLE_EXEC_INSTALLED_ONLY, ""}, {EXEC("esxi/adv-missing-option.txt")}, "", U, U,
	 "0", "this release of ESXi has no option /User/execInstalledOnly", NULL},
	{{TUNABLE_ESXI, TUNABLE_FIREWALL, ""}, {FIREWALL("esxi/firewall-get.txt")}, "true", U, U,
	 "false", "esxcli network firewall set --enabled false", "esxcli network firewall set --enabled true"},
	{{TUNABLE_ESXI, TUNABLE_FIREWALL, ""}, {FIREWALL("esxi/firewall-get-disabled.txt")}, "false", U, U,
	 "true", "esxcli network firewall set --enabled true", "esxcli network firewall set --enabled false"},
	{{TUNABLE_ESXI, TUNABLE_FIREWALL_ACTION, ""}, {FIREWALL("esxi/firewall-get.txt")}, "DROP", U, U,
	 "PASS", "esxcli network firewall set --default-action true", "esxcli network firewall set --default-action false"},
	{{TUNABLE_ESXI, TUNABLE_RULESET, "gdbserver"}, {{"esxcli", "network firewall ruleset list -r gdbserver",
	 "=Name       Enabled\n---------  -------\ngdbserver  false"}}, "false", U, U,
	 "true", "esxcli network firewall ruleset set -r gdbserver -e true", "esxcli network firewall ruleset set -r gdbserver -e false"},
	{{TUNABLE_ESXI, TUNABLE_SECPOLICY, "appDom"}, {DOMAINS}, "enforcing", U, U,
	 "disabled", "localcli system secpolicy domain set -n appDom -l disabled", "localcli system secpolicy domain set -n appDom -l enforcing"},
	{{TUNABLE_GENERIC, TUNABLE_MTU, "em0"}, {EM}, "9000", 1280, U,
	 "1500", "ifconfig em0 mtu 1500", "ifconfig em0 mtu 9000"},
	{{TUNABLE_GENERIC, TUNABLE_MTU, "eth0"}, {{"ifconfig", "eth0", "=          UP BROADCAST RUNNING MULTICAST  MTU:1400  Metric:1"}},
	 "1400", 1280, U, "1500", "ifconfig eth0 mtu 1500", "ifconfig eth0 mtu 1400"},
};
/* clang-format on */

/* Programs of these names print the sample for these arguments, and fail for others. */
static void make_tools(const struct tool tools[2])
{
	static const char *const names[] = {"ifconfig", "esxcli", "localcli", "ethtool", "sysctl"};

	for (size_t n = 0; n < COUNT_OF(names); n++) {
		char path[64];
		FILE *f;

		(void)snprintf(path, sizeof(path), "%s/%s", bin, names[n]);
		f = fopen(path, "w");
		assert_non_null(f);
		(void)fprintf(f, "#!/bin/sh\ncase \"$*\" in\n");
		for (size_t i = 0; i < 2 && tools[i].name != NULL; i++) {
			const char *sample = tools[i].sample;

			if (strcmp(tools[i].name, names[n]) != 0)
				continue;
			if (sample[0] == '=')
				(void)fprintf(f, "'%s') echo '%s';;\n", tools[i].args, sample + 1);
			else
				(void)fprintf(f, "'%s') cat '%s/%s';;\n", tools[i].args, SAMPLES,
				              sample);
		}
		(void)fprintf(f, "*) echo 'no such thing' >&2; exit 1;;\nesac\n");
		assert_int_equal(fchmod(fileno(f), 0755), 0);
		assert_int_equal(fclose(f), 0);
	}
}

/* Not POSIX shells: they are given `exec /bin/sh -c`, whatever is in it. */
static bool is_login_only(const struct shell *s)
{
	return strcmp(s->name, "tcsh") == 0 || strcmp(s->name, "fish") == 0;
}

/* Runs a script; standard output is *out's. */
static void run(const struct shell *s, const char *script, struct text *out)
{
	struct text wrapped = {0};
	char said[4096];
	const char *line = script;
	struct err err;
	int pipes[2];
	int status;
	ssize_t n;
	pid_t pid;

	/* The same characters are good for both. */
	assert_true(shell_command(&wrapped, script, &err));
	if (is_login_only(s))
		line = text_str(&wrapped);
	text_clear(out);
	assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);

		(void)dup2(null_fd, STDIN_FILENO);
		(void)dup2(pipes[1], STDOUT_FILENO);
		if (s->applet != NULL)
			(void)execl(s->path, s->path, s->applet, "-c", line, (char *)NULL);
		else
			(void)execl(s->path, s->path, "-c", line, (char *)NULL);
		_exit(99);
	}
	(void)close(pipes[1]);
	while ((n = read(pipes[0], said, sizeof(said))) > 0)
		text_add_bytes(out, said, (size_t)n);
	(void)close(pipes[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	text_done(&wrapped);
}

static void read_marked(struct tunable_reader *r, const struct shell_marker *marker,
                        const char *said)
{
	char line[1024];

	while (*said != '\0') {
		size_t len = strcspn(said, "\n");
		const char *marked;

		assert_true(len < sizeof(line));
		memcpy(line, said, len);
		line[len] = '\0';
		marked = shell_marker_read(marker, line);
		if (marked != NULL)
			tunable_read(r, marked);
		said += len + (said[len] == '\n');
	}
}

static void check_lines(size_t i, const struct tunable_reading *reading)
{
	struct text line = {0};
	struct err err = {0};
	bool ok = tunable_check(&cases[i].t, reading, cases[i].to, &err);

	if (cases[i].undo == NULL) {
		if (ok || strstr(err.msg, cases[i].set) == NULL)
			fail_msg("case %zu: '%s' instead of '%s'", i, err.msg, cases[i].set);
		text_done(&line);
		return;
	}
	if (!ok)
		fail_msg("case %zu: %s", i, err.msg);
	assert_true(tunable_set_line(&line, &cases[i].t, reading, cases[i].to, &err));
	assert_string_equal(text_str(&line), cases[i].set);
	text_clear(&line);
	assert_true(tunable_undo_line(&line, &cases[i].t, reading, &err));
	assert_string_equal(text_str(&line), cases[i].undo);
	text_done(&line);
}

static void try_case(size_t i, const struct shell *s)
{
	struct tunable_reading reading;
	struct tunable_reader r;
	struct shell_marker marker;
	struct text script = {0};
	struct text line = {0};
	struct text said = {0};
	struct err err;

	assert_true(shell_marker_init(&marker, &err));
	assert_true(tunable_probe(&script, &marker, &cases[i].t, 1, &err));
	run(s, text_str(&script), &said);
	tunable_read_begin(&r, &cases[i].t, &reading, 1);
	read_marked(&r, &marker, text_str(&said));
	tunable_read_done(&r);
	assert_true(reading.is_complete);
	if (strcmp(reading.value, cases[i].value) != 0)
		fail_msg("case %zu, %s: '%s' instead of '%s'", i, s->name, reading.value,
		         cases[i].value);
	assert_int_equal(reading.min, cases[i].min);
	assert_int_equal(reading.max, cases[i].max);
	check_lines(i, &reading);

	/* The line alone says the same. */
	text_clear(&script);
	assert_true(tunable_read_line(&script, &cases[i].t, &err));
	run(s, text_str(&script), &said);
	text_printf(&line, "%s%s", cases[i].value, cases[i].value[0] == '\0' ? "" : "\n");
	assert_string_equal(text_str(&said), text_str(&line));
	text_done(&said);
	text_done(&line);
	text_done(&script);
}

static void lines_work_in_every_shell(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		/* Lines of one kind differ in words alone: the others are given some of each. */
		bool is_some = i % 5 == 0;

		make_tools(cases[i].tools);
		for (const struct shell *s = shells; s->name != NULL; s++) {
			bool is_main = s->applet != NULL || strcmp(s->name, "dash") == 0;

			if (shell_is_there(s) && (is_main || is_some))
				try_case(i, s);
		}
	}
}

static int begin(void **state)
{
	char path[4096];

	(void)state;
	if (mkdtemp(bin) == NULL)
		return -1;
	(void)snprintf(path, sizeof(path), "%s:%s", bin, getenv("PATH"));
	return setenv("PATH", path, 1);
}

static int end(void **state)
{
	static const char *const names[] = {"ifconfig", "esxcli", "localcli", "ethtool", "sysctl"};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		char path[64];

		(void)snprintf(path, sizeof(path), "%s/%s", bin, names[i]);
		(void)unlink(path);
	}
	return rmdir(bin);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_work_in_every_shell),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
