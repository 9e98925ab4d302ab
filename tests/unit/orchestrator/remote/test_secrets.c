/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "common/attr.h"
#include "remote/secrets.h"
#include "tests/support/test.h"

#define THREADS 8

/* Somebody with answers at hand. */
struct person {
	const char *const *answers; /* NULL-terminated; after the last: gives up */
	atomic_uint asked, told;
	atomic_uint at_once; /* questions that stand there */
	char last[256];
	bool waits_for_wake;
	enum err_kind refusal;
};

static bool ask(void *ctx, const struct secret_question *q, char answer[SECRET_BYTES],
                struct err *err)
{
	struct person *p = ctx;
	unsigned nth = atomic_fetch_add(&p->asked, 1);
	eventfd_t count;

	assert_int_equal(atomic_fetch_add(&p->at_once, 1), 0);
	assert_true(q->is_hidden);
	(void)snprintf(p->last, sizeof(p->last), "%s", q->text);
	if (p->waits_for_wake) {
		(void)eventfd_read(q->wake_fd, &count);
		(void)eventfd_write(q->wake_fd, 1); /* others are to see it as well */
	}
	(void)atomic_fetch_sub(&p->at_once, 1);
	if (p->waits_for_wake)
		return err_set(err, ERR_CANCELLED, "given up");
	if (p->answers == NULL || p->answers[nth] == NULL)
		return err_set(err, p->refusal == ERR_NONE ? ERR_CANCELLED : p->refusal,
		               "nobody is there");
	(void)snprintf(answer, SECRET_BYTES, "%s", p->answers[nth]);
	return true;
}

static void tell(void *ctx, const char *text)
{
	struct person *p = ctx;

	(void)snprintf(p->last, sizeof(p->last), "%s", text);
	(void)atomic_fetch_add(&p->told, 1);
}

static struct secrets *secrets_of(struct person *p)
{
	const struct secret_asker asker = {.ctx = p, .ask = ask, .tell = tell};
	struct err err;
	struct secrets *s = secrets_new(p == NULL ? NULL : &asker, &err);

	assert_non_null(s);
	return s;
}

static const struct password_wish root = {
	.user = "root", .host = "esx1", .may_ask = true, .wake_fd = -1};

struct asking {
	struct secrets *secrets;
	const struct password_wish *wish;
	const char *got;
	struct err err;
};

static void *want_password(void *arg)
{
	struct asking *a = arg;

	a->got = secrets_password(a->secrets, a->wish, &a->err);
	return NULL;
}

/* All at once; each has its own result in `out`. */
static void ask_from_threads(struct secrets *s, const struct password_wish *wish,
                             struct asking out[THREADS])
{
	pthread_t threads[THREADS];

	for (size_t i = 0; i < THREADS; i++) {
		out[i] = (struct asking){.secrets = s, .wish = wish};
		assert_int_equal(pthread_create(&threads[i], NULL, want_password, &out[i]), 0);
	}
	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
}

static void one_question_serves_all_sessions(void **state)
{
	static const char *const answers[] = {"secret", NULL};
	struct person person = {.answers = answers};
	struct secrets *s = secrets_of(&person);
	struct asking all[THREADS];

	(void)state;
	ask_from_threads(s, &root, all);
	for (size_t i = 0; i < THREADS; i++)
		assert_string_equal(all[i].got, "secret");
	assert_int_equal(person.asked, 1);
	assert_string_equal(person.last,
	                    "password of root for esx1 and every host that asks for it");
	secrets_free(s);
}

static void each_user_and_each_jump_host_has_its_own(void **state)
{
	static const char *const answers[] = {"one", "two", "three", NULL};
	struct password_wish admin = root;
	struct password_wish jump = root;
	struct person person = {.answers = answers};
	struct secrets *s = secrets_of(&person);
	struct err err;

	(void)state;
	admin.user = "admin";
	jump.host = jump.only_for = "gate";
	for (int again = 0; again < 2; again++) {
		assert_string_equal(secrets_password(s, &root, &err), "one");
		assert_string_equal(secrets_password(s, &admin, &err), "two");
		assert_string_equal(secrets_password(s, &jump, &err), "three");
	}
	assert_string_equal(person.last, "password of root for gate");
	secrets_free(s);
}

