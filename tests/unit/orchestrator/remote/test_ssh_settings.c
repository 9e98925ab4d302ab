/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "common/attr.h"
#include "remote/ssh_settings.h"
#include "tests/support/test.h"

static struct arena arena;

static const char *variable(const char *name)
{
	return strcmp(name, "SOCK") == 0 ? "/run/sock" : NULL;
}

static const struct ssh_tokens place = {.home = "/home/me",
                                        .local_user = "me",
                                        .uid = "1000",
                                        .local_host = "desk.example",
                                        .variable = variable};

#define BASE    "user me\nhostname 10.1.2.3\nport 22\n"
#define PRESETS BASE "identityfile ~/.ssh/id_rsa\nciphers a,b\nhostkeyalgorithms x,y\n"

static bool take(const char *text, struct ssh_config *out, struct err *err)
{
	struct ssh_dump said;
	struct ssh_dump presets;
	struct ssh_settings_from from = {.said = &said,
	                                 .presets = &presets,
	                                 .place = &place,
	                                 .alias = "lab",
	                                 .auth_sock = "/run/agent"};

	assert_true(ssh_dump_parse(&arena, PRESETS, strlen(PRESETS), &presets, err));
	assert_true(ssh_dump_parse(&arena, text, strlen(text), &said, err));
	return ssh_settings_take(&arena, &from, out, err);
}

static struct ssh_config taken(const char *text)
{
	struct ssh_config c;
	struct err err;

	if (!take(text, &c, &err))
		fail_msg("%s: %s", text, err.msg);
	return c;
}

static void assert_names(const struct ssh_names *names, const char *expected)
{
	char got[512] = "";

	for (size_t i = 0; i < names->count; i++) {
		strncat(got, names->at[i], sizeof(got) - strlen(got) - 1);
		strncat(got, "|", sizeof(got) - strlen(got) - 1);
	}
	assert_string_equal(got, expected);
}

static void what_is_not_said_is_as_ssh_has_it(void **state)
{
	struct ssh_config c = taken(PRESETS);

	(void)state;
	assert_string_equal(c.alias, "lab");
	assert_string_equal(c.hostname, "10.1.2.3");
	assert_string_equal(c.user, "me");
	assert_int_equal(c.port, 22);
	assert_int_equal(c.address_family, AF_UNSPEC);
	assert_int_equal(c.connect_timeout_ms, 0);
	assert_null(c.bind_address);
	assert_names(&c.identities, "/home/me/.ssh/id_rsa|");
	assert_false(c.identities_are_named);
	assert_false(c.identities_only);
	assert_string_equal(c.identity_agent, "/run/agent");
	assert_int_equal(c.known_hosts.count, 0);
	assert_null(c.host_key_alias);
	assert_null(c.host_key_algorithms);
	assert_null(c.ciphers);
	assert_int_equal(c.host_key_policy, SSH_HOST_KEY_STRICT);
	assert_null(c.proxy_jump);
	assert_null(c.proxy_command);
	assert_false(c.batch_mode);
	assert_names(&c.methods, "publickey|keyboard-interactive|password|");
	assert_null(c.unheeded);
	arena_done(&arena);
}

static void each_setting_is_taken(void **state)
{
	struct ssh_config c = taken(
		"user u\nhostname h\nport 2200\naddressfamily inet6\nconnecttimeout 7\n"
		"bindaddress 10.0.0.1\nidentityfile ~/a\nidentityfile /x y/%n\nidentitiesonly yes\n"
		"certificatefile ~/a-cert.pub\nidentityagent $SOCK\n"
		"userknownhostsfile ~/k1 /tmp/k 2 /tmp/%h\nglobalknownhostsfile /etc/a%C /etc/b\n"
		"revokedhostkeys /etc/r\nhostkeyalias alias\nhostkeyalgorithms y\nciphers a,b\n"
		"kexalgorithms k\nmacs m\npubkeyacceptedalgorithms p\nhashknownhosts yes\n"
		"stricthostkeychecking accept-new\nbatchmode yes\n"
		"preferredauthentications password,publickey,other\n"
		"proxycommand ssh -W %h:%p %n\n");

	(void)state;
	assert_int_equal(c.port, 2200);
	assert_int_equal(c.address_family, AF_INET6);
	assert_int_equal(c.connect_timeout_ms, 7000);
	assert_string_equal(c.bind_address, "10.0.0.1");
	assert_names(&c.identities, "/home/me/a|/x y/lab|");
	assert_true(c.identities_are_named);
	assert_true(c.identities_only);
	assert_names(&c.certificates, "/home/me/a-cert.pub|");
	assert_string_equal(c.identity_agent, "/run/sock");
	assert_names(&c.known_hosts, "/home/me/k1|/tmp/k 2|/tmp/h|/etc/a%C|/etc/b|");
	assert_int_equal(c.user_known_hosts, 3);
	assert_names(&c.revoked, "/etc/r|");
	assert_string_equal(c.host_key_alias, "alias");
	assert_string_equal(c.host_key_algorithms, "y");
	assert_null(c.ciphers);
	assert_string_equal(c.kex_algorithms, "k");
	assert_string_equal(c.macs, "m");
	assert_string_equal(c.key_algorithms, "p");
	assert_true(c.hash_known_hosts);
	assert_int_equal(c.host_key_policy, SSH_HOST_KEY_ACCEPT_NEW);
	assert_true(c.batch_mode);
	assert_names(&c.methods, "password|publickey|");
	assert_string_equal(c.proxy_command, "ssh -W h:2200 lab");
	arena_done(&arena);
}

