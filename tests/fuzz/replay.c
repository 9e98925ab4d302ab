/* SPDX-License-Identifier: MIT */
/*
 * replay.c - runs a fuzzer over files instead of invented input.
 *
 * usage: fuzz_x PATH...	files, or folders of files
 *
 * Each file is given whole and, when it is short, cut after every byte: parsers
 * fail at their ends. The input lies in memory of exactly its size, so that the
 * sanitizers notice a byte too many.
 */
#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define CUT_BYTES_MAX 512

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void run_input(const uint8_t *data, size_t size)
{
	uint8_t *exact = malloc(size == 0 ? 1 : size);

	if (exact == NULL)
		abort();
	memcpy(exact, data, size);
	(void)LLVMFuzzerTestOneInput(exact, size);
	free(exact);
}

/* Returns the number of inputs, 0 when the file cannot be read. */
static unsigned run_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	uint8_t *data = NULL;
	size_t size = 0;
	size_t room = 0;
	unsigned runs = 0;

	if (file == NULL)
		return 0;
	do {
		uint8_t *grown;

		room = room * 2 + 4096;
		grown = realloc(data, room);
		if (grown == NULL)
			abort();
		data = grown;
		size += fread(data + size, 1, room - size, file);
	} while (size == room);
	(void)fclose(file);
	run_input(data, size);
	runs++;
	for (size_t cut = 0; cut < size && size <= CUT_BYTES_MAX; cut++) {
		run_input(data, cut);
		runs++;
	}
	free(data);
	return runs;
}

static unsigned run_folder(const char *path)
{
	DIR *dir = opendir(path);
	const struct dirent *entry;
	unsigned runs = 0;
	char file[4096];

	if (dir == NULL)
		return 0;
	while ((entry = readdir(dir)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		if ((size_t)snprintf(file, sizeof(file), "%s/%s", path, entry->d_name) <
		    sizeof(file))
			runs += run_file(file);
	}
	(void)closedir(dir);
	return runs;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		struct stat st;
		bool is_folder = stat(argv[i], &st) == 0 && S_ISDIR(st.st_mode);
		unsigned runs = is_folder ? run_folder(argv[i]) : run_file(argv[i]);

		printf("%s: %u inputs\n", argv[i], runs);
		if (runs == 0)
			return 1; /* an empty corpus would pass for ever */
	}
	return argc > 1 ? 0 : 2;
}
