/* SPDX-License-Identifier: MIT */
/*
 * link_probe - connects to the hosts of a list and prints what the link tells, a
 * line an event with the time since the start:
 *
 *	      0 ms start 1764516845123		(wall clock, ms)
 *	    183 ms up esx1 agent 0.1.0 linux x86_64 pid 12 in /tmp/.vnm-... by key /...
 *	    190 ms fact esx1 os.kernel=...
 *	   2790 ms down esx1: esx1: no sign of life for 2.5 s
 *
 * It ends when every host has been up or down and `hold` has passed, or at SIGTERM.
 * Exit code 0: all hosts were up.
 */
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "cli/prompt.h"
#include "common/attr.h"
#include "common/clock.h"
#include "common/text.h"
#include "link/link.h"

#define HOSTS_MAX 1024

static const char usage[] =
	"usage: link_probe [options] AGENT HOSTS     HOSTS: lines of NAME ADDRESS PORT [JUMP]\n"
	"  -i KEY   -k KNOWN_HOSTS   -u USER   -s AUTH_SOCK   -n (accept new host keys)\n"
	"  -t CONNECT_MS   -w HOLD_MS (after all have been up or down)   -f (ask for facts)\n"
	"  -r TIMES (connect again after down)   -T libssh|openssh|local (transport)\n"
	"  -c CONFIG (of ssh, which then says user and known_hosts; '': as ssh)   -j JUMP\n"
	"  -p PASSWORD_FILE   -e PASSWORD_ENV   -a (ask on the terminal)\n"
	"  -m AGENT (one more to choose from, or its source)\n";

struct probe {
	struct link_target targets[HOSTS_MAX];
	size_t count;
	struct link_options options;
	const char *more_agents[8];
	size_t more_count;
	struct link_target preset;
	unsigned hold_ms;
	bool may_ask;
	bool wants_facts;
	unsigned reconnects;
	unsigned reconnected[HOSTS_MAX];
	uint64_t start_ns;
	bool settled[HOSTS_MAX];
	size_t settled_count;
	size_t up_count;
};

static uint64_t elapsed_ms(const struct probe *p)
{
	return (clock_now_ns() - p->start_ns) / CLOCK_NS_PER_MS;
}

static bool read_hosts(struct probe *p, const char *path)
{
	FILE *in = fopen(path, "r");
	char line[512];
	char name[64];
	char address[64];
	char port[8];
	char jump[256];

	if (in == NULL)
		return false;
	while (p->count < HOSTS_MAX && fgets(line, sizeof(line), in) != NULL) {
		int words = sscanf(line, "%63s %63s %7s %255s", name, address, port, jump);
		struct link_target *t = &p->targets[p->count];

		if (words < 3)
			continue;
		p->count++;
		*t = p->preset;
		if (words == 4)
			t->jump = strdup(jump);
		t->name = strdup(name);
		t->address = strdup(address);
		t->port = (uint32_t)strtoul(port, NULL, 10);
	}
	(void)fclose(in);
	return p->count > 0;
}

static bool parse(int argc, char **argv, struct probe *p)
{
	int c;

	p->preset.user = "root";
	p->preset.config = "none"; /* not that of the machine that tests */
	p->preset.known_hosts = "/nonexistent";
	while ((c = getopt(argc, argv, "i:k:u:s:nt:w:fr:T:c:j:p:e:am:")) != -1) {
		switch (c) {
		case 'i':
			p->preset.key = optarg;
			break;
		case 'k':
			p->preset.known_hosts = optarg;
			break;
		case 'u':
			p->preset.user = optarg;
			break;
		case 's':
			p->options.auth_sock = optarg;
			break;
		case 'T':
			p->preset.transport = strcmp(optarg, "openssh") == 0 ? LINK_OPENSSH
			                      : strcmp(optarg, "local") == 0 ? LINK_LOCAL
			                                                     : LINK_LIBSSH;
			break;
		case 'c':
			p->preset.config = optarg[0] == '\0' ? NULL : optarg;
			p->preset.user = p->preset.known_hosts = NULL;
			break;
		case 'j':
			p->preset.jump = optarg;
			break;
		case 'p':
			p->preset.password_file = optarg;
			break;
		case 'e':
			p->preset.password_env = optarg;
			break;
		case 'a':
			p->may_ask = true;
			break;
		case 'm':
			if (p->more_count + 1 == COUNT_OF(p->more_agents))
				return false;
			p->more_agents[p->more_count++] = optarg;
			break;
		case 'n':
			p->preset.accept_new = true;
			break;
		case 't':
			p->options.connect_ms = (uint32_t)strtoul(optarg, NULL, 10);
			break;
		case 'w':
			p->hold_ms = (unsigned)strtoul(optarg, NULL, 10);
			break;
		case 'f':
			p->wants_facts = true;
			break;
		case 'r':
			p->reconnects = (unsigned)strtoul(optarg, NULL, 10);
			break;
		default:
			return false;
		}
	}
	if (argc - optind != 2)
		return false;
	p->options.agent_path = argv[optind];
	p->options.more_agents = p->more_agents;
	return read_hosts(p, argv[optind + 1]);
}