static void none_is_nothing(void **state)
{
	struct ssh_config c =
		taken(BASE "identityfile none\nidentityagent none\nuserknownhostsfile none\n"
	                   "proxycommand none\nproxyjump none\nconnecttimeout none\n"
	                   "revokedhostkeys none\nglobalknownhostsfile /etc/x\n");

	(void)state;
	assert_int_equal(c.identities.count, 0);
	assert_true(c.identities_are_named);
	assert_null(c.identity_agent);
	assert_names(&c.known_hosts, "/etc/x|");
	assert_int_equal(c.user_known_hosts, 0);
	assert_null(c.proxy_command);
	assert_int_equal(c.revoked.count, 0);
	arena_done(&arena);
}

static void agents(void **state)
{
	(void)state;
	assert_string_equal(taken(BASE "identityagent SSH_AUTH_SOCK\n").identity_agent,
	                    "/run/agent");
	assert_string_equal(taken(BASE "identityagent ~/%r.sock\n").identity_agent,
	                    "/home/me/me.sock");
	assert_null(taken(BASE "identityagent $UNSET\n").identity_agent);
	arena_done(&arena);
}

static void a_key_that_is_unknown_is_taken_only_when_said(void **state)
{
	static const struct {
		const char *value;
		enum ssh_host_key_policy policy;
	} cases[] = {
		{"ask", SSH_HOST_KEY_STRICT},       {"yes", SSH_HOST_KEY_STRICT},
		{"true", SSH_HOST_KEY_STRICT},      {"no", SSH_HOST_KEY_ACCEPT_NEW},
		{"false", SSH_HOST_KEY_ACCEPT_NEW}, {"off", SSH_HOST_KEY_ACCEPT_NEW},
		{"other", SSH_HOST_KEY_STRICT},     {"accept-new", SSH_HOST_KEY_ACCEPT_NEW},
	};
	char text[128];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		(void)snprintf(text, sizeof(text), BASE "stricthostkeychecking %s\n",
		               cases[i].value);
		assert_int_equal(taken(text).host_key_policy, cases[i].policy);
	}
	arena_done(&arena);
}

static void methods_can_be_switched_off(void **state)
{
	struct ssh_config c = taken(BASE "pubkeyauthentication no\ngssapiauthentication yes\n"
	                                 "challengeresponseauthentication no\n");

	(void)state;
	assert_names(&c.methods, "gssapi-with-mic|password|");
	assert_null(c.unheeded); /* told where the server offers it */
	c = taken(BASE "pubkeyauthentication unbound\npasswordauthentication no\n"
	               "kbdinteractiveauthentication no\n");
	assert_names(&c.methods, "publickey|");
	arena_done(&arena);
}

static void what_cannot_be_followed_is_told(void **state)
{
	struct ssh_config c = taken(BASE "pkcs11provider /usr/lib/x.so\nknownhostscommand none\n"
	                                 "verifyhostkeydns true\nbindinterface eth0\n");

	(void)state;
	assert_string_equal(c.unheeded, "BindInterface, PKCS11Provider, VerifyHostKeyDNS");
	arena_done(&arena);
}

static void wrong_and_dangerous_settings_are_refused(void **state)
{
	static const char *const cases[][2] = {
		{"user me\nport 22\n", "the configuration has no host name, user or port"},
		{"hostname -oX\nuser me\nport 22\n", "HostName '-oX' begins with `-`"},
		{"hostname a;b\nuser me\nport 22\n", "HostName 'a;b' holds"},
		{"hostname a\nuser -x\nport 22\n", "User '-x' begins with `-`"},
		{"hostname a\nuser u`id`\nport 22\n", "User 'u`id`' holds"},
		{"hostname a\nuser u\nport 0\n", "Port '0' is none of 1 to 65535"},
		{"hostname a\nuser u\nport 65536\n", "Port '65536' is none of"},
		{"hostname a\nuser u\nport 22x\n", "Port '22x' is none of"},
		{BASE "proxyjump j1,-oX\n", "ProxyJump 'j1,-oX' begins with `-`"},
		{BASE "hostkeyalias a b\n", "HostKeyAlias 'a b' holds a blank"},
		{BASE "connecttimeout 99999999999\n", "ConnectTimeout '99999999999' is none of"},
		{BASE "identityfile /x/%C\n", "IdentityFile: the token %C is not known to vnm"},
		{BASE "proxycommand nc %j\n", "ProxyCommand: the token %j is not known to vnm"},
		{BASE "bindaddress $(id)\n", "BindAddress '$(id)' holds"},
		{BASE "preferredauthentications password\npasswordauthentication no\n",
	         "PreferredAuthentications, PubkeyAuthentication and the like leave no way to log "
	         "in"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct ssh_config c;
		struct err err;

		assert_false(take(cases[i][0], &c, &err));
		assert_int_equal(err.kind, ERR_INPUT);
		if (strncmp(err.msg, cases[i][1], strlen(cases[i][1])) != 0)
			fail_msg("%s: %s", cases[i][0], err.msg);
	}
	arena_done(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_not_said_is_as_ssh_has_it),
		cmocka_unit_test(each_setting_is_taken),
		cmocka_unit_test(none_is_nothing),
		cmocka_unit_test(agents),
		cmocka_unit_test(a_key_that_is_unknown_is_taken_only_when_said),
		cmocka_unit_test(methods_can_be_switched_off),
		cmocka_unit_test(what_cannot_be_followed_is_told),
		cmocka_unit_test(wrong_and_dangerous_settings_are_refused),
	};

	return cmocka_run_group_tests_name("remote/ssh_settings", tests, NULL, NULL);
}
