/* SPDX-License-Identifier: MIT */
/* The lines are those of OpenSSH 8.9 and 9.2. */
#include "remote/openssh_said.h"

#include <string.h>

#include "common/attr.h"
#include "tests/support/test.h"

#define CONNECTED                                             \
	"debug1: Connecting to web [10.77.0.11] port 22.\r\n" \
	"debug1: Connection established.\r\n"
#define GREETED                                                                              \
	CONNECTED "debug1: Remote protocol version 2.0, remote software version OpenSSH\r\n" \
		  "debug1: Authenticating to web:22 as 'root'\r\n"
#define SHOWN GREETED "debug1: Server host key: ssh-ed25519 SHA256:abc\r\n"
#define VERIFIED                                                                  \
	SHOWN "debug1: Host 'web' is known and matches the ED25519 host key.\r\n" \
	      "debug1: SSH2_MSG_NEWKEYS sent\r\n"                                 \
	      "debug1: Authentications that can continue: publickey,password\r\n"
#define OFFERED VERIFIED "debug1: Offering public key: /k/id ED25519 SHA256:xyz explicit\r\n"

static struct openssh_said said;
static const struct openssh_asked asked = {.host = "web", .known_hosts = "/k/known"};

static void take(const char *text)
{
	memset(&said, 0, sizeof(said));
	for (const char *c = text; *c != '\0'; c++) /* lines come in pieces */
		openssh_said_take(&said, c, 1);
	openssh_said_end(&said);
}

static void what_is_learnt_on_the_way_is_kept(void **state)
{
	(void)state;
	take("");
	assert_int_equal(openssh_said_stage(&said), TRANSPORT_CONNECTING);
	take(GREETED);
	assert_string_equal(said.address, "10.77.0.11:22");
	assert_string_equal(said.user, "root");
	assert_int_equal(openssh_said_stage(&said), TRANSPORT_CONNECTING);
	take(SHOWN);
	assert_string_equal(said.host_key, "ssh-ed25519 SHA256:abc");
	assert_int_equal(openssh_said_stage(&said), TRANSPORT_VERIFYING);
	take(VERIFIED);
	assert_string_equal(said.methods, "publickey,password");
	assert_int_equal(openssh_said_stage(&said), TRANSPORT_LOGGING_IN);
	take(GREETED
	     "debug1: Server host certificate: ssh-ed25519-cert-v01@openssh.com SHA256:abc, serial "
	     "0 ID \"web\" CA ssh-ed25519 SHA256:def valid forever\r\n");
	assert_string_equal(said.host_key, "ssh-ed25519-cert-v01@openssh.com SHA256:abc");
	take("debug1: Connecting to fe80::1%eth0 [fe80::1%eth0] port 2222.\n");
	assert_string_equal(said.address, "[fe80::1%eth0]:2222");
}

static void the_login_is_a_key_an_agents_key_or_a_method(void **state)
{
	static const struct {
		const char *lines;
		const char *login;
	} cases[] = {
		{"debug1: Server accepts key: /k/id ED25519 SHA256:xyz explicit\n"
	         "Authenticated to web ([10.77.0.11]:22) using \"publickey\".\n",
	         "key /k/id"},
		{"debug1: Server accepts key: me at home ED25519 SHA256:xyz agent\n"
	         "Authenticated to web ([10.77.0.11]:22) using \"publickey\".\n",
	         "agent key me at home"},
		{"Authenticated to web (via proxy) using \"gssapi-with-mic\".\n",
	         "gssapi-with-mic"},
		{"Authenticated to web ([10.77.0.11]:22) using \"publickey\".\n", "publickey"},
		{"debug1: Server accepts key: nonsense\n", ""},
		{"debug1: Server accepts key:  SHA256:\n", ""},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		take(cases[i].lines);
		assert_string_equal(said.login, cases[i].login);
	}
}

static void the_end_of_a_command_is_told_apart(void **state)
{
	(void)state;
	take("debug1: Sending command: x\n");
	assert_int_equal(said.end, OPENSSH_END_UNTOLD);
	take("debug1: client_input_channel_req: channel 2 rtype exit-status reply 0\n");
	assert_int_equal(said.end, OPENSSH_END_STATUS);
	take("debug1: client_input_channel_req: channel 2 rtype exit-signal reply 0\n");
	assert_int_equal(said.end, OPENSSH_END_SIGNAL);
	take("debug1: client_input_channel_req: channel 2 rtype eow@openssh.com reply 0\n");
	assert_int_equal(said.end, OPENSSH_END_UNTOLD);
}

