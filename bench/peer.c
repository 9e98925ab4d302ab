/* SPDX-License-Identifier: MIT */
/*
 * peer.c - runs another tool's server and client, each in a network namespace, and says what
 * it cost. The client sends.
 *
 * usage: peer SERVER_NS CLIENT_NS PORT LIMIT_S SERVER... -- CLIENT...
 *
 * The client starts when PORT is listened to in the server's namespace. Its output is this
 * program's, then comes one line of key=value. Neither lives longer than LIMIT_S. Exit code 1:
 * the client failed or took too long.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/gauge.h"
#include "bench/netns.h"
#include "common/clock.h"

#define LISTEN_WAIT_NS (UINT64_C(5) * CLOCK_NS_PER_S)
#define END_WAIT_NS    (UINT64_C(2) * CLOCK_NS_PER_S) /* for a server whose client is gone */
#define LOOK_NS        (20 * CLOCK_NS_PER_MS)

struct tool {
	const char *ns;
	char **argv;
	pid_t pid; /* 0: has ended */
	int status;
	uint64_t resident_kib;
	double cpu_s;
};

static struct gauge_reading before;
static struct gauge_reading after;

static void start(struct tool *t, bool is_silent)
{
	t->pid = fork();
	if (t->pid < 0) {
		perror("fork");
		exit(2);
	}
	if (t->pid > 0)
		return;
	netns_enter(t->ns);
	if (is_silent) {
		int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

		(void)dup2(fd, STDIN_FILENO);
		(void)dup2(fd, STDOUT_FILENO);
	}
	(void)execvp(t->argv[0], t->argv);
	perror(t->argv[0]);
	_exit(127);
}

/* Notes memory, and the end if it came. */
static void look(struct tool *t)
{
	uint64_t kib;
	double ended = gauge_children_s();

	if (t->pid == 0)
		return;
	kib = gauge_resident_kib(t->pid);
	if (kib > t->resident_kib)
		t->resident_kib = kib;
	if (waitpid(t->pid, &t->status, WNOHANG) != t->pid)
		return;
	t->cpu_s = gauge_children_s() - ended;
	t->pid = 0;
}

static void look_until_ended(struct tool *t, struct tool *other, uint64_t until_ns)
{
	while (t->pid != 0 && clock_now_ns() < until_ns) {
		look(t);
		if (other != NULL)
			look(other);
		if (t->pid != 0)
			clock_sleep_until(clock_now_ns() + LOOK_NS);
	}
}

static void end(struct tool *t)
{
	look_until_ended(t, NULL, clock_now_ns() + END_WAIT_NS);
	if (t->pid == 0)
		return;
	(void)kill(t->pid, SIGTERM);
	look_until_ended(t, NULL, clock_now_ns() + END_WAIT_NS);
	if (t->pid == 0)
		return;
	(void)kill(t->pid, SIGKILL);
	while (t->pid != 0) {
		look(t);
		clock_sleep_until(clock_now_ns() + LOOK_NS);
	}
}

/* A line of a table of sockets (proc_net(5)): "  0: ADDRESS:PORT ADDRESS:PORT 0A ...", in hex. */
static bool is_listener(const char *line, uint32_t port)
{
	const char *number = strchr(line, ':');
	const char *local = number == NULL ? NULL : strchr(number + 1, ':');
	const char *peer = local == NULL ? NULL : strchr(local + 1, ':');
	const char *state = peer == NULL ? NULL : strchr(peer, ' ');

	return state != NULL && strtoul(local + 1, NULL, 16) == port &&
	       strtoul(state, NULL, 16) == 0x0a;
}

static bool is_in_table(pid_t pid, const char *table, uint32_t port)
{
	char path[64];
	char line[512];
	bool found = false;
	FILE *f;

	(void)snprintf(path, sizeof(path), "/proc/%d/net/%s", pid, table);
	f = fopen(path, "re");
	if (f == NULL)
		return false;
	while (!found && fgets(line, sizeof(line), f) != NULL)
		found = is_listener(line, port);
	(void)fclose(f);
	return found;
}

static bool wait_for_listener(struct tool *server, uint32_t port)
{
	uint64_t until = clock_now_ns() + LISTEN_WAIT_NS;

	while (clock_now_ns() < until && server->pid != 0) {
		if (is_in_table(server->pid, "tcp", port) || is_in_table(server->pid, "tcp6", port))
			return true;
		clock_sleep_until(clock_now_ns() + LOOK_NS);
		look(server);
	}
	(void)fprintf(stderr, "%s does not listen to port %u\n", server->argv[0], port);
	return false;
}

static int find_client(int argc, char **argv)
{
	for (int i = 6; i + 1 < argc; i++) {
		if (strcmp(argv[i], "--") == 0)
			return i;
	}
	(void)fprintf(stderr, "usage: %s SERVER_NS CLIENT_NS PORT LIMIT_S SERVER... -- CLIENT...\n",
	              argv[0]);
	exit(2);
}

int main(int argc, char **argv)
{
	int split = find_client(argc, argv);
	struct tool server = {.ns = argv[1], .argv = argv + 5};
	struct tool client = {.ns = argv[2], .argv = argv + split + 1};
	uint64_t limit_ns = strtoull(argv[4], NULL, 10) * CLOCK_NS_PER_S;
	struct gauge_figures cost;
	bool is_late;

	argv[split] = NULL;
	start(&server, true);
	if (!wait_for_listener(&server, (uint32_t)strtoul(argv[3], NULL, 10)) ||
	    !gauge_read(&before)) {
		end(&server);
		return 1;
	}
	start(&client, false);
	look_until_ended(&client, &server, clock_now_ns() + limit_ns);
	is_late = client.pid != 0;
	end(&client);
	end(&server);
	if (!gauge_read(&after))
		return 1;
	gauge_figures(&before, &after, &cost);
	printf("\nsender_s=%.4f receiver_s=%.4f machine_s=%.2f wall_s=%.3f steal_s=%.2f "
	       "foreign_s=%.2f"
	       " sender_kib=%llu receiver_kib=%llu\n",
	       client.cpu_s, server.cpu_s, cost.machine_s, cost.wall_s, cost.steal_s,
	       cost.foreign_s, (unsigned long long)client.resident_kib,
	       (unsigned long long)server.resident_kib);
	if (is_late)
		(void)fprintf(stderr, "%s took longer than %s s\n", client.argv[0], argv[4]);
	return fflush(stdout) == 0 && !is_late && client.status == 0 ? 0 : 1;
}
