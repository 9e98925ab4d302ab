/* SPDX-License-Identifier: MIT */
/* Which cores are chosen, by files as the kernel has them, in a folder of our own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/linux_cores.h"
#include "tests/support/test.h"

static char root[] = "/tmp/vnm-cores-XXXXXX";
static char device[64];
static char irqs[64];

/* text NULL: a folder. */
static void put(const char *name, const char *text)
{
	char path[128];
	FILE *file;

	(void)snprintf(path, sizeof(path), "%s/%s", root, name);
	if (text == NULL) {
		assert_int_equal(mkdir(path, 0700), 0);
		return;
	}
	file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static int make_files(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(root));
	(void)snprintf(device, sizeof(device), "%s/device", root);
	(void)snprintf(irqs, sizeof(irqs), "%s/irq", root);
	put("device", NULL);
	put("device/local_cpulist", "0-3\n");
	put("device/msi_irqs", NULL);
	put("device/msi_irqs/24", "msix\n");
	put("device/msi_irqs/25", "msix\n");
	put("device/msi_irqs/26", "msix\n");
	put("irq", NULL);
	put("irq/24", NULL);
	put("irq/24/smp_affinity_list", "0-3\n"); /* where it may arrive: anywhere */
	put("irq/24/effective_affinity_list", "0\n");
	put("irq/25", NULL);
	put("irq/25/smp_affinity_list", "2\n"); /* an older kernel tells no more */
	return 0; /* 26 is in no folder: not yet requested by the driver */
}

static int remove_files(void **state)
{
	char command[128];

	(void)state;
	(void)snprintf(command, sizeof(command), "rm -r %s", root);
	return system(command); /* NOLINT(cert-env33-c): a folder of our own */
}

static void check(const char *own_list, const char *wanted)
{
	struct number_set own;
	struct number_set got;
	char text[64];

	assert_true(number_set_parse(own_list, &own));
	if (wanted == NULL) {
		assert_false(linux_near_cores(device, irqs, &own, &got));
		return;
	}
	assert_true(linux_near_cores(device, irqs, &own, &got));
	number_set_format(&got, text, sizeof(text));
	assert_string_equal(text, wanted);
}

static void near_cores_without_interrupts_are_chosen(void **state)
{
	(void)state;
	check("0-7", "1,3");
	check("3-7", "3");
	check("0,2", "0,2"); /* all near ones serve interrupts: never none */
	check("4-7", NULL);  /* we may use no core that is near */
}

static void a_device_that_says_nothing_sets_no_limit(void **state)
{
	(void)state;
	(void)snprintf(device, sizeof(device), "%s/nothing", root);
	check("0-7", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(near_cores_without_interrupts_are_chosen),
		cmocka_unit_test(a_device_that_says_nothing_sets_no_limit),
	};

	return cmocka_run_group_tests_name("agent/platform/linux_cores", tests, make_files,
	                                   remove_files);
}
