/* SPDX-License-Identifier: MIT */
#include "cli/agent_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/attr.h"
#include "common/io.h"
#include "common/text.h"

#define AGENT_BYTES_MAX (16u << 20)

/* From the folder of the program: installed (VNM_LIBEXEC is the way from bin to libexec, as the
 * build was told where they are), or in the build tree. */
static const char *const places[] = {
	"/" VNM_LIBEXEC "/vnm/vnm-agent",
	"/../../agent/vnm-agent",
	"/vnm-agent",
};

/* What may lie beside it, after its name: as agent/ and cmake/foreign_agents.cmake make them. */
static const char *const beside[] = {"-x86_64", "-aarch64", "-armv7", ".c"};

static bool program_folder(char out[4096], struct err *err)
{
	ssize_t n = readlink("/proc/self/exe", out, 4095);
	char *slash;

	if (n <= 0)
		return err_set(err, ERR_SYSTEM,
		               "cannot tell where this program lies: /proc is needed");
	out[n] = '\0';
	slash = strrchr(out, '/');
	if (slash != NULL)
		*slash = '\0';
	return true;
}

static const char *const *find_more(struct arena *arena, const char *path)
{
	const char **more = arena_alloc(arena, COUNT_OF(beside) + 1, sizeof(*more));
	size_t count = 0;

	for (size_t i = 0; i < COUNT_OF(beside); i++) {
		struct text at = {0};

		text_printf(&at, "%s%s", path, beside[i]);
		if (access(text_str(&at), R_OK) == 0)
			more[count++] = arena_strndup(arena, at.at, at.len);
		text_done(&at);
	}
	return more;
}

bool agent_file_find(struct arena *arena, const char **path, const char *const **more,
                     char sha256[SHA256_HEX_BYTES], struct err *err)
{
	struct text tried = {0};
	char folder[4096];

	if (!program_folder(folder, err))
		return false;
	for (size_t i = 0; i < COUNT_OF(places); i++) {
		struct text at = {0};
		struct err ignored;
		char *data;
		size_t len;
		bool ok;

		text_printf(&at, "%s%s", folder, places[i]);
		ok = io_read_file(text_str(&at), AGENT_BYTES_MAX, &data, &len, &ignored);
		if (ok) {
			sha256_of(data, len, sha256);
			free(data);
			*path = arena_strndup(arena, at.at, at.len);
			*more = find_more(arena, *path);
		}
		text_printf(&tried, "%s%s", tried.len > 0 ? ", " : "", text_str(&at));
		text_done(&at);
		if (ok) {
			text_done(&tried);
			return true;
		}
	}
	(void)err_set(err, ERR_SYSTEM, "there is no vnm-agent: looked for %s; build or install it",
	              text_str(&tried));
	text_done(&tried);
	return false;
}
