/* SPDX-License-Identifier: MIT */
/* On systems that lack calls, or forbid them, the next best way is found and says its name. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure/zero_copy.h"
#include "tests/support/tcp_bed.h"
#include "tests/support/test.h"

static struct tcp_bed bed;

/* A call that is refused: with any arguments, or with a flag in its fourth. */
struct denial {
	unsigned call;
	unsigned flag;
	unsigned errnum;
};

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))

/* From here on, for this process; false where the system has no such filters. */
static bool deny(const struct denial *d, size_t count)
{
	struct sock_filter code[32];
	struct sock_fprog program = {0, code};
	unsigned short n = 0;

	for (size_t i = 0; i < count; i++) {
		code[n++] = (struct sock_filter)LOAD(nr);
		code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, d[i].call, 0,
		                                         d[i].flag != 0 ? 3 : 1);
		if (d[i].flag != 0) {
			code[n++] = (struct sock_filter)LOAD(args[3]);
			code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K,
			                                         d[i].flag, 0, 1);
		}
		code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
		                                         SECCOMP_RET_ERRNO | d[i].errnum);
	}
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	program.len = n;
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* In a process of its own: are these the ways that are found, and do they work? Its exit status
 * tells: 0 yes, 77 there are no filters here. */
static int check_ways(const struct denial *d, size_t count, const char *send, const char *receive)
{
	if (!deny(d, count))
		return 77;
	if (strcmp(zero_copy_sender()->method, send) != 0 ||
	    strcmp(zero_copy_receiver()->method, receive) != 0)
		return 1;
	tcp_bed_init(&bed);
	tcp_bed_open(&bed, zero_copy_sender(), zero_copy_receiver(), 0);
	tcp_bed_go(&bed);
	tcp_bed_wait_bytes(&bed, 5000000);
	streams_stop(&bed.sender);
	tcp_bed_wait_end(&bed);
	tcp_bed_done(&bed);
	return 0;
}

static void check(const struct denial *d, size_t count, const char *send, const char *receive)
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0)
		_exit(check_ways(d, count, send, receive));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void without_vmsplice_files_are_sent(void **state)
{
	static const struct denial d[] = {{SYS_vmsplice, 0, ENOSYS}};

	(void)state;
	check(d, COUNT_OF(d), "sendfile", "msg_trunc");
}

static void without_splice_files_are_sent(void **state)
{
	static const struct denial d[] = {{SYS_splice, 0, EINVAL}};

	(void)state;
	check(d, COUNT_OF(d), "sendfile", "msg_trunc");
}

static void without_sendfile_or_its_file_bytes_are_copied(void **state)
{
	static const struct denial d[] = {{SYS_splice, 0, ENOSYS}, {SYS_sendfile, 0, EPERM}};
	static const struct denial e[] = {{SYS_vmsplice, 0, ENOSYS}, {SYS_memfd_create, 0, ENOSYS}};

	(void)state;
	check(d, COUNT_OF(d), "writev", "msg_trunc");
	check(e, COUNT_OF(e), "writev", "msg_trunc");
}

static void without_discarding_pages_go_where_nobody_reads(void **state)
{
	static const struct denial d[] = {{SYS_recvfrom, MSG_TRUNC, EINVAL}};

	(void)state;
	check(d, COUNT_OF(d), "splice", "splice");
}

static void without_all_of_it_bytes_are_copied_at_both_ends(void **state)
{
	static const struct denial d[] = {{SYS_recvfrom, MSG_TRUNC, EINVAL},
	                                  {SYS_splice, 0, ENOSYS},
	                                  {SYS_sendfile, 0, ENOSYS}};

	(void)state;
	check(d, COUNT_OF(d), "writev", "readv");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_vmsplice_files_are_sent),
		cmocka_unit_test(without_splice_files_are_sent),
		cmocka_unit_test(without_sendfile_or_its_file_bytes_are_copied),
		cmocka_unit_test(without_discarding_pages_go_where_nobody_reads),
		cmocka_unit_test(without_all_of_it_bytes_are_copied_at_both_ends),
	};

	(void)signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests_name("agent/measure/zero_copy_denied", tests, NULL, NULL);
}