static void who_gives_up_is_not_asked_again(void **state)
{
	struct person person = {.answers = NULL};
	struct password_wish admin = root;
	struct secrets *s = secrets_of(&person);
	struct asking all[THREADS];
	struct err err;

	(void)state;
	ask_from_threads(s, &root, all);
	for (size_t i = 0; i < THREADS; i++) {
		assert_null(all[i].got);
		assert_int_equal(all[i].err.kind, ERR_CANCELLED);
	}
	admin.user = "admin";
	assert_null(secrets_password(s, &admin, &err));
	assert_int_equal(err.kind, ERR_CANCELLED);
	assert_int_equal(person.asked, 1);
	secrets_free(s);
}

static void a_session_that_ends_takes_its_question_with_it(void **state)
{
	struct person person = {.waits_for_wake = true};
	struct password_wish wish = root;
	struct secrets *s = secrets_of(&person);
	struct err err;

	(void)state;
	wish.wake_fd = eventfd(1, EFD_CLOEXEC);
	assert_null(secrets_password(s, &wish, &err));
	assert_int_equal(err.kind, ERR_CANCELLED);
	/* The others may still ask: the person did not give up. */
	person.waits_for_wake = false;
	person.answers = (const char *const[]){"unused", "secret", NULL};
	assert_string_equal(secrets_password(s, &root, &err), "secret");
	(void)close(wish.wake_fd);
	secrets_free(s);
}

static void what_is_missing_is_told_with_a_remedy(void **state)
{
	static const char *const empty[] = {"", NULL};
	struct person nobody = {.refusal = ERR_INPUT};
	struct person silent = {.answers = empty};
	struct password_wish batch = root;
	struct password_wish env = root;
	const struct {
		struct person *person;
		const struct password_wish *wish;
		const char *message;
	} cases[] = {
		{NULL, &root,
	         "there is no password for root and nobody can be asked: name a `password_file` or "
	         "`password_env`, or run vnm on a terminal"},
		{&nobody, &root,
	         "there is no password for root and nobody is there: name a `password_file` or "
	         "`password_env`, or run vnm on a terminal"},
		{&silent, &root,
	         "there is no password for root and none was typed: name a `password_file` or "
	         "`password_env`, or type it"},
		{&silent, &batch,
	         "there is no password for root and BatchMode forbids to ask: name a "
	         "`password_file` or `password_env`"},
		{&silent, &env, "the environment variable PW (password_env) is not set"},
	};

	(void)state;
	batch.may_ask = false;
	env.env = "PW";
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct secrets *s = secrets_of(cases[i].person);
		struct err err;

		assert_null(secrets_password(s, cases[i].wish, &err));
		assert_int_equal(err.kind, ERR_INPUT);
		assert_string_equal(err.msg, cases[i].message);
		secrets_free(s);
	}
}

static void variables_are_kept_as_they_were(void **state)
{
	struct password_wish wish = root;
	struct secrets *s = secrets_of(NULL);
	char longest[SECRET_BYTES + 1];
	struct err err;

	(void)state;
	memset(longest, 'x', SECRET_BYTES);
	longest[SECRET_BYTES] = '\0';
	secrets_add_env(s, "PW", "secret");
	secrets_add_env(s, "PW", "another");
	secrets_add_env(s, "EMPTY", "");
	secrets_add_env(s, "LONG", longest);
	wish.env = "PW";
	assert_string_equal(secrets_password(s, &wish, &err), "secret");
	wish.env = "EMPTY";
	assert_null(secrets_password(s, &wish, &err));
	assert_string_equal(err.msg, "the environment variable EMPTY (password_env) is empty");
	wish.env = "LONG";
	assert_null(secrets_password(s, &wish, &err));
	assert_string_equal(
		err.msg, "the environment variable LONG (password_env) is too long for a password");
	secrets_free(s);
}

/* ---- passphrases ---- */

static unsigned closed;

static void *open_it(void *ctx, const char *passphrase)
{
	(void)ctx;
	return strcmp(passphrase, "sesame") == 0 ? strdup("opened") : NULL;
}

static bool use_it(void *ctx, void *value, struct err *err)
{
	(void)err;
	assert_string_equal(value, "opened");
	(*(unsigned *)ctx)++;
	return true;
}

static void close_it(void *value)
{
	free(value);
	closed++;
}

static struct secret_lock lock_of(unsigned *used)
{
	return (struct secret_lock){.name = "/root/id",
	                            .host = "esx1",
	                            .may_ask = true,
	                            .wake_fd = -1,
	                            .ctx = used,
	                            .open = open_it,
	                            .use = use_it,
	                            .close = close_it};
}

