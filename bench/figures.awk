# figures.awk - what the tables of bench/engine and bench/truth share: medians of what was run,
# and reading the files about, cells and names (both in the order wanted).
# run[cell, tool, round, figure] is filled by the one that uses it.

function sort(v, n, i, j, x) {
	for (i = 2; i <= n; i++) {
		x = v[i]
		for (j = i - 1; j > 0 && v[j] > x; j--)
			v[j + 1] = v[j]
		v[j + 1] = x
	}
}

function median(v, n) {
	return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
}

# Sets med, low and high of this figure of a case, or of its ratio ours/theirs; returns how many.
function collect(cell, ours, theirs, figure, r, n, v) {
	n = 0
	for (r = 1; r <= rounds; r++) {
		if (!((cell, theirs, r, figure) in run))
			continue
		if (ours == "")
			v[++n] = run[cell, theirs, r, figure]
		else if ((cell, ours, r, figure) in run && run[cell, theirs, r, figure] > 0)
			v[++n] = run[cell, ours, r, figure] / run[cell, theirs, r, figure]
	}
	if (n == 0)
		return 0
	sort(v, n)
	med = median(v, n)
	low = v[1]
	high = v[n]
	return n
}

function json_text(s) {
	gsub(/\\/, "\\\\", s)
	gsub(/"/, "\\\"", s)
	return "\"" s "\""
}

function json_spread(name, cell, ours, theirs, figure) {
	if (!collect(cell, ours, theirs, figure))
		return sprintf(", \"%s\": null", name)
	return sprintf(", \"%s\": {\"median\": %.6g, \"min\": %.6g, \"max\": %.6g}", name, med, low, high)
}

function json_head(i) {
	printf "{\"machine\": ["
	for (i = 1; i <= abouts; i++)
		printf "%s%s", (i > 1 ? ", " : ""), json_text(about[i])
	printf "],\n  \"rounds\": %d, \"seconds\": %d, \"omit_s\": %d, \"cases\": [", rounds, seconds, omit
}

FILENAME ~ /about$/ { about[++abouts] = $0; next }
FILENAME ~ /cells$/ { order[++cells] = $0; next }
FILENAME ~ /names$/ {
	if (!($0 in known))
		tool[++tools] = $0
	known[$0] = 1
	next
}