static void print_up(const struct probe *p, const char *name, const struct link_info *i)
{
	(void)printf("%7" PRIu64 " ms up %s agent %s %s %s pid %" PRIu32 " in %s by %s\n",
	             elapsed_ms(p), name, i->agent_version, i->platform, i->arch, i->agent_pid,
	             i->folder, i->login);
	(void)printf("%7" PRIu64 " ms info %s at %s key %s offset %" PRId64 " us, %s\n",
	             elapsed_ms(p), name, i->address, i->host_key, i->clock_offset_us, i->origin);
}

static void print_config(const struct probe *p, const char *name, const struct link_info *i)
{
	(void)printf("%7" PRIu64 " ms config %s %s\n", elapsed_ms(p), name,
	             i->config[0] == '\0' ? "-" : i->config);
}

static void settle(struct probe *p, size_t host)
{
	if (p->settled[host])
		return;
	p->settled[host] = true;
	if (++p->settled_count < p->count)
		return;
	(void)printf("%7" PRIu64 " ms settled %zu of %zu up\n", elapsed_ms(p), p->up_count,
	             p->count);
}

static void handle(struct probe *p, struct link_set *set, const struct link_event *e)
{
	const char *name = p->targets[e->host].name;
	struct msg facts;

	switch (e->kind) {
	case LINK_UP:
		print_up(p, name, &e->info);
		print_config(p, name, &e->info);
		p->up_count++;
		settle(p, e->host);
		msg_init(&facts, MSG_FACTS, 7);
		if (p->wants_facts)
			link_send(set, e->host, &facts);
		break;
	case LINK_MESSAGE:
		if (e->msg.type == MSG_FACT)
			(void)printf("%7" PRIu64 " ms fact %s %s=%s\n", elapsed_ms(p), name,
			             e->msg.u.fact.key, e->msg.u.fact.value);
		else
			(void)printf("%7" PRIu64 " ms %s %s id %" PRIu32 "\n", elapsed_ms(p),
			             wire_messages[e->msg.type].verb, name, e->msg.id);
		break;
	case LINK_DOWN:
		(void)printf("%7" PRIu64 " ms down %s stage %d: %s\n", elapsed_ms(p), name,
		             (int)e->info.stage, e->err.msg);
		settle(p, e->host);
		if (p->reconnected[e->host]++ < p->reconnects)
			link_connect(set, e->host);
		break;
	case LINK_LINE:
	case LINK_RAN: /* not asked for */
		break;
	}
}

static void run(struct probe *p, struct link_set *set, int stop_fd)
{
	uint64_t end_ns = UINT64_MAX;
	struct link_event event;

	p->start_ns = clock_now_ns();
	(void)printf("%7d ms start %" PRId64 "\n", 0, clock_wall_ms());
	for (size_t i = 0; i < p->count; i++)
		link_connect(set, i);
	while (clock_now_ns() < end_ns) {
		struct signalfd_siginfo info;

		if (link_next(set, end_ns, stop_fd, &event))
			handle(p, set, &event);
		else if (end_ns == UINT64_MAX || clock_now_ns() < end_ns) {
			if (read(stop_fd, &info, sizeof(info)) > 0)
				return;
		}
		if (p->settled_count == p->count && end_ns == UINT64_MAX)
			end_ns = clock_now_ns() + p->hold_ms * CLOCK_NS_PER_MS;
	}
}

/* As cli/vault.c does it for a topology. */
static struct secrets *open_secrets(const struct probe *p, struct prompt *prompt, struct err *err)
{
	struct secret_asker asker = prompt_asker(prompt);
	struct secrets *s = secrets_new(p->may_ask ? &asker : NULL, err);
	const char *name = p->preset.password_env;

	if (s != NULL && name != NULL && getenv(name) != NULL)
		secrets_add_env(s, name, getenv(name));
	return s;
}

int main(int argc, char **argv)
{
	static struct probe p;
	struct prompt prompt;
	struct link_set *set;
	struct err err;
	sigset_t stop;
	uint64_t end_ns;
	int stop_fd;

	(void)setvbuf(stdout, NULL, _IOLBF, 0);
	if (!parse(argc, argv, &p)) {
		(void)fputs(usage, stderr);
		return 2;
	}
	(void)sigemptyset(&stop);
	(void)sigaddset(&stop, SIGTERM);
	(void)sigprocmask(SIG_BLOCK, &stop, NULL);
	stop_fd = signalfd(-1, &stop, SFD_CLOEXEC);
	prompt_init(&prompt, false);
	p.options.secrets = open_secrets(&p, &prompt, &err);
	set = p.options.secrets == NULL ? NULL : link_set_new(p.targets, p.count, &p.options, &err);
	if (set == NULL) {
		(void)printf("cannot start: %s\n", err.msg);
		return 1;
	}
	run(&p, set, stop_fd);
	end_ns = clock_now_ns();
	link_set_free(set);
	secrets_free(p.options.secrets);
	prompt_done(&prompt);
	(void)printf("%7" PRIu64 " ms freed in %" PRIu64 " ms\n", elapsed_ms(&p),
	             (clock_now_ns() - end_ns) / CLOCK_NS_PER_MS);
	return p.up_count == p.count ? 0 : 1;
}
