/* SPDX-License-Identifier: MIT */
#include "cli/prompt.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "cli/stop.h"
#include "common/clock.h"
#include "common/io.h"
#include "common/text.h"

#define ANSWER_MS 120000u /* LoginGraceTime of OpenSSH */
#define LOOK_MS   200     /* how often Ctrl-C is looked for */
#define WIPE      "\r\033[K"

/* What ends or interrupts the program, and would leave a terminal without echo. */
static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP};

static atomic_int caught; /* the last of them; 0: none */

struct question {
	int tty;
	bool is_hidden;
	struct termios before;
	bool is_changed; /* before is to be put back */
	struct sigaction old[COUNT_OF(signals)];
};

static void on_signal(int signo)
{
	atomic_store(&caught, signo);
}

static void set_echo_off(struct question *q)
{
	struct termios hidden;

	if (!q->is_hidden || tcgetattr(q->tty, &q->before) != 0)
		return;
	hidden = q->before;
	hidden.c_lflag &= ~(tcflag_t)(ECHO | ECHOE | ECHOK | ECHONL);
	hidden.c_lflag |= ICANON | ISIG;
	/* FLUSH: what was typed before the question was not meant for it. */
	q->is_changed = tcsetattr(q->tty, TCSAFLUSH, &hidden) == 0;
}

static void put_echo_back(struct question *q)
{
	if (q->is_changed)
		(void)tcsetattr(q->tty, TCSANOW, &q->before);
	q->is_changed = false;
}

static void catch_signals(struct question *q)
{
	struct sigaction sa;

	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = on_signal;
	(void)sigemptyset(&sa.sa_mask);
	atomic_store(&caught, 0);
	for (size_t i = 0; i < COUNT_OF(signals); i++) {
		(void)sigaction(signals[i], NULL, &q->old[i]);
		if (q->old[i].sa_handler != SIG_IGN)
			(void)sigaction(signals[i], &sa, NULL);
	}
}

static void leave_signals(struct question *q)
{
	for (size_t i = 0; i < COUNT_OF(signals); i++)
		(void)sigaction(signals[i], &q->old[i], NULL);
}

static void say(int tty, const char *text)
{
	struct err ignored; /* a terminal that went away shows when the answer is read */

	(void)!io_write_all(tty, text, strlen(text), &ignored);
}

/* The terminal, where we may ask: a job in the background would be stopped for it. */
static int open_terminal(struct err *err)
{
	int tty = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);

	if (tty < 0) {
		(void)err_set(err, ERR_INPUT, "there is no terminal to ask on");
		return -1;
	}
	if (tcgetpgrp(tty) == getpgrp())
		return tty;
	(void)close(tty);
	(void)err_set(err, ERR_INPUT, "vnm runs in the background and cannot ask");
	return -1;
}

/* Does what the signal would have done before the question. */
static bool pass_signal_on(struct question *q, const char *text, struct err *err)
{
	int signo = atomic_load(&caught);

	put_echo_back(q);
	say(q->tty, "\n");
	leave_signals(q);
	(void)kill(getpid(), signo);
	if (signo != SIGTSTP)
		return err_set(err, ERR_CANCELLED, "given up at a question");
	catch_signals(q); /* we were stopped, and go on */
	set_echo_off(q);
	say(q->tty, text);
	return true;
}

enum typed { TYPED_LINE, TYPED_NOTHING, TYPED_END };

/* Waits a moment; a terminal gives whole lines. What does not fit is read away. */
static enum typed read_line(struct question *q, const struct secret_question *asked,
                            char answer[SECRET_BYTES])
{
	struct pollfd fds[2] = {{.fd = q->tty, .events = POLLIN},
	                        {.fd = asked->wake_fd, .events = POLLIN}};
	ssize_t n;

	if (poll(fds, 2, LOOK_MS) <= 0)
		return TYPED_NOTHING;
	if (fds[1].revents != 0)
		return TYPED_END;
	if (fds[0].revents == 0)
		return TYPED_NOTHING;
	n = read(q->tty, answer, SECRET_BYTES - 1);
	if (n < 0 && errno == EINTR)
		return TYPED_NOTHING;
	if (n <= 0)
		return TYPED_END; /* Ctrl-D, or the terminal has gone */
	answer[n] = '\0';
	answer[strcspn(answer, "\r\n")] = '\0';
	return TYPED_LINE;
}

