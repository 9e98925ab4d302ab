/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "common/attr.h"
#include "common/text.h"
#include "remote/known_hosts.h"
#include "remote/known_hosts_name.h"
#include "tests/support/test.h"

/* Keys made with ssh-keygen; fingerprints as `ssh-keygen -l` printed them. */
#define ED   "ssh-ed25519"
#define EDA  "AAAAC3NzaC1lZDI1NTE5AAAAIMJKfYa4RmZN/wWv5O+EelSdGg5PN5UL26/aFftXEw+I"
#define EDAF "SHA256:yVaBvv4R1VkZ5PeDJiWmQGcJ2uPtLtpyzlQz1MLEVzc"
#define EDB  "AAAAC3NzaC1lZDI1NTE5AAAAIIhEdVuhtUtVklOpgsflQ3QGoH4OphibFKUNyHodm2cO"
#define EDBF "SHA256:of0psIuP4UA2XCvJ6kVGo3uYjw8813Q8MR6tIpbQ4WQ"
#define RSA                                                                                    \
	"AAAAB3NzaC1yc2EAAAADAQABAAAAgQDIAS03TSdiozv+y/djJB4cmzw7ZGPDOK/Xkt/1DpoIMO+qwVRavfgc" \
	"Bj3hy/aa9ApK41I1SbHAJLP7Tef5o07DSxsEmD+wpWV1KYzMR7EwbGhzURq9Of/nK+oM24FaRiX2Nwul2ICi" \
	"sVUQgT2B9nyS5rV0bv3fTsWRBuYdT0lwBw=="
#define RSAF "SHA256:l5HUfDHnRMKUhCNBbaxRquBYhnMXzYDdeQk6pneRA+g"
#define EC                                                                                    \
	"AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBFG8bGJXKiaCzznQud1Z+Se+Rqi1sO/" \
	"+RaQaqm"                                                                             \
	"zhHA/szf3BZNbiypqw165aOm0aiooVpBPFRpTFwk13QDAkDIk="

/* `ssh-keygen -H` made these of web.example and [web.example]:2222. */
#define HASHED      "|1|MpsPaVVBsNeWQ25n6ApUJTdHctQ=|9vhUxHWoqLojmGDqykE3NIuc3H8="
#define HASHED_2222 "|1|Dbp573To0DNY83XS13+D08UIMOI=|mnYOQKInP7ZvJIfn4rhdESoHlw8="

#define OK      KNOWN_HOSTS_OK
#define UNKNOWN KNOWN_HOSTS_UNKNOWN
#define CHANGED KNOWN_HOSTS_CHANGED
#define REVOKED KNOWN_HOSTS_REVOKED
#define AUTH    KNOWN_HOSTS_AUTHORITY

struct check_case {
	const char *what;
	const char *text;
	const char *name;
	enum known_hosts_verdict verdict; /* on the key ED EDA */
	unsigned line;
	const char *fingerprint; /* CHANGED */
};

