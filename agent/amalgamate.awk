# SPDX-License-Identifier: MIT
# amalgamate.awk - writes all sources of the agent as one C file, to stdout.
#
#   awk -f amalgamate.awk -v root=ROOT -v version=VERSION WHEN:FILE...
#
# FILEs and their headers are relative to ROOT (headers also to ROOT/agent). WHEN is
#   agent     always
#   linux     for VNM_PLATFORM_LINUX, which the compiler's own macros decide
#   generic   for the other systems
#   used      only when a file before it includes the header that it includes first
#
# A header is put in once, before its first user. What two files both keep to themselves
# (static names, tags, macros) would collide in one: such a name is another in each file,
# by a #define around it. A collision of any other kind does not compile.

function fail(text) {
	print "amalgamate.awk: " text > "/dev/stderr"
	failed = 1
	exit 1
}

function path_of(name) {
	if (name in known)
		return known[name]
	known[name] = root "/" name
	if ((getline probe < known[name]) < 0)
		known[name] = root "/agent/" name
	close(known[name])
	return known[name]
}

# The name that a line at the left margin keeps within its file, or "".
function private_name(line) {
	if (line ~ /^(struct|enum|union) [a-z_0-9]+ \{/) {
		split(line, word, " ")
		return word[2]
	}
	if (line ~ /^static /) {
		sub(/[(=;[].*/, "", line)
	} else if (line ~ /^\} [a-z_0-9]+(\[[^]]*\])? = \{/) {
		sub(/^\} /, "", line)
		sub(/[ [].*/, "", line)
	} else
		return ""
	sub(/ *$/, "", line)
	sub(/.*[ *]/, "", line)
	return line ~ /^[A-Za-z_0-9]+$/ && line !~ /^(struct|enum|union)$/ ? line : ""
}

function find_collisions(file, line, name, path) {
	path = root "/" file
	while ((getline line < path) > 0) {
		name = private_name(line)
		if (name == "" || (name in owner && owner[name] == file))
			continue
		if (name in owner)
			collides[name] = 1
		owner[name] = file
	}
	close(path)
}

function included(line) {
	sub(/^#include "/, "", line)
	sub(/".*/, "", line)
	return line
}

# Its guard stays, for the lines within to be what they are elsewhere.
function put_header(name, line, path) {
	if ((name in seen) || ((when, name) in seen))
		return
	if (when == "agent")
		seen[name] = 1
	else
		seen[when, name] = 1
	path = path_of(name)
	if ((getline line < path) < 0)
		fail(name ": not found")
	do {
		if (line ~ /^#include "/)
			put_header(included(line))
		else
			print line
	} while ((getline line < path) > 0)
	close(path)
}

function put_file(file, line, path, name, count, i, body, local, locals, prefix) {
	path = root "/" file
	prefix = file
	gsub(/[^A-Za-z0-9]/, "_", prefix)
	sub(/_c$/, "__", prefix)
	print "\n/* ---- " file " ---- */"
	count = 0
	while ((getline line < path) > 0) {
		if (line ~ /^#include "/)
			put_header(included(line))
		else if (line ~ /^#include </)
			print line
		else if (line !~ /^\/\* SPDX/)
			body[++count] = line
	}
	close(path)
	if (count == 0)
		fail(file ": not found, or empty")
	locals = 0
	for (i = 1; i <= count; i++) {
		name = private_name(body[i])
		if ((name in collides) && !((file, name) in renamed)) {
			renamed[file, name] = 1
			print "#define " name " " prefix name
			local[++locals] = name
		}
	}
	for (i = 1; i <= count; i++) {
		print body[i]
		if (body[i] ~ /^#define /) {
			name = body[i]
			sub(/^#define /, "", name)
			sub(/[^A-Za-z_0-9].*/, "", name)
			local[++locals] = name
		}
	}
	for (i = 1; i <= locals; i++)
		print "#undef " local[i]
	done[file] = 1
}

# The header that a source includes first: its own.
function own_header(file, line, path) {
	path = root "/" file
	while ((getline line < path) > 0 && line !~ /^#include "/)
		continue
	close(path)
	return included(line)
}

function put_used(i, any) {
	do {
		any = 0
		for (i = 1; i <= count; i++) {
			if (whens[i] == "used" && !(files[i] in done) && (own_header(files[i]) in seen)) {
				put_file(files[i])
				any = 1
			}
		}
	} while (any)
}

function put_all(wanted, i) {
	when = wanted
	for (i = 1; i <= count; i++) {
		if (whens[i] == wanted)
			put_file(files[i])
	}
	when = "agent"
}

BEGIN {
	for (i = 1; i < ARGC; i++) {
		at = index(ARGV[i], ":")
		whens[++count] = substr(ARGV[i], 1, at - 1)
		files[count] = substr(ARGV[i], at + 1)
		find_collisions(files[count])
	}
	print "/* SPDX-License-Identifier: MIT */"
	print "/*"
	print " * vnm-agent.c - the agent of vnm " version " in one file, made from its sources at build time."
	print " *"
	print " *     cc -std=gnu11 -O2 -pthread -o vnm-agent vnm-agent.c -lm"
	print " */"
	print "#ifndef _GNU_SOURCE\n#define _GNU_SOURCE\n#endif"
	print "#define VNM_VERSION \"" version "\""
	# Alpine's compiler, for one, comes without the kernel's headers.
	print "#if defined(__linux__) && !defined(VNM_PLATFORM_GENERIC)"
	print "#ifdef __has_include"
	print "#if __has_include(<linux/rtnetlink.h>)\n#define VNM_PLATFORM_LINUX\n#endif"
	print "#else\n#define VNM_PLATFORM_LINUX\n#endif"
	print "#endif"
	put_header("common/attr.h")
	put_all("agent")
	put_used()
	print "\n#ifdef VNM_PLATFORM_LINUX"
	put_all("linux")
	print "\n#else"
	put_all("generic")
	print "\n#endif"
	exit failed
}
