/* SPDX-License-Identifier: MIT */
/*
 * guard_probe - changes a setting of a host as a run does: guardian armed, undo kept, change
 * applied, lease kept; then it holds on until SIGTERM, and puts everything back. Prints what
 * the guardian and the link say, a line an event with the time since the start:
 *
 *	    412 ms armed /run/vnm-guard
 *	    530 ms kept 1
 *	    640 ms applied 0
 *	    655 ms holding
 *
 * With -r it connects again when the host is lost, and takes the host over by its token.
 * Exit code 0: all was put back and the guardian has ended.
 */
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/text.h"
#include "hostops/guardian.h"
#include "link/link.h"

#define RETRY_MS  300u
#define BEAT_MS   1000u
#define LEASE_ID  9u
#define GIVE_UP_S 90u

static const char usage[] =
	"usage: guard_probe [options] NAME ADDRESS PORT LOOK BEFORE WANTED BACK APPLY\n"
	"  -i KEY   -k KNOWN_HOSTS   -u USER   -p PASSWORD_FILE\n"
	"  -a AGENT (else without one)   -P root|sudo|sudo-password   -d DEAD_MAN_S   -r\n";

enum step {
	STEP_CONNECT, /* nothing of the host is known */
	STEP_ARM,
	STEP_RENEW,
	STEP_LEASE,
	STEP_KEEP,
	STEP_APPLY,
	STEP_HOLD,
	STEP_RESTORE,
	STEP_END,
	STEP_OVER,
};

struct probe {
	struct link_target target;
	struct link_options options;
	struct link_set *set;
	enum privilege privilege;
	struct guardian_arm arm;
	struct guardian_undo undo;
	const char *apply;
	bool may_reconnect;

	enum step step;
	char token[GUARDIAN_TOKEN_BYTES];
	char folder[GUARDIAN_FOLDER_BYTES];
	struct guardian_said said; /* the last word of the text that runs */
	bool is_busy;              /* one does */
	bool is_applied;
	bool is_asked_to_end;
	uint64_t start_ns, due_ns; /* of a beat or an attempt to connect; UINT64_MAX */
	uint32_t beats;
	bool has_ended;
};

static void tell(const struct probe *p, const char *what, const char *more)
{
	(void)printf("%7" PRIu64 " ms %s%s%s\n", (clock_now_ns() - p->start_ns) / CLOCK_NS_PER_MS,
	             what, more[0] == '\0' ? "" : " ", more);
}

static uint64_t in_ms(uint64_t ms)
{
	return clock_now_ns() + ms * CLOCK_NS_PER_MS;
}

static enum privilege privilege_of(const char *name)
{
	if (strcmp(name, "sudo") == 0)
		return PRIVILEGE_SUDO;
	return strcmp(name, "sudo-password") == 0 ? PRIVILEGE_SUDO_PASSWORD : PRIVILEGE_ROOT;
}

static bool parse(int argc, char **argv, struct probe *p)
{
	int c;

	p->privilege = PRIVILEGE_ROOT;
	p->target.user = "root";
	p->target.config = "none";
	p->arm.dead_man_s = 10;
	p->arm.owner = "guard_probe";
	p->options.is_errand = true;
	while ((c = getopt(argc, argv, "i:k:u:p:a:P:d:r")) != -1) {
		switch (c) {
		case 'i':
			p->target.key = optarg;
			break;
		case 'k':
			p->target.known_hosts = optarg;
			break;
		case 'u':
			p->target.user = optarg;
			break;
		case 'p':
			p->target.password_file = optarg;
			break;
		case 'a':
			p->options.agent_path = optarg;
			p->options.is_errand = false;
			break;
		case 'P':
			p->privilege = privilege_of(optarg);
			break;
		case 'd':
			p->arm.dead_man_s = (uint32_t)strtoul(optarg, NULL, 10);
			break;
		case 'r':
			p->may_reconnect = true;
			break;
		default:
			return false;
		}
	}
	if (argc - optind != 8)
		return false;
	argv += optind;
	p->target.name = argv[0];
	p->target.address = argv[1];
	p->target.port = (uint32_t)strtoul(argv[2], NULL, 10);
	p->undo = (struct guardian_undo){.number = 1,
	                                 .what = "the setting",
	                                 .look = argv[3],
	                                 .before = argv[4],
	                                 .wanted = argv[5],
	                                 .back = argv[6]};
	p->apply = argv[7];
	return true;
}