static const struct check_case checks[] = {
	{"empty file", "", "web", UNKNOWN, 0, ""},
	{"plain", "web " ED " " EDA "\n", "web", OK, 1, ""},
	{"plain, no newline at the end", "web " ED " " EDA, "web", OK, 1, ""},
	{"with a comment and CRLF", "web " ED " " EDA " root@web\r\n", "web", OK, 1, ""},
	{"CRLF without comment", "web " ED " " EDA "\r\n", "web", OK, 1, ""},
	{"tabs", "web\t" ED "\t" EDA "\n", "web", OK, 1, ""},
	{"leading blanks", "  \tweb  " ED "  " EDA "\n", "web", OK, 1, ""},
	{"another host", "www " ED " " EDA "\n", "web", UNKNOWN, 0, ""},
	{"a longer name is another host", "web.example " ED " " EDA "\n", "web", UNKNOWN, 0, ""},
	{"list", "www,web,10.1.2.3 " ED " " EDA "\n", "10.1.2.3", OK, 1, ""},
	{"case does not matter", "WEB.Example " ED " " EDA "\n", "web.example", OK, 1, ""},
	{"star", "*.example " ED " " EDA "\n", "a.b.example", OK, 1, ""},
	{"star in the middle, twice", "w*b*e " ED " " EDA "\n", "web.example", OK, 1, ""},
	{"star alone", "* " ED " " EDA "\n", "web", OK, 1, ""},
	{"star matches nothing too", "web* " ED " " EDA "\n", "web", OK, 1, ""},
	{"question mark", "we? " ED " " EDA "\n", "web", OK, 1, ""},
	{"question mark wants a character", "web? " ED " " EDA "\n", "web", UNKNOWN, 0, ""},
	{"negation before", "!10.77.0.11,10.77.0.* " ED " " EDA "\n", "10.77.0.11", UNKNOWN, 0, ""},
	{"negation after", "10.77.0.*,!10.77.0.11 " ED " " EDA "\n", "10.77.0.11", UNKNOWN, 0, ""},
	{"negation of another", "10.77.0.*,!10.77.0.11 " ED " " EDA "\n", "10.77.0.12", OK, 1, ""},
	{"negation alone matches nothing", "!www " ED " " EDA "\n", "web", UNKNOWN, 0, ""},
	{"negation hides its line only", "*,!web " ED " " EDB "\nweb " ED " " EDA "\n", "web", OK,
         2, ""},
	{"port", "[web]:2222 " ED " " EDA "\n", "[web]:2222", OK, 1, ""},
	{"another port", "[web]:2222 " ED " " EDA "\n", "web", UNKNOWN, 0, ""},
	{"the plain name is not for ports", "web " ED " " EDA "\n", "[web]:2222", UNKNOWN, 0, ""},
	{"hashed", HASHED " " ED " " EDA "\n", "web.example", OK, 1, ""},
	{"hashed, with port", HASHED_2222 " " ED " " EDA "\n", "[web.example]:2222", OK, 1, ""},
	{"hashed, another name", HASHED " " ED " " EDA "\n", "web.exampl", UNKNOWN, 0, ""},
	{"hashed, damaged", "|1|MpsPaVVBsNeWQ25n6ApUJTdHctQ= " ED " " EDA "\n", "web.example",
         UNKNOWN, 0, ""},
	{"hashed, changed", HASHED " " ED " " EDB "\n", "web.example", CHANGED, 1, EDBF},
	{"changed", "web " ED " " EDB "\n", "web", CHANGED, 1, EDBF},
	{"several keys, one is right", "web " ED " " EDB "\nweb " ED " " EDA "\n", "web", OK, 2,
         ""},
	{"several keys, the first is right", "web " ED " " EDA "\nweb " ED " " EDB "\n", "web", OK,
         1, ""},
	{"only another type is known", "web ssh-rsa " RSA "\n", "web", CHANGED, 1, RSAF},
	{"the same type tells more", "web ssh-rsa " RSA "\nweb " ED " " EDB "\n", "web", CHANGED, 2,
         EDBF},
	{"the first of the same type is shown",
         "web " ED " " EDB "\nweb " ED
         " AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
         "AAAA\n",
         "web", CHANGED, 1, EDBF},
	{"another type beside the right key", "web ssh-rsa " RSA "\nweb " ED " " EDA "\n", "web",
         OK, 2, ""},
	{"revoked", "@revoked web " ED " " EDA "\n", "web", REVOKED, 1, ""},
	{"revoked before a plain line", "@revoked web " ED " " EDA "\nweb " ED " " EDA "\n", "web",
         REVOKED, 1, ""},
	{"revoked after a plain line", "web " ED " " EDA "\n@revoked * " ED " " EDA "\n", "web",
         REVOKED, 2, ""},
	{"another key is revoked", "@revoked * " ED " " EDB "\nweb " ED " " EDA "\n", "web", OK, 2,
         ""},
	{"revoked for another host", "@revoked www " ED " " EDA "\n", "web", UNKNOWN, 0, ""},
	{"a revoked key alone makes no host known", "@revoked web " ED " " EDB "\n", "web", UNKNOWN,
         0, ""},
	{"an authority is no key", "@cert-authority * " ED " " EDA "\n", "web", AUTH, 1, ""},
	{"an authority beside the key", "@cert-authority * " ED " " EDB "\nweb " ED " " EDA "\n",
         "web", OK, 2, ""},
	{"an authority beside another key",
         "@cert-authority * " ED " " EDA "\nweb " ED " " EDB "\n", "web", CHANGED, 2, EDBF},
	{"an authority after another key", "web " ED " " EDB "\n@cert-authority * " ED " " EDA "\n",
         "web", CHANGED, 1, EDBF},
	{"an authority of others", "@cert-authority *.example " ED " " EDA "\n", "web", UNKNOWN, 0,
         ""},
	{"an unknown marker is passed over", "@new web " ED " " EDA "\n", "web", UNKNOWN, 0, ""},
	{"comments and empty lines", "# web " ED " " EDA "\n\n   \nweb " ED " " EDA "\n", "web", OK,
         4, ""},
	{"SSH 1", "web 1024 35 1234567890\nweb " ED " " EDA "\n", "web", OK, 2, ""},
	{"damaged base64 before the right line", "web " ED " AAAA!!!\nweb " ED " " EDA "\n", "web",
         OK, 2, ""},
	{"cut off before the right line",
         "web " ED "\nweb\nweb " ED " AAAAC3Nza\nweb " ED " " EDA "\n", "web", OK, 4, ""},
	{"type and blob differ", "web ssh-rsa " EDA "\nweb " ED " " EDA "\n", "web", OK, 2, ""},
	{"only a damaged line", "web " ED " AAAA\n", "web", UNKNOWN, 0, ""},
};

