/* SPDX-License-Identifier: MIT */
#include "common/compact_alloc.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#define ALIGN_MAX 4096u /* a page at least */

/* Directly before what the caller has. */
struct head {
	void *map;
	size_t map_bytes;
	size_t bytes; /* that the caller asked for */
};

static struct head *head_of(void *at)
{
	return (struct head *)at - 1;
}

void *compact_aligned_alloc(size_t align, size_t bytes)
{
	size_t before = align < sizeof(max_align_t) ? sizeof(max_align_t) : align;
	struct head *head;
	char *map;

	while (before < sizeof(*head))
		before *= 2;
	if (align > ALIGN_MAX || bytes > SIZE_MAX - before) {
		errno = ENOMEM;
		return NULL;
	}
	map = mmap(NULL, before + bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
	           0);
	if (map == MAP_FAILED)
		return NULL;
	head = head_of(map + before);
	head->map = map;
	head->map_bytes = before + bytes;
	head->bytes = bytes;
	return map + before;
}

void *compact_malloc(size_t bytes)
{
	return compact_aligned_alloc(1, bytes);
}

void *compact_calloc(size_t count, size_t bytes)
{
	if (bytes > 0 && count > SIZE_MAX / bytes) {
		errno = ENOMEM;
		return NULL;
	}
	return compact_malloc(count * bytes);
}

void compact_free(void *at)
{
	int before = errno;

	if (at == NULL)
		return;
	(void)munmap(head_of(at)->map, head_of(at)->map_bytes);
	errno = before; /* callers free on their way out with an error */
}

void *compact_realloc(void *old, size_t bytes)
{
	void *at = compact_malloc(bytes);

	if (at == NULL || old == NULL)
		return at;
	memcpy(at, old, bytes < head_of(old)->bytes ? bytes : head_of(old)->bytes);
	compact_free(old);
	return at;
}