/* What the text of a step asks for. */
static bool add_request(const struct probe *p, struct text *text, struct err *err)
{
	switch (p->step) {
	case STEP_ARM:
		return guardian_add_arm(text, p->token, &p->arm, err);
	case STEP_KEEP:
		return guardian_add_keep(text, p->token, &p->undo, err);
	case STEP_APPLY:
		text_printf(text, "%s\necho \"$m applied $?\"\n", p->apply);
		return true;
	case STEP_HOLD:
		return guardian_add_beat(text, p->token, p->beats, err);
	case STEP_RENEW:
		return guardian_add_renew(text, p->token, p->arm.agent_pid, err);
	case STEP_RESTORE:
		return guardian_add_restore(text, p->token, err);
	case STEP_END:
		return guardian_add_end(text, p->token, err);
	case STEP_CONNECT:
	case STEP_LEASE:
	case STEP_OVER:
		break;
	}
	return true;
}

static void run_text(struct probe *p)
{
	struct text text = {0};
	struct err err;
	struct link_text what = {.privilege = p->privilege};

	if (guardian_begin(&text, p->folder[0] == '\0' ? NULL : p->folder, &err) &&
	    add_request(p, &text, &err)) {
		what.text = text_str(&text);
		p->is_busy = true;
		link_run_text(p->set, 0, &what);
	} else {
		tell(p, "bad", err.msg);
		p->step = STEP_OVER;
	}
	text_done(&text);
}

static void enter(struct probe *p, enum step step)
{
	struct msg msg;

	if (step == STEP_LEASE && p->options.is_errand)
		step = p->is_applied ? STEP_HOLD : STEP_KEEP;
	p->step = step;
	p->due_ns = UINT64_MAX;
	if (step == STEP_HOLD) {
		tell(p, "holding", "");
		p->due_ns = p->options.is_errand ? in_ms(BEAT_MS) : UINT64_MAX;
	} else if (step == STEP_LEASE) {
		msg_init(&msg, MSG_LEASE, LEASE_ID);
		(void)snprintf(msg.u.lease.path, sizeof(msg.u.lease.path), "%s/lease", p->folder);
		link_send(p->set, 0, &msg);
	} else if (step != STEP_OVER) {
		run_text(p);
	}
}

/* The text of a step has run. */
static void go_on(struct probe *p, const struct link_event *event)
{
	p->is_busy = false;
	if (event->err.kind != ERR_NONE) {
		tell(p, "ran", event->err.msg);
		enter(p, STEP_OVER);
		return;
	}
	switch (p->step) {
	case STEP_ARM:
		enter(p, p->said.word == GUARDIAN_ARMED ? STEP_LEASE : STEP_OVER);
		break;
	case STEP_KEEP:
		enter(p, p->said.word == GUARDIAN_KEPT ? STEP_APPLY : STEP_OVER);
		break;
	case STEP_APPLY:
		p->is_applied = true;
		enter(p, STEP_HOLD);
		break;
	case STEP_RENEW:
		enter(p, STEP_LEASE);
		break;
	case STEP_HOLD:
		p->due_ns = in_ms(BEAT_MS);
		break;
	case STEP_RESTORE:
		enter(p, p->said.word == GUARDIAN_CLEAN ? STEP_END : STEP_OVER);
		break;
	case STEP_END:
		p->has_ended = p->said.word == GUARDIAN_ENDED;
		enter(p, STEP_OVER);
		break;
	case STEP_CONNECT:
	case STEP_LEASE:
	case STEP_OVER:
		break;
	}
}

