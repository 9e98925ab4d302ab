/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "common/attr.h"
#include "hostops/vim_cmd.h"
#include "tests/support/test.h"

static void lines_that_are_no_vm_are_passed_over(void **state)
{
	static const char *const texts[] = {
		"",
		"Vmid Name File Guest OS Version Annotation\n",
		"7\n",
		"7 a\n",
		"7 a [ds] a/a.vmx\n",
		"7 a [ds] a/a.vmx guest\n",
		"7 a a/a.vmx guest vmx-10\n",
		"x a [ds] a/a.vmx guest vmx-10\n",
		"99999999999999999999 a [ds] a/a.vmx guest vmx-10\n",
		"7 a [ds] a/a.vmx  vmx-10\n",
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		struct arena arena = {0};

		if (vim_vms_read(&arena, texts[i]).count != 0)
			fail_msg("%s", texts[i]);
		arena_done(&arena);
	}
}

static void names_and_folders_hold_what_they_like(void **state)
{
	struct arena arena = {0};
	struct vim_vms all = vim_vms_read(&arena, "3      [b] c.vmx d     [ds [1]] a [b]/a [b].vmx "
	                                          "  otherGuest   vmx-08   note [z] x.vmx vmx-1\n");

	(void)state;
	assert_int_equal(all.count, 1);
	assert_int_equal(all.at[0].id, 3);
	assert_string_equal(all.at[0].name, "[b] c.vmx d");
	assert_string_equal(all.at[0].file, "[ds [1]] a [b]/a [b].vmx");
	assert_string_equal(all.at[0].guest, "otherGuest");
	assert_string_equal(all.at[0].hardware, "vmx-08");
	arena_done(&arena);
}

/* Older releases. */
static void commas_with_blanks_and_dynamic_types_are_no_matter(void **state)
{
	static const char text[] = "(vim.vm.GuestInfo) {\n"
				   "   dynamicType = <unset>, \n"
				   "   guestId = \"a, b\", \n"
				   "   note = 'x', \n"
				   "   guestId = \"second\", \n"
				   "   count = 4\n"
				   "}\n";
	struct arena arena = {0};

	(void)state;
	assert_null(vim_value(&arena, text, "dynamicType"));
	assert_string_equal(vim_value(&arena, text, "guestId"), "a, b");
	assert_string_equal(vim_value(&arena, text, "note"), "x");
	assert_string_equal(vim_value(&arena, text, "count"), "4");
	assert_null(vim_value(&arena, text, "coun"));
	arena_done(&arena);
}

static void other_devices_are_no_adapters(void **state)
{
	static const char text[] = "   device = (vim.vm.device.VirtualDevice) [\n"
				   "      (vim.vm.device.VirtualKeyboard) {\n"
				   "         key = 300,\n"
				   "      },\n"
				   "      (vim.vm.device.VirtualNewerCard) {\n"
				   "         deviceInfo = (vim.Description) {\n"
				   "            label = \"Network adapter 9\",\n"
				   "         },\n"
				   "         macAddress = <unset>,\n"
				   "      },\n"
				   "      (vim.vm.device.VirtualDisk) {\n"
				   "      }\n";
	struct arena arena = {0};
	struct vim_nics all = vim_nics_read(&arena, text);

	(void)state;
	assert_int_equal(all.count, 1);
	assert_null(all.at[0].adapter);
	assert_string_equal(all.at[0].label, "Network adapter 9");
	assert_null(all.at[0].mac);
	assert_null(all.at[0].network);
	arena_done(&arena);
}

static void power_is_a_line_of_its_own(void **state)
{
	(void)state;
	assert_int_equal(vim_power_read("Retrieved runtime info\r\nPowered off\r\n"),
	                 VIM_POWER_OFF);
	assert_int_equal(vim_power_read("Suspended"), VIM_POWER_SUSPENDED);
	assert_int_equal(vim_power_read("Powered on by someone\n"), VIM_POWER_UNKNOWN);
	assert_int_equal(vim_power_read(""), VIM_POWER_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_that_are_no_vm_are_passed_over),
		cmocka_unit_test(names_and_folders_hold_what_they_like),
		cmocka_unit_test(commas_with_blanks_and_dynamic_types_are_no_matter),
		cmocka_unit_test(other_devices_are_no_adapters),
		cmocka_unit_test(power_is_a_line_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