/* What texts say of `name`; the second may be NULL. */
struct asked {
	struct known_hosts *known[2];
	struct known_hosts_said said;
};

static struct asked ask(const char *text, size_t len, const char *second, const char *name)
{
	struct asked a = {.said = {0}};

	a.known[0] = known_hosts_parse(text, len);
	known_hosts_ask(a.known[0], 0, name, &a.said);
	if (second != NULL) {
		a.known[1] = known_hosts_parse(second, strlen(second));
		known_hosts_ask(a.known[1], 1, name, &a.said);
	}
	return a;
}

static void asked_done(struct asked *a)
{
	known_hosts_said_done(&a->said);
	known_hosts_free(a->known[0]);
	known_hosts_free(a->known[1]);
}

static struct known_hosts_finding check(const char *text, size_t len, const char *second,
                                        const char *name)
{
	struct asked a = ask(text, len, second, name);
	struct known_hosts_finding found;

	known_hosts_check(&a.said, ED, EDA, &found);
	asked_done(&a);
	return found;
}

static void the_verdict_is_that_of_the_file(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(checks); i++) {
		const struct check_case *c = &checks[i];
		struct known_hosts_finding found = check(c->text, strlen(c->text), NULL, c->name);

		if (found.verdict != c->verdict || found.line != c->line)
			fail_msg("%s: verdict %d, line %u", c->what, (int)found.verdict,
			         found.line);
		assert_string_equal(found.fingerprint, c->fingerprint);
	}
}

static void a_line_of_any_length_hides_nothing(void **state)
{
	struct text text = {0};
	struct known_hosts_finding found;

	(void)state;
	text_add(&text, "web " ED " ");
	for (int i = 0; i < 20000; i++)
		text_add(&text, "A");
	text_add(&text, "\nweb " ED " " EDA "\n");
	found = check(text.at, text.len, NULL, "web");
	assert_int_equal(found.verdict, OK);
	assert_int_equal(found.line, 2);
	text_done(&text);
}

