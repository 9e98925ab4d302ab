/* SPDX-License-Identifier: MIT */
#include "measure/memory.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

/* xorshift64, G. Marsaglia, "Xorshift RNGs", 2003. */
static void fill(unsigned char *at, size_t bytes)
{
	uint64_t x = UINT64_C(88172645463325252);

	for (size_t i = 0; i + sizeof(x) <= bytes; i += sizeof(x)) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		memcpy(at + i, &x, sizeof(x));
	}
}

bool memory_map(struct memory *m, size_t bytes, struct failure *f)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		return failure_set_errno(f, errno, "buffers of %zu bytes", bytes);
	fill(at, bytes);
	*m = (struct memory){at, bytes};
	return true;
}

void memory_unmap(struct memory *m)
{
	if (m->at != NULL)
		(void)munmap(m->at, m->bytes);
	*m = (struct memory){0};
}
