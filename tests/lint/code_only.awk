# Prints "path:line<TAB>code" of C files: comments are left out, and so is the
# content of strings and character constants, but for the names in #include.
FNR == 1 { inside = 0 }
{
	rest = $0
	kept = ""
	while (rest != "") {
		if (inside) {
			end = index(rest, "*/")
			if (end == 0)
				break
			rest = substr(rest, end + 2)
			inside = 0
		} else if (match(rest, /\/\*|\/\/|"([^"\\]|\\.)*"|\047([^\047\\]|\\.)*\047/)) {
			token = substr(rest, RSTART, RLENGTH)
			kept = kept substr(rest, 1, RSTART - 1)
			rest = substr(rest, RSTART + RLENGTH)
			if (token == "/*")
				inside = 1
			else if (token == "//")
				rest = ""
			else
				kept = kept ($0 ~ /^[ \t]*#/ ? token : "\"\"")
		} else {
			kept = kept rest
			rest = ""
		}
	}
	print FILENAME ":" FNR "\t" kept
}