static void take_line(struct probe *p, const char *line)
{
	if (guardian_read(line, &p->said) && p->said.word == GUARDIAN_ARMED)
		(void)snprintf(p->folder, sizeof(p->folder), "%s", p->said.folder);
	if (strcmp(line, "guard alive") != 0)
		tell(p, strncmp(line, "guard ", 6) == 0 ? line + 6 : line, "");
}

static void handle(struct probe *p, const struct link_event *event)
{
	switch (event->kind) {
	case LINK_UP:
		tell(p, "up", event->info.login);
		p->arm.agent_pid = p->options.is_errand ? 0 : event->info.agent_pid;
		enter(p, p->folder[0] == '\0' ? STEP_ARM : STEP_RENEW);
		break;
	case LINK_LINE:
		take_line(p, event->line);
		break;
	case LINK_RAN:
		go_on(p, event);
		break;
	case LINK_MESSAGE:
		if (event->msg.id == LEASE_ID && event->msg.type == MSG_DONE)
			enter(p, p->is_applied ? STEP_HOLD : STEP_KEEP);
		else if (event->msg.id == LEASE_ID)
			tell(p, "lease", event->msg.u.failed.reason);
		break;
	case LINK_DOWN:
		tell(p, "down", event->err.msg);
		p->is_busy = false;
		p->step = p->may_reconnect ? STEP_CONNECT : STEP_OVER;
		p->due_ns = in_ms(RETRY_MS);
		break;
	}
}

static void tick(struct probe *p)
{
	if (p->is_asked_to_end && p->step == STEP_HOLD && !p->is_busy) {
		enter(p, STEP_RESTORE);
		return;
	}
	if (clock_now_ns() < p->due_ns)
		return;
	p->due_ns = UINT64_MAX;
	if (p->step == STEP_CONNECT) {
		link_connect(p->set, 0);
	} else if (p->step == STEP_HOLD) {
		p->beats++;
		run_text(p);
	}
}

static void run(struct probe *p, int stop_fd)
{
	uint64_t end_ns = in_ms(GIVE_UP_S * 1000);
	struct signalfd_siginfo info;
	struct link_event event;

	p->due_ns = p->start_ns = clock_now_ns();
	while (p->step != STEP_OVER && clock_now_ns() < end_ns) {
		uint64_t until_ns = p->due_ns < in_ms(200) ? p->due_ns : in_ms(200);

		if (link_next(p->set, until_ns, p->is_asked_to_end ? -1 : stop_fd, &event))
			handle(p, &event);
		else if (!p->is_asked_to_end && read(stop_fd, &info, sizeof(info)) > 0)
			p->is_asked_to_end = true;
		tick(p);
	}
}

int main(int argc, char **argv)
{
	static struct probe p;
	struct err err;
	sigset_t stop;
	int stop_fd;

	(void)setvbuf(stdout, NULL, _IOLBF, 0);
	if (!parse(argc, argv, &p)) {
		(void)fputs(usage, stderr);
		return 2;
	}
	(void)sigemptyset(&stop);
	(void)sigaddset(&stop, SIGTERM);
	(void)sigprocmask(SIG_BLOCK, &stop, NULL);
	stop_fd = signalfd(-1, &stop, SFD_CLOEXEC | SFD_NONBLOCK);
	p.options.secrets = secrets_new(NULL, &err);
	p.set = guardian_token(p.token, &err) ? link_set_new(&p.target, 1, &p.options, &err) : NULL;
	if (p.set == NULL) {
		(void)printf("cannot start: %s\n", err.msg);
		return 2;
	}
	run(&p, stop_fd);
	link_set_free(p.set);
	secrets_free(p.options.secrets);
	return p.has_ended ? 0 : 1;
}
