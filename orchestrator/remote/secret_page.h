/* SPDX-License-Identifier: MIT */
/*
 * secret_page.h - memory for one secret: kept out of swap, core dumps and the memory of
 * children as far as the system lets us, wiped when it is given back.
 */
#ifndef REMOTE_SECRET_PAGE_H
#define REMOTE_SECRET_PAGE_H

#define SECRET_BYTES 1024 /* the longest secret and its NUL */

/* SECRET_BYTES of zeroes. */
char *secret_page_new(void);

/* Accepts NULL. */
void secret_page_free(char *page);

#endif