static const struct {
	const char *lines;
	enum err_kind kind;
	const char *msg;
} failures[] = {
	{"sh: 1: ssh: not found\n", ERR_SYSTEM,
         "there is no ssh on this machine: install OpenSSH's client, or use `transport: libssh`"},
	{"vnm: no folder for ssh: mkdir: cannot create directory '/tmp/x': No space left on "
         "device\n",
         ERR_SYSTEM,
         "a folder for ssh's socket: mkdir: cannot create directory '/tmp/x': No space left on "
         "device"},
	{"/h/.ssh/config: line 3: Bad configuration option: foo\r\n"
         "/h/.ssh/config: terminating, 1 bad configuration options\r\n",
         ERR_INPUT, "ssh's configuration: /h/.ssh/config: line 3: Bad configuration option: foo"},
	{"Bad owner or permissions on /h/.ssh/config\r\n", ERR_INPUT,
         "ssh's configuration: Bad owner or permissions on /h/.ssh/config"},
	{"ssh: Could not resolve hostname web: Name or service not known\r\n", ERR_REMOTE,
         "resolve web: Name or service not known: is the name right, its server reachable?"},
	{"debug1: Connecting to web [10.77.0.11] port 2222.\r\n"
         "debug1: connect to address 10.77.0.11 port 2222: Connection refused\r\n"
         "ssh: connect to host web port 2222: Connection refused\r\n",
         ERR_REMOTE, "connect to 10.77.0.11 port 2222: Connection refused: is sshd running there?"},
	{"debug1: Connecting to web [fe80::1] port 22.\r\n"
         "ssh: connect to host web port 22: Connection timed out\r\n",
         ERR_TIMEOUT,
         "connect to fe80::1 port 22: Connection timed out: is the address right, the host up, no "
         "firewall between?"},
	{"ssh: connect to host web port 22: Network is unreachable\r\n", ERR_REMOTE,
         "connect to web: Network is unreachable: is there a route to it from here?"},
	{CONNECTED "kex_exchange_identification: Connection closed by remote host\r\n"
                   "Connection closed by 10.77.0.11 port 22\r\n",
         ERR_REMOTE,
         "10.77.0.11:22 hung up before its SSH greeting: is it an SSH server, or too busy "
         "(MaxStartups)?"},
	{GREETED "Unable to negotiate with 10.77.0.11 port 22: no matching host key type found. "
                 "Their offer: ssh-rsa\r\n",
         ERR_REMOTE,
         "SSH greeting and key exchange: Unable to negotiate with 10.77.0.11 port 22: no matching "
         "host key type found. Their offer: ssh-rsa"},
	{SHOWN "No ED25519 host key is known for web and you have requested strict checking.\r\n"
               "Host key verification failed.\r\n",
         ERR_REMOTE,
         "host key is not known: ssh-ed25519 SHA256:abc: if that is the host's, set `accept_new: "
         "true` or add it to /k/known"},
	{SHOWN "@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @\r\n"
               "The fingerprint for the ED25519 key sent by the remote host is\nSHA256:abc.\r\n"
               "Offending ED25519 key in /k/known:17\r\n"
               "  remove with:\r\n"
               "  ssh-keygen -f \"/k/known\" -R \"[web]:2222\"\r\n"
               "Host key for web has changed and you have requested strict checking.\r\n"
               "Host key verification failed.\r\n",
         ERR_REMOTE,
         "HOST KEY CHANGED: line 17 of /k/known has another key, the host shows ssh-ed25519 "
         "SHA256:abc: if it was installed anew, remove the old one: ssh-keygen -f '/k/known' -R "
         "'[web]:2222'"},
	{SHOWN "@       WARNING: REVOKED HOST KEY DETECTED!               @\r\n"
               "Host key verification failed.\r\n",
         ERR_REMOTE,
         "host key ssh-ed25519 SHA256:abc is revoked by /k/known: somebody else may hold it: give "
         "the host a new one, or remove the line if it is wrong"},
	{OFFERED "root@web: Permission denied (publickey,password).\r\n", ERR_REMOTE,
         "permission denied for root with key /k/id: the server offers publickey,password: add "
         "the public key to the host's authorized_keys"},
	{OFFERED "debug1: Server accepts key: /k/id ED25519 SHA256:xyz explicit\r\n"
                 "root@web: Permission denied (publickey).\r\n",
         ERR_REMOTE,
         "cannot log in as root: the server takes key /k/id, but it could not be used: if it is "
         "encrypted, load it into ssh-agent with ssh-add"},
	{OFFERED "debug1: Server accepts key: /k/id ED25519 SHA256:xyz explicit\r\n"
                 "Authenticated using \"publickey\" with partial success.\r\n"
                 "debug1: Authentications that can continue: password\r\n"
                 "root@web: Permission denied (password).\r\n",
         ERR_REMOTE,
         "key /k/id was accepted for root, but the server wants more: the server offers password: "
         "set "
         "`transport: libssh`, which can answer that"},
	{OFFERED "debug1: Server accepts key: /k/id ED25519 SHA256:xyz explicit\r\n"
                 "debug1: Authenticated with partial success.\r\n"
                 "debug1: Authentications that can continue: publickey\r\n"
                 "root@web: Permission denied (publickey).\r\n",
         ERR_REMOTE,
         "key /k/id was accepted for root, but the server wants more: the server offers publickey"},
	{VERIFIED "root@web: Permission denied (keyboard-interactive).\r\n", ERR_REMOTE,
         "cannot log in as root: no key is wanted; the server offers keyboard-interactive: set "
         "`transport: libssh`, which can answer that"},
	{VERIFIED "root@web: Permission denied (publickey,password).\r\n", ERR_REMOTE,
         "cannot log in as root: ssh has no key to offer; the server offers publickey,password: "
         "name a key that the host accepts with `key:`, or ssh-add it"},
	{"Warning: Identity file /k/no not accessible: No such file or directory.\r\n" VERIFIED
         "root@web: Permission denied (publickey).\r\n",
         ERR_REMOTE,
         "cannot log in as root: key /k/no does not exist or cannot be read; the server offers "
         "publickey: name a key that the host accepts with `key:`, or ssh-add it"},
	{VERIFIED "Load key \"/k/bad\": error in libcrypto\r\n"
                  "root@web: Permission denied (publickey).\r\n",
         ERR_REMOTE,
         "cannot log in as root: key /k/bad cannot be used: error in libcrypto; the server offers "
         "publickey: name a key that the host accepts with `key:`, or ssh-add it"},
	{OFFERED "debug1: Offering public key: b RSA SHA256:uvw agent\r\n"
                 "Received disconnect from 10.77.0.11 port 22:2: Too many authentication "
                 "failures\r\nDisconnected from 10.77.0.11 port 22\r\n",
         ERR_REMOTE,
         "permission denied for root with 2 keys: servers count attempts: name the right key with "
         "`key:`; the server offers publickey,password: add the public key to the host's "
         "authorized_keys"},
	{VERIFIED "Connection closed by 10.77.0.11 port 22\r\n", ERR_REMOTE,
         "log in: Connection closed by 10.77.0.11 port 22: try: ssh -v web"},
	{"debug1: Executing proxy command: exec ssh -W '[web]:22' gate\n"
         "root@gate: Permission denied (publickey).\r\n"
         "kex_exchange_identification: Connection closed by remote host\r\n"
         "Connection closed by UNKNOWN port 65535\r\n",
         ERR_REMOTE,
         "on the way (jump host or ProxyCommand): root@gate: Permission denied (publickey).: try: "
         "ssh -v web"},
	{"debug1: Executing proxy command: exec ssh -W '[web]:22' gate\n"
         "channel 0: open failed: connect failed: No route to host\r\n"
         "stdio forwarding failed\r\n",
         ERR_REMOTE,
         "on the way (jump host or ProxyCommand): channel 0: open failed: connect failed: No route "
         "to host: try: ssh -v web"},
	{"debug1: Executing proxy command: exec ssh -W '[web]:22' gate\n"
         "@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @\r\n"
         "Offending ED25519 key in /k/known:4\r\n"
         "  ssh-keygen -f \"/k/known\" -R \"gate\"\r\n"
         "Host key verification failed.\r\n",
         ERR_REMOTE,
         "on the way: HOST KEY CHANGED: line 4 of /k/known has another key: if the jump host was "
         "installed anew, remove the old one: ssh-keygen -f '/k/known' -R 'gate'"},
	{"", ERR_REMOTE, "ssh to web ended without a word: try: ssh -v web"},
};