static void the_name_is_as_openssh_writes_it(void **state)
{
	static const struct {
		const char *address;
		uint32_t port;
		const char *name; /* NULL: refused */
	} cases[] = {
		{"web", 22, "web"},
		{"Web.Example", 22, "web.example"},
		{"web", 2222, "[web]:2222"},
		{"fe80::1%eth0", 22, "fe80::1%eth0"},
		{"2001:DB8::1", 2222, "[2001:db8::1]:2222"},
		{"host_name", 22, "host_name"},
		{"", 22, NULL},
		{"a b", 22, NULL},
		{"a,b", 22, NULL},
		{"*", 22, NULL},
		{"!a", 22, NULL},
		{"#a", 22, NULL},
		{"|1|a", 22, NULL},
		{"@revoked", 22, NULL},
		{"a\nb", 22, NULL},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		char name[KNOWN_HOSTS_NAME_BYTES];
		bool ok = known_hosts_name(cases[i].address, cases[i].port, name);

		assert_int_equal(ok, cases[i].name != NULL);
		if (ok)
			assert_string_equal(name, cases[i].name);
	}
}

static void a_name_that_is_too_long_is_refused(void **state)
{
	char address[400];
	char name[KNOWN_HOSTS_NAME_BYTES];

	(void)state;
	memset(address, 'a', sizeof(address) - 1);
	address[sizeof(address) - 1] = '\0';
	assert_false(known_hosts_name(address, 22, name));
	address[KNOWN_HOSTS_NAME_BYTES - 1] = '\0';
	assert_true(known_hosts_name(address, 22, name));
}

static size_t types_of(const char *text, const char *name,
                       char types[KNOWN_HOSTS_TYPES_MAX][KNOWN_HOSTS_TYPE_BYTES])
{
	struct asked a = ask(text, strlen(text), NULL, name);
	size_t count = known_hosts_types(&a.said, types);

	asked_done(&a);
	return count;
}

static void known_types_are_listed_once_in_order(void **state)
{
	static const char text[] = "web ssh-rsa " RSA "\n"
				   "www ecdsa-sha2-nistp256 " EC "\n"
				   "@revoked web ecdsa-sha2-nistp256 " EC "\n"
				   "web " ED " " EDB "\n"
				   "web " ED " " EDA "\n";
	char types[KNOWN_HOSTS_TYPES_MAX][KNOWN_HOSTS_TYPE_BYTES];

	(void)state;
	assert_int_equal(types_of(text, "web", types), 2);
	assert_string_equal(types[0], "ssh-rsa");
	assert_string_equal(types[1], ED);
	assert_int_equal(types_of(text, "www", types), 1);
	assert_string_equal(types[0], "ecdsa-sha2-nistp256");
	assert_int_equal(types_of(text, "nobody", types), 0);
}

static void fingerprints_are_those_of_ssh_keygen(void **state)
{
	static const char *const cases[][2] = {{EDA, EDAF}, {EDB, EDBF}, {RSA, RSAF}};
	char out[FINGERPRINT_BYTES];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		assert_true(known_hosts_fingerprint(cases[i][0], strlen(cases[i][0]), out));
		assert_string_equal(out, cases[i][1]);
	}
	assert_false(known_hosts_fingerprint("AA!A", 4, out));
}

