# truth.awk - the table of bench/truth; with figures.awk. Files: about, cells, names, dropped, failed, runs.
# A cell: rate mtu family streams. A run: the cell, round, tool, and what bench/bed.sh says of it.

function theory(cell, at) {
	split(cell, at, " ")
	return (at[1] == "1g" ? 1e9 : 1e8) * (at[2] - (at[3] == 6 ? 72 : 52)) / (at[2] + 14)
}

function header(k) {
	printf "\n%-6s %-5s %-5s %-4s %-11s", "rate", "MTU", "IP", "str", "theory"
	for (k = 1; k <= tools; k++)
		printf " %-25s", tool[k]
	print ""
}

function text_cell(cell, at, k, n, said) {
	split(cell, at, " ")
	printf "%-6s %-5s %-5s %-4s %-11.2f", at[1], at[2], "IPv" at[3], at[4], theory(cell) / 1e6
	for (k = 1; k <= tools; k++) {
		n = collect(cell, "", tool[k], "off")
		said = n ? sprintf("%+.3f (%+.3f to %+.3f)", med, low, high) : "-"
		if (n < rounds)
			said = said " n=" n
		printf " %-25s", said
	}
	print ""
}

function print_text(i) {
	for (i = 1; i <= abouts; i++)
		print about[i]
	printf "%d rounds of %d s after %d s that are left out; receiver's payload, %% off theory: median (least to most)\n",
		rounds, seconds, omit
	header()
	for (i = 1; i <= cells; i++)
		text_cell(order[i])
	if (all_dropped > 0)
		printf "\n%d runs thrown away: lost packets, or others used the machine; n= where fewer than %d are left\n",
			all_dropped, rounds
	for (i in failed)
		print "failed: " i ":" failed[i]
}

function print_json(i, k, at) {
	json_head()
	for (i = 1; i <= cells; i++)
		for (k = 1; k <= tools; k++) {
			split(order[i], at, " ")
			printf "%s\n    {\"rate\": \"%s\", \"mtu\": %d, \"ip\": %d, \"streams\": %d, \"tool\": %s, \"theory_bps\": %.0f", comma,
				at[1], at[2], at[3], at[4], json_text(tool[k]), theory(order[i])
			printf ", \"rounds\": %d, \"dropped\": %d%s}", collect(order[i], "", tool[k], "off"),
				dropped[order[i], tool[k]] + 0, json_spread("percent_off", order[i], "", tool[k], "off")
			comma = ","
		}
	print "\n  ]}"
}

FILENAME ~ /dropped$/ { dropped[$1 " " $2 " " $3 " " $4, $5]++; all_dropped++; next }
FILENAME ~ /failed$/ {
	cell = $1 " " $2 " " $3 " " $4
	if (index(failed[cell], " " $5) == 0)
		failed[cell] = failed[cell] " " $5
	next
}
FILENAME ~ /runs$/ {
	cell = $1 " " $2 " " $3 " " $4
	run[cell, $6, $5, "off"] = 100 * ($7 / theory(cell) - 1)
}
END {
	if (json != "")
		print_json()
	else
		print_text()
}