static void each_failure_has_its_reason_and_its_remedy(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(failures); i++) {
		struct err err = {0};

		take(failures[i].lines);
		assert_false(openssh_said_error(&said, &asked, &err));
		assert_string_equal(err.msg, failures[i].msg);
		assert_int_equal(err.kind, failures[i].kind);
	}
}

static void the_old_key_is_told_when_it_is_known(void **state)
{
	const struct openssh_asked known = {
		.host = "web", .known_type = "ssh-rsa", .known_fingerprint = "SHA256:old"};
	struct err err = {0};

	(void)state;
	take(SHOWN "@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @\r\n"
	           "Offending RSA key in /k/known:2\r\n");
	assert_false(openssh_said_error(&said, &known, &err));
	assert_string_equal(
		err.msg,
		"HOST KEY CHANGED: line 2 of /k/known has ssh-rsa SHA256:old, the host shows "
		"ssh-ed25519 SHA256:abc: if it was installed anew, remove the old one: ssh-keygen "
		"-f '/k/known' -R 'web'");
}

static void a_timeout_is_told_by_how_far_it_came(void **state)
{
	static const struct {
		const char *lines;
		const char *msg;
	} cases[] = {
		{"", "connect to web: no answer in 1.5 s: is the address right, the host up, no "
	             "firewall between?"},
		{"debug1: Connecting to web [10.0.0.1] port 22.\n",
	         "connect to 10.0.0.1 port 22: no answer in 1.5 s: is the address right, the host "
	         "up, no firewall between?"},
		{CONNECTED, "SSH greeting and key exchange: 10.77.0.11:22 did not answer in time: "
	                    "is it an SSH server, is the host frozen?"},
		{GREETED, "SSH greeting and key exchange: 10.77.0.11:22 did not answer in time: "
	                  "does the path lose large packets (path MTU)?"},
		{VERIFIED, "log in as root: no answer in time"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct err err = {0};

		take(cases[i].lines);
		assert_false(openssh_said_timeout(&said, &asked, 1500, &err));
		assert_string_equal(err.msg, cases[i].msg);
		assert_int_equal(err.kind, ERR_TIMEOUT);
	}
}

/* A banner is printed as it is: it can neither hide nor replace what was learnt before. */
static void a_banner_changes_nothing_that_is_known(void **state)
{
	(void)state;
	take(VERIFIED "debug1: Server host key: ssh-ed25519 SHA256:lie\r\nwelcome\r\n");
	assert_string_equal(said.host_key, "ssh-ed25519 SHA256:abc");
	assert_string_equal(said.last, "welcome");
	take("debug1: Host 'web' is known\ndebug1: SSH2_MSG_NEWKEYS sent\n");
	assert_int_equal(openssh_said_stage(&said), TRANSPORT_CONNECTING);
}

static void lines_without_end_and_control_characters_are_cut(void **state)
{
	(void)state;
	memset(&said, 0, sizeof(said));
	for (int i = 0; i < 10000; i++)
		openssh_said_take(&said, "x\033[31m\a", 8);
	openssh_said_end(&said);
	assert_int_equal(strlen(said.last), OPENSSH_LINE_BYTES - 1);
	assert_null(strchr(said.last, '\033'));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_learnt_on_the_way_is_kept),
		cmocka_unit_test(the_login_is_a_key_an_agents_key_or_a_method),
		cmocka_unit_test(the_end_of_a_command_is_told_apart),
		cmocka_unit_test(each_failure_has_its_reason_and_its_remedy),
		cmocka_unit_test(the_old_key_is_told_when_it_is_known),
		cmocka_unit_test(a_timeout_is_told_by_how_far_it_came),
		cmocka_unit_test(a_banner_changes_nothing_that_is_known),
		cmocka_unit_test(lines_without_end_and_control_characters_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