static bool wait_for_answer(struct question *q, const struct secret_question *asked,
                            const char *text, char answer[SECRET_BYTES], struct err *err)
{
	uint64_t end_ns = clock_now_ns() + ANSWER_MS * CLOCK_NS_PER_MS;

	for (;;) {
		enum typed typed = read_line(q, asked, answer);

		if (atomic_load(&caught) != 0) {
			if (!pass_signal_on(q, text, err))
				return false;
			continue;
		}
		if (typed == TYPED_LINE)
			return true;
		if (typed == TYPED_END || stop_seen() > 0)
			return err_set(err, ERR_CANCELLED, "given up at a question");
		if (clock_now_ns() >= end_ns)
			return err_set(err, ERR_INPUT, "nobody answered for %u s",
			               ANSWER_MS / 1000);
	}
}

static bool ask(void *ctx, const struct secret_question *asked, char answer[SECRET_BYTES],
                struct err *err)
{
	struct prompt *p = ctx;
	struct question q = {.is_hidden = asked->is_hidden, .tty = open_terminal(err)};
	struct text text = {0};
	bool ok;

	if (q.tty < 0)
		return false;
	text_printf(&text, "%s: ", asked->text);
	(void)pthread_mutex_lock(&p->screen);
	catch_signals(&q);
	set_echo_off(&q);
	say(q.tty, p->has_status ? WIPE : "");
	say(q.tty, text_str(&text));
	ok = wait_for_answer(&q, asked, text_str(&text), answer, err);
	put_echo_back(&q);
	if (q.is_hidden || !ok)
		say(q.tty, "\n");
	leave_signals(&q);
	if (ok && atomic_load(&caught) != 0) { /* together with the end of the line */
		(void)kill(getpid(), atomic_load(&caught));
		ok = atomic_load(&caught) == SIGTSTP ||
		     err_set(err, ERR_CANCELLED, "given up at a question");
	}
	(void)pthread_mutex_unlock(&p->screen);
	(void)close(q.tty);
	text_done(&text);
	if (!ok)
		explicit_bzero(answer, SECRET_BYTES);
	return ok;
}

/* Where there is no terminal it goes to stderr: somebody may see it. */
static void tell(void *ctx, const char *line)
{
	struct prompt *p = ctx;
	int tty = open("/dev/tty", O_WRONLY | O_CLOEXEC | O_NOCTTY);
	struct text text = {0};

	text_printf(&text, "%s%s\n", tty >= 0 && p->has_status ? WIPE : "", line);
	(void)pthread_mutex_lock(&p->screen);
	say(tty >= 0 ? tty : STDERR_FILENO, text_str(&text));
	(void)pthread_mutex_unlock(&p->screen);
	if (tty >= 0)
		(void)close(tty);
	text_done(&text);
}

void prompt_init(struct prompt *p, bool has_status)
{
	(void)pthread_mutex_init(&p->screen, NULL);
	p->has_status = has_status;
}

void prompt_done(struct prompt *p)
{
	(void)pthread_mutex_destroy(&p->screen);
}

struct secret_asker prompt_asker(struct prompt *p)
{
	return (struct secret_asker){.ctx = p, .ask = ask, .tell = tell};
}

bool prompt_hold(struct prompt *p)
{
	return pthread_mutex_trylock(&p->screen) == 0;
}

void prompt_release(struct prompt *p)
{
	(void)pthread_mutex_unlock(&p->screen);
}