static void a_key_is_opened_once(void **state)
{
	static const char *const answers[] = {"wrong", "sesame", NULL};
	struct person person = {.answers = answers};
	struct secrets *s = secrets_of(&person);
	unsigned used = 0;
	const struct secret_lock lock = lock_of(&used);
	struct err err;

	(void)state;
	closed = 0;
	for (int i = 0; i < 5; i++)
		assert_true(secrets_unlock(s, &lock, &err));
	assert_int_equal(used, 5);
	assert_int_equal(person.asked, 2);
	assert_string_equal(person.last, "that is not it; passphrase of key /root/id (for esx1)");
	assert_int_equal(closed, 0);
	secrets_free(s);
	assert_int_equal(closed, 1);
}

static void a_key_that_stays_shut_is_told(void **state)
{
	static const char *const wrong[] = {"a", "b", "c", "sesame", NULL};
	static const char *const empty[] = {"", NULL};
	struct person nobody = {.refusal = ERR_INPUT};
	struct person forgetful = {.answers = wrong};
	struct person silent = {.answers = empty};
	const struct {
		struct person *person;
		bool may_ask;
		unsigned asked;
		const char *message;
	} cases[] = {
		{&forgetful, true, 3, "no passphrase of 3 opened key /root/id"},
		{&silent, true, 1, "no passphrase was typed for key /root/id"},
		{&nobody, true, 1,
	         "key /root/id is encrypted and nobody is there: ssh-add it, or run vnm on a "
	         "terminal"},
		{&nobody, false, 1,
	         "key /root/id is encrypted and BatchMode forbids to ask: ssh-add it"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct secrets *s = secrets_of(cases[i].person);
		unsigned used = 0;
		struct secret_lock lock = lock_of(&used);
		struct err err;

		lock.may_ask = cases[i].may_ask;
		for (int again = 0; again < 2; again++) {
			assert_false(secrets_unlock(s, &lock, &err));
			assert_int_equal(err.kind, ERR_INPUT);
			assert_string_equal(err.msg, cases[i].message);
		}
		assert_int_equal(cases[i].person->asked, cases[i].asked);
		assert_int_equal(used, 0);
		secrets_free(s);
	}
}

static void touches_come_one_after_the_other(void **state)
{
	int wake_fd = eventfd(0, EFD_CLOEXEC);
	struct person person = {.answers = NULL};
	struct secrets *s = secrets_of(&person);

	(void)state;
	assert_true(secrets_begin_touch(s, wake_fd));
	secrets_tell(s, "touch it");
	assert_int_equal(person.told, 1);
	assert_int_equal(eventfd_write(wake_fd, 1), 0);
	assert_false(secrets_begin_touch(s, wake_fd)); /* somebody else has it */
	secrets_end_touch(s);
	assert_true(secrets_begin_touch(s, -1));
	secrets_end_touch(s);
	(void)close(wake_fd);
	secrets_free(s);
}

static void no_holder_is_one_where_nobody_is(void **state)
{
	unsigned used = 0;
	const struct secret_lock lock = lock_of(&used);
	const struct secret_question q = {.text = "x", .is_hidden = true, .wake_fd = -1};
	char answer[SECRET_BYTES];
	struct err err;

	(void)state;
	assert_null(secrets_password(NULL, &root, &err));
	assert_int_equal(err.kind, ERR_INPUT);
	assert_false(secrets_unlock(NULL, &lock, &err));
	assert_false(secrets_ask(NULL, &q, answer, &err));
	assert_true(secrets_begin_touch(NULL, -1));
	secrets_end_touch(NULL);
	secrets_tell(NULL, "x");
	secrets_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_question_serves_all_sessions),
		cmocka_unit_test(each_user_and_each_jump_host_has_its_own),
		cmocka_unit_test(who_gives_up_is_not_asked_again),
		cmocka_unit_test(a_session_that_ends_takes_its_question_with_it),
		cmocka_unit_test(what_is_missing_is_told_with_a_remedy),
		cmocka_unit_test(variables_are_kept_as_they_were),
		cmocka_unit_test(a_key_is_opened_once),
		cmocka_unit_test(a_key_that_stays_shut_is_told),
		cmocka_unit_test(touches_come_one_after_the_other),
		cmocka_unit_test(no_holder_is_one_where_nobody_is),
	};

	return cmocka_run_group_tests_name("remote/secrets", tests, NULL, NULL);
}
