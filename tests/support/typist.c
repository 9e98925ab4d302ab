/* SPDX-License-Identifier: MIT */
/*
 * typist - somebody at a terminal, for tests of what asks:
 *
 *	typist [[+]PROMPT=ANSWER]... -- COMMAND [ARG]...
 *
 * COMMAND gets a terminal of its own as stdin and stderr; its stdout stays what it is.
 * When what it prints to the terminal holds a PROMPT, that answer is typed, once: asked
 * again, nobody answers, except where it begins with +. What was seen on the terminal goes to stderr, what was echoed
 * included. Exit code: COMMAND's; 99 when one of the prompts never came.
 * TYPIST_MS in the environment is how long it thinks before each answer.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define SEEN_BYTES 65536
#define EXIT_USAGE 98
#define EXIT_MUTE  99

struct question {
	const char *prompt;
	const char *answer;
	int is_answered;
	int again;
};

struct screen {
	char text[SEEN_BYTES + 1];
	size_t len;
	size_t read; /* up to here it has been answered */
};

static int start(char **command, pid_t *pid)
{
	int screen = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	const char *name;

	if (screen < 0 || grantpt(screen) != 0 || unlockpt(screen) != 0)
		return -1;
	name = ptsname(screen);
	*pid = name == NULL ? -1 : fork();
	if (*pid == 0) {
		int terminal;

		(void)setsid();
		terminal = open(name, O_RDWR);
		if (terminal < 0 || ioctl(terminal, TIOCSCTTY, 0) != 0 ||
		    dup2(terminal, STDIN_FILENO) < 0 || dup2(terminal, STDERR_FILENO) < 0)
			_exit(EXIT_USAGE);
		if (terminal > STDERR_FILENO)
			(void)close(terminal);
		(void)execvp(command[0], command);
		perror(command[0]);
		_exit(EXIT_USAGE);
	}
	return *pid < 0 ? -1 : screen;
}

/* In `room`, when it comes from a file. */
static const char *answer_of(const struct question *q, char room[200])
{
	FILE *in = q->answer[0] == '@' ? fopen(q->answer + 1, "r") : NULL;

	if (in == NULL)
		return q->answer;
	if (fgets(room, 200, in) == NULL)
		room[0] = '\0';
	(void)fclose(in);
	room[strcspn(room, "\n")] = '\0';
	return room;
}

/* Reads what came and types what it asks for; 0 when the terminal is closed. */
static int answer(int fd, struct screen *s, struct question *questions, int count)
{
	ssize_t n;

	if (s->len == SEEN_BYTES) {
		s->len = 0;
		s->read = 0;
	}
	n = read(fd, s->text + s->len, SEEN_BYTES - s->len);
	if (n <= 0)
		return n < 0 && errno == EINTR;
	(void)fwrite(s->text + s->len, 1, (size_t)n, stderr);
	s->len += (size_t)n;
	s->text[s->len] = '\0';
	for (int i = 0; i < count; i++) {
		char line[256];
		char said[200];
		const char *text;

		if ((questions[i].is_answered && !questions[i].again) ||
		    strstr(s->text + s->read, questions[i].prompt) == NULL)
			continue;
		questions[i].is_answered = 1;
		if (getenv("TYPIST_MS") != NULL)
			(void)poll(NULL, 0, (int)strtol(getenv("TYPIST_MS"), NULL, 10));
		s->read = s->len;
		text = answer_of(&questions[i], said);
		/* Ctrl-C needs no Enter. */
		n = snprintf(line, sizeof(line), "%s%s", text,
		             text[0] > 0 && text[0] < ' ' ? "" : "\n");
		if (write(fd, line, (size_t)n) != n)
			return 0;
	}
	return 1;
}

int main(int argc, char **argv)
{
	static struct screen screen;
	struct question questions[16] = {{NULL, NULL, 0, 0}};
	int count = 0;
	int status = 0;
	pid_t pid = -1;
	int fd;

	while (count + 2 < argc && count < 16 && strcmp(argv[1 + count], "--") != 0) {
		char *equals = strrchr(argv[1 + count], '=');

		if (equals == NULL)
			return EXIT_USAGE;
		*equals = '\0';
		questions[count].again = argv[1 + count][0] == '+';
		questions[count].prompt = argv[1 + count] + questions[count].again;
		questions[count].answer = equals + 1;
		count++;
	}
	if (count + 2 >= argc || strcmp(argv[1 + count], "--") != 0)
		return EXIT_USAGE;
	fd = start(argv + 2 + count, &pid);
	if (fd < 0)
		return EXIT_USAGE;
	while (answer(fd, &screen, questions, count))
		continue;
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return EXIT_USAGE;
	for (int i = 0; i < count; i++) {
		if (!questions[i].is_answered) {
			(void)fprintf(stderr, "\nnever asked: %s\n", questions[i].prompt);
			return EXIT_MUTE;
		}
	}
	return WEXITSTATUS(status);
}