static void several_files_are_one(void **state)
{
	static const struct {
		const char *first, *second;
		enum known_hosts_verdict verdict;
		size_t file;
		unsigned line;
	} cases[] = {
		{"", "web " ED " " EDA "\n", OK, 1, 1},
		{"www " ED " " EDA "\n", "# x\nweb " ED " " EDA "\n", OK, 1, 2},
		{"web " ED " " EDA "\n", "web " ED " " EDB "\n", OK, 0, 1},
		{"web " ED " " EDB "\n", "web " ED " " EDA "\n", OK, 1, 1},
		{"web " ED " " EDA "\n", "@revoked * " ED " " EDA "\n", REVOKED, 1, 1},
		{"@revoked * " ED " " EDA "\n", "web " ED " " EDA "\n", REVOKED, 0, 1},
		{"@cert-authority * " ED " " EDB "\n", "web " ED " " EDB "\n", CHANGED, 1, 1},
		{"\n@cert-authority * " ED " " EDB "\n", "", AUTH, 0, 2},
		{"", "", UNKNOWN, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct known_hosts_finding found =
			check(cases[i].first, strlen(cases[i].first), cases[i].second, "web");

		if (found.verdict != cases[i].verdict || found.file != cases[i].file ||
		    found.line != cases[i].line)
			fail_msg("case %zu: verdict %d, file %zu, line %u", i, (int)found.verdict,
			         found.file, found.line);
	}
}

static void keys_are_found_in_lists(void **state)
{
	static const char text[] = "# revoked\n" ED " " EDB " old\n\n  " ED "\t" EDA "\r\n";
	static const char krl[] = "SSHKRL\n\0\0\0\0\1";
	static const char broken[] = "*.example " ED " " EDA "\n";
	char unpadded[] = "ssh-rsa " RSA;
	unsigned line;

	(void)state;
	memset(unpadded + sizeof(unpadded) - 3, ' ', 2); /* where "==" was */
	assert_int_equal(known_hosts_listed(text, sizeof(text) - 1, ED, EDA, &line),
	                 KNOWN_HOSTS_LISTED);
	assert_int_equal(line, 4);
	assert_int_equal(known_hosts_listed(text, sizeof(text) - 1, ED, EDB, &line),
	                 KNOWN_HOSTS_LISTED);
	assert_int_equal(line, 2);
	assert_int_equal(known_hosts_listed(text, sizeof(text) - 1, "ssh-rsa", RSA, &line),
	                 KNOWN_HOSTS_NOT_LISTED);
	assert_int_equal(line, 0);
	assert_int_equal(known_hosts_listed("", 0, ED, EDA, &line), KNOWN_HOSTS_NOT_LISTED);
	assert_int_equal(known_hosts_listed(unpadded, sizeof(unpadded) - 1, "ssh-rsa", RSA, &line),
	                 KNOWN_HOSTS_LISTED);
	assert_int_equal(known_hosts_listed(broken, sizeof(broken) - 1, ED, EDA, &line),
	                 KNOWN_HOSTS_LIST_BROKEN);
	assert_int_equal(line, 1);
	assert_int_equal(known_hosts_listed(krl, sizeof(krl) - 1, ED, EDA, &line),
	                 KNOWN_HOSTS_LIST_BINARY);
}

/* The first line of HASHED, made by ssh-keygen, has this salt. */
static void names_are_hashed_as_ssh_does(void **state)
{
	static const unsigned char salt[SHA1_BYTES] = {0x32, 0x93, 0xda, 0xb1, 0x55, 0x41, 0xb0,
	                                               0xd7, 0x96, 0x43, 0x6e, 0x67, 0xea, 0x90,
	                                               0x29, 0x50, 0x94, 0xc9, 0x74, 0x72};
	char out[KNOWN_HOSTS_HASHED_BYTES];
	char line[256];

	(void)state;
	known_hosts_hash("web.example", salt, out);
	(void)snprintf(line, sizeof(line), "%s " ED " " EDA "\n", out);
	assert_int_equal(check(line, strlen(line), NULL, "web.example").verdict, OK);
	assert_int_equal(strlen(out), 60);
	assert_int_equal(out[59], '=');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_verdict_is_that_of_the_file),
		cmocka_unit_test(a_line_of_any_length_hides_nothing),
		cmocka_unit_test(the_name_is_as_openssh_writes_it),
		cmocka_unit_test(a_name_that_is_too_long_is_refused),
		cmocka_unit_test(known_types_are_listed_once_in_order),
		cmocka_unit_test(fingerprints_are_those_of_ssh_keygen),
		cmocka_unit_test(several_files_are_one),
		cmocka_unit_test(keys_are_found_in_lists),
		cmocka_unit_test(names_are_hashed_as_ssh_does),
	};

	return cmocka_run_group_tests_name("remote/known_hosts", tests, NULL, NULL);
}
