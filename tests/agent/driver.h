/* SPDX-License-Identifier: MIT */
/*
 * driver.h - plays the orchestrator to real agents, over pipes.
 *
 * A test program's first argument is the agent to start. Every wait is bounded;
 * what an agent says that nobody asked for (alive) is skipped and noted. A wrong
 * answer fails the running cmocka test.
 */
#ifndef TESTS_AGENT_DRIVER_H
#define TESTS_AGENT_DRIVER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/attr.h"
#include "common/number_set.h"
#include "common/wire/msg.h"
#include "common/wire/preamble.h"
#include "common/wire/reader.h"

#define DRIVER_WAIT_MS     15000u
#define DRIVER_STREAMS_MAX 128u
#define DRIVER_TOKEN       "00112233445566778899aabbccddeeff"

struct agent {
	pid_t pid; /* -1: not there */
	int in;    /* what the test writes to the agent */
	int out;   /* what it reads */
	struct wire_reader reader;
	char bytes[4096]; /* read, not yet taken by the reader */
	const char *at;
	size_t len;
	uint32_t next_id;
	/* What the last agent_expect() of a failure skipped before it. */
	struct number_set troubles; /* streams */
	struct msg_trouble trouble; /* the last one */
	uint64_t beats;             /* alive messages seen */
	uint64_t last_beat_ns;
	uint64_t beat_gap_max_ns;      /* by the agent's clock */
	char caps[WIRE_STR_BYTES + 2]; /* a comma before and after each word; agent_start() */
};

/* The agent under test; its path is the program's first argument. The second, if there is
 * one, is what uname calls the machine that it runs on: it may be an emulated one. */
void driver_init(int argc, char **argv);
const char *driver_agent_path(void);
const char *driver_machine(void);

/* Starts path with these arguments (NULL-terminated, without argv[0]). */
void agent_exec(struct agent *a, const char *path, const char *const *args);

/* Starts the agent under test and has hello answered. */
void agent_start(struct agent *a, uint32_t beat_ms, uint32_t lease_ms);

/* Writes one line; a newline is added. */
void agent_say(struct agent *a, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* The next message that is not alive. False at the end of the agent's output or
 * when nothing came for wait_ms. */
bool agent_next(struct agent *a, uint32_t wait_ms, struct msg *out);

/* The next message, which must be of this type and answer this request. */
void agent_expect(struct agent *a, enum msg_type type, uint32_t id, struct msg *out);

/* The next message, which must be `failed` with this kind and this reason. A reason that ends with '*' matches by its beginning. */
void agent_expect_failed(struct agent *a, uint32_t id, const char *kind, const char *reason);

/* Says bye, or just waits; returns the exit status, -signal, or -1000 when the
 * agent has not ended within wait_ms (it is killed then). Closes the pipes. */
int agent_bye(struct agent *a);
int agent_wait_end(struct agent *a, uint32_t wait_ms);

/* One test between two agents. */
struct spec {
	bool is_listener_sender; /* else the connector sends */
	const char *address;     /* of the listener; NULL: 127.0.0.1 */
	const char *peer;        /* of the connector; NULL: the same */
	uint32_t streams;        /* 0: 1 */
	uint64_t window_bytes;   /* 0: left out */
	uint64_t buffer_bytes;   /* 0: left out */
	uint32_t omit_ms;
	uint32_t duration_ms; /* 0: 300 */
	uint32_t interval_ms; /* 0: 100 */
	uint32_t rtt_probes;
	const char *options; /* further fields of both prepares, each after a blank; NULL */
	const char *listener_options; /* of one; NULL */
	const char *connector_options;
};

/* What one end said from go to done. */
struct outcome {
	struct msg_connected connected;
	struct msg_result result;
	struct msg_stream stream[DRIVER_STREAMS_MAX + 1]; /* by number; 0: not used */
	uint32_t stream_count;
	uint32_t counter_count;
	uint64_t nic_bytes; /* counter nic.tx_bytes; WIRE_UNKNOWN_U64 */
	/* Of the samples, by stream; 0: all. */
	uint64_t sample_bytes[DRIVER_STREAMS_MAX + 1];
	uint64_t measured_bytes[DRIVER_STREAMS_MAX + 1];
	uint64_t last_end_ns[DRIVER_STREAMS_MAX + 1];
	uint64_t units[DRIVER_STREAMS_MAX + 1]; /* measured; what is not known is 0 */
	struct msg_latency rr;                  /* count 0: not told */
	struct msg_latency loaded;
	uint64_t opened_ns; /* start of the first sample of all that is not omitted */
	uint32_t omitted_count;
	uint32_t sample_count; /* of all */
	bool has_cpu;          /* in every sample of all */
	uint64_t cpu_us;       /* of the measured ones, as far as they have it */
	bool has_load;         /* likewise: the machine's */
	/* Of the measured samples, by stream; WIRE_UNKNOWN_U64 as soon as one has it not. */
	uint64_t retransmits[DRIVER_STREAMS_MAX + 1];
	uint64_t busy_us[DRIVER_STREAMS_MAX + 1];
	uint64_t measured_lost[DRIVER_STREAMS_MAX + 1];
	struct msg_sample last_sample[DRIVER_STREAMS_MAX + 1];
	struct number_set troubles;                             /* streams */
	struct msg_datagrams datagrams[DRIVER_STREAMS_MAX + 1]; /* by stream; 0: all */
	uint32_t datagrams_count;
	bool has_failed;
	struct msg_failed failed;
};

/* Sends prepare; returns its id. The listener's port is 0: any. */
uint32_t agent_prepare_listen(struct agent *a, const struct spec *spec);
uint32_t agent_prepare_connect(struct agent *a, const struct spec *spec, uint32_t port);

/* Prepares both; both are connected then. Returns the listener's port. */
uint32_t driver_connect(struct agent *listener, struct agent *connector, const struct spec *spec,
                        uint32_t *test_id);

/* Reads the answer to go up to done or failed. */
void agent_collect(struct agent *a, uint32_t id, struct outcome *out);

/* The same of two tests at a time, whose messages come as they come; out[1] NULL: of one. */
void agent_collect_both(struct agent *a, const uint32_t id[2], struct outcome *const out[2]);

/* All of it, from prepare to done at both ends. */
void driver_run(struct agent *listener, struct agent *connector, const struct spec *spec,
                struct outcome *sender, struct outcome *receiver);

/* A TCP socket of the test itself. port 0: any; *port is what it got. */
int driver_listen(uint32_t *port);
int driver_try_listen(uint32_t *port); /* -1: it cannot be had */
int driver_dial(uint32_t port);        /* connected to 127.0.0.1, or -1 */

/* As an agent: connected to the listener, as this stream, and let in. */
int driver_join(uint32_t port, uint16_t stream, enum preamble_kind kind);

/* Reads one byte: 1, 0 at the end, -1 after an error or wait_ms. */
int driver_read_byte(int fd, uint32_t wait_ms);

void driver_sleep_ms(uint32_t ms);

#endif
