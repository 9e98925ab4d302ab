# format.awk - prints records as esxcli does. Input: a line "@TITLE" begins a record, lines
# "KEY<TAB>VALUE" are its fields. Variables: layout (one, blocks, list - blocks with a title -, table) and formatter ("" for
# people, csv, json, keyvalue, xml), type (the name of a record in xml).
# Layouts as published (docs/TESTING.md); csv, xml and keyvalue have keys without blanks and in
# the order of the alphabet, json of localcli has them as the table does.

function plain(key) { gsub(/ /, "", key); return key }
function is_number(value) { return value ~ /^-?[0-9]+$/ }
function is_bool(value) { return value == "true" || value == "false" }
function json(value) {
	if (is_number(value) || is_bool(value)) return value
	gsub(/\\/, "\\\\", value)
	gsub(/"/, "\\\"", value)
	return "\"" value "\""
}
function xml(value) { gsub(/&/, "\\&amp;", value); gsub(/</, "\\&lt;", value); return value }
function csv(value) { return (value ~ /[," ]/) ? "\"" value "\"" : value }
function in_order(    i, j, moved) {
	for (i = 2; i <= columns; i++) {
		moved = column[i]
		for (j = i - 1; j > 0 && plain(column[j]) > plain(moved); j--) column[j + 1] = column[j]
		column[j + 1] = moved
	}
}
function fill(text, width, right) {
	return sprintf(right ? "%" width "s" : "%-" width "s", text)
}
function rule(width,    line) {
	while (length(line) < width) line = line "-"
	return line
}
function as_table(    c, r, wide, right, line) {
	for (c = 1; c <= columns; c++) {
		wide[c] = length(column[c])
		right[c] = count > 0
		for (r = 1; r <= count; r++) {
			if (length(field[r, column[c]]) > wide[c]) wide[c] = length(field[r, column[c]])
			if (!is_number(field[r, column[c]]) && !is_bool(field[r, column[c]])) right[c] = 0
		}
	}
	for (r = -1; r <= count; r++) {
		line = ""
		for (c = 1; c <= columns; c++) {
			if (c > 1) line = line "  "
			if (r == -1) line = line fill(column[c], wide[c], 0)
			else if (r == 0) line = line rule(wide[c])
			else line = line fill(field[r, column[c]], wide[c], right[c])
		}
		sub(/ +$/, "", line)
		print line
	}
}
function as_blocks(    r, c) {
	for (r = 1; r <= count; r++) {
		if (layout == "list") print title[r]
		for (c = 1; c <= columns; c++)
			if ((r, column[c]) in field) print "   " column[c] ": " field[r, column[c]]
		if (r < count) print ""
	}
}
function as_json(    r, c) {
	if (layout != "one") printf "["
	for (r = 1; r <= count; r++) {
		printf("%s{", (r > 1) ? ", " : "")
		for (c = 1; c <= columns; c++)
			printf("%s\"%s\": %s", (c > 1) ? ", " : "", column[c], json(field[r, column[c]]))
		printf "}"
	}
	print (layout != "one") ? "]" : ""
}
function as_csv(    r, c, line) {
	for (r = 0; r <= count; r++) {
		line = ""
		for (c = 1; c <= columns; c++) line = line (r == 0 ? plain(column[c]) : csv(field[r, column[c]])) ","
		print line
	}
}
function as_keyvalue(    r, c, value) {
	for (r = 1; r <= count; r++)
		for (c = 1; c <= columns; c++) {
			value = field[r, column[c]]
			print type ((layout == "one") ? "" : "[" (r - 1) "]") "." plain(column[c]) "." kind_of(value) "=" value
		}
}
function kind_of(value) { return is_number(value) ? "integer" : is_bool(value) ? "boolean" : "string" }
function as_xml(    r, c, value) {
	print "<?xml version=\"1.0\" encoding=\"utf-8\"?>"
	print "<output xmlns=\"http://www.vmware.com/Products/ESX/5.0/esxcli/\">\n<root>"
	if (layout != "one") print "   <list type=\"structure\">"
	for (r = 1; r <= count; r++) {
		print "      <structure typeName=\"" type "\">"
		for (c = 1; c <= columns; c++) {
			value = field[r, column[c]]
			print "         <field name=\"" plain(column[c]) "\"><" kind_of(value) ">" xml(value) "</" kind_of(value) "></field>"
		}
		print "      </structure>"
	}
	if (layout != "one") print "   </list>"
	print "</root>\n</output>"
}

/^@/ { title[++count] = substr($0, 2); next }
{
	# Without a record before them: the headings of an empty table.
	at = index($0, "\t")
	key = substr($0, 1, at - 1)
	if (!(key in known)) { known[key] = 1; column[++columns] = key }
	if (count > 0) field[count, key] = substr($0, at + 1)
}
END {
	if (formatter == "csv" || formatter == "xml" || formatter == "keyvalue") in_order()
	if (formatter == "csv") as_csv()
	else if (formatter == "json") as_json()
	else if (formatter == "keyvalue") as_keyvalue()
	else if (formatter == "xml") as_xml()
	else if (layout == "table") as_table()
	else as_blocks()
}
