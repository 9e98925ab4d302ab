/* SPDX-License-Identifier: MIT */
#include "remote/secret_page.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/oom.h"

static size_t page_bytes(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

char *secret_page_new(void)
{
	size_t len = page_bytes();
	char *page = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		oom_end();
	/* None of these has to succeed: an old kernel, or a limit on locked memory. */
	(void)mlock(page, len);
#ifdef MADV_DONTDUMP
	(void)madvise(page, len, MADV_DONTDUMP);
#endif
#ifdef MADV_WIPEONFORK
	(void)madvise(page, len, MADV_WIPEONFORK);
#endif
	return page;
}

void secret_page_free(char *page)
{
	if (page == NULL)
		return;
	explicit_bzero(page, SECRET_BYTES);
	(void)munmap(page, page_bytes());
}
