# engine.awk - the tables of bench/engine; with figures.awk. Files: about, cells, names, lost, dropped, failed, runs; cells
# and names (tool:variant) are in the order wanted.
# A run: part mtu streams round tool:variant bps bytes sender_s receiver_s machine_s wall_s steal_s
# foreign_s sender_kib receiver_kib retransmits

function spread(format, cell, ours, theirs, figure) {
	if (!collect(cell, ours, theirs, figure))
		return "-"
	return sprintf(format " (" format "-" format ")", med, low, high)
}

function middle(format, cell, theirs, figure) {
	return collect(cell, "", theirs, figure) ? sprintf(format, med) : "-"
}

function title(part, ours) {
	if (part == "copy")
		return "copy: each tool at its own default"
	if (part == "equal")
		return "copy, each write has 128 KiB"
	if (part == "small")
		return "copy, each write has 1500 bytes"
	if (part == "udp")
		return "UDP as fast as it goes; retrans: % lost"
	return "zero_copy: " substr(ours, 5) " (iperf3 \"sender\": -Z; \"both\": -Z --skip-rx-copy)"
}

function row(cell, ours, name, head, streams) {
	printf "%-5s %-3s %-18s %-22s %-18s %-8s %-18s %-7s %-7s %-10s %s\n", head, streams, name,
		spread("%.1f", cell, "", name, "gbps"), name == ours ? "-" : spread("%.2f", cell, ours, name, "gbps"),
		middle("%.3f", cell, name, "machine"), name == ours ? "-" : spread("%.2f", cell, ours, name, "machine"),
		middle("%.3f", cell, name, "sender"), middle("%.3f", cell, name, "receiver"),
		middle("%.1f", cell, name, "sender_mib") "/" middle("%.1f", cell, name, "receiver_mib"),
		middle("%.3g", cell, name, "retransmits")
}

function table(part, ours, i, k, at, is_first, did) {
	for (i = 1; i <= cells; i++) {
		split(order[i], at, " ")
		if (at[1] != part || !((order[i], ours) in has))
			continue
		if (!did) {
			printf "\n%s\n", title(part, ours)
			printf "%-5s %-3s %-18s %-22s %-18s %-8s %-18s %-7s %-7s %-10s %s\n", "MTU", "str", "tool", "Gbit/s",
				"vnm / tool", "s/GiB", "vnm / tool", "sender", "recv", "MiB s/r", "retrans"
		}
		did = 1
		row(order[i], ours, ours, at[2], at[3])
		for (k = 1; k <= tools; k++) {
			if (tool[k] !~ /^vnm:/ && (order[i], tool[k]) in has)
				row(order[i], ours, tool[k], "", "")
		}
		if (order[i] in dropped)
			printf "%-9s %d thrown away: others used the machine\n", "", dropped[order[i]]
		if (order[i] in failed)
			printf "%-9s failed:%s\n", "", failed[order[i]]
	}
}

function json_case(cell, name, at, k) {
	split(cell, at, " ")
	printf "%s\n    {\"part\": %s, \"mtu\": %d, \"streams\": %d, \"tool\": %s, \"rounds\": %d, \"dropped\": %d, \"missing\": %d",
		comma, json_text(at[1]), at[2], at[3], json_text(name), collect(cell, "", name, "gbps"), dropped[cell] + 0, lost[cell] + 0
	printf "%s%s%s%s%s%s%s", json_spread("gbps", cell, "", name, "gbps"),
		json_spread("machine_s_per_gib", cell, "", name, "machine"), json_spread("sender_s_per_gib", cell, "", name, "sender"),
		json_spread("receiver_s_per_gib", cell, "", name, "receiver"), json_spread("sender_mib", cell, "", name, "sender_mib"),
		json_spread("receiver_mib", cell, "", name, "receiver_mib"), json_spread("retransmits", cell, "", name, "retransmits")
	for (k = 1; k <= tools; k++) {
		if (tool[k] !~ /^vnm:/ || name ~ /^vnm:/ || !((cell, tool[k]) in has))
			continue
		printf "%s%s", json_spread(tool[k] " throughput ratio", cell, tool[k], name, "gbps"),
			json_spread(tool[k] " machine ratio", cell, tool[k], name, "machine")
	}
	printf "}"
	comma = ","
}

function print_json(i, k) {
	json_head()
	for (i = 1; i <= cells; i++)
		for (k = 1; k <= tools; k++)
			if ((order[i], tool[k]) in has)
				json_case(order[i], tool[k])
	print "\n  ]}"
}

function print_text(i) {
	for (i = 1; i <= abouts; i++)
		print about[i]
	printf "veth between two namespaces, IPv4; %d rounds of %d s after %d s that are left out; medians (least-most)\n",
		rounds, seconds, omit
	print "Gbit/s: receiver's; vnm / tool: of the same round; s/GiB: CPU of the machine, sender, receiver"
	table("copy", "vnm:copy")
	table("equal", "vnm:copy")
	table("zero", "vnm:sender")
	table("zero", "vnm:both")
	table("small", "vnm:copy")
	table("udp", "vnm:udp")
	print ""
	for (i in failed)
		print "failed: " i ":" failed[i]
	for (i in lost)
		print "too busy to judge: " i ": " lost[i] " rounds are missing"
}

FILENAME ~ /lost$/ { lost[$1 " " $2 " " $3]++; next }
FILENAME ~ /dropped$/ { dropped[$1 " " $2 " " $3]++; next }
FILENAME ~ /failed$/ {
	if (index(failed[$1 " " $2 " " $3], " " $4) == 0)
		failed[$1 " " $2 " " $3] = failed[$1 " " $2 " " $3] " " $4
	next
}
{
	cell = $1 " " $2 " " $3
	has[cell, $5] = 1
	gib = $7 / 1073741824
	run[cell, $5, $4, "gbps"] = $6 / 1e9
	run[cell, $5, $4, "sender"] = $8 / gib
	run[cell, $5, $4, "receiver"] = $9 / gib
	run[cell, $5, $4, "machine"] = $10 / gib
	run[cell, $5, $4, "sender_mib"] = $14 / 1024
	run[cell, $5, $4, "receiver_mib"] = $15 / 1024
	if ($16 != "-")
		run[cell, $5, $4, "retransmits"] = $16
}
END {
	if (json != "")
		print_json()
	else
		print_text()
}
