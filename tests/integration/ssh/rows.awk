# SPDX-License-Identifier: MIT
# rows.awk - the rows of a test matrix. Input: a line a factor, its name and its values.
# Output: a line a row, a value for each factor; every pair of values of two factors is
# in some row (greedy: each row begins with an open pair and takes, factor by factor,
# the value that closes most). With -v full=1: the whole product.

{
	factors++
	count[factors] = NF - 1
	for (i = 2; i <= NF; i++)
		value[factors, i - 1] = $i
}

function product(f, row,    v) {
	if (f > factors) {
		print row
		return
	}
	for (v = 1; v <= count[f]; v++)
		product(f + 1, row (row == "" ? "" : " ") value[f, v])
}

# how many open pairs does value v of factor f close with what the row has?
function closes(f, v,    g, n) {
	for (g = 1; g <= factors; g++)
		if (g in chosen)
			n += ((f, v, g, chosen[g]) in open)
	return n
}

function choose(f,    v, best, n, most) {
	most = -1
	for (v = 1; v <= count[f]; v++) {
		n = closes(f, (v + turn) % count[f] + 1) # by turns where all are alike
		if (n > most) {
			most = n
			best = (v + turn) % count[f] + 1
		}
	}
	chosen[f] = best
}

function make_row(a, b, c, d,    f, g, row) {
	split("", chosen)
	chosen[a] = b
	chosen[c] = d
	for (f = 1; f <= factors; f++)
		if (!(f in chosen))
			choose(f)
	for (f = 1; f <= factors; f++) {
		for (g = 1; g <= factors; g++)
			delete open[f, chosen[f], g, chosen[g]]
		row = row (f == 1 ? "" : " ") value[f, chosen[f]]
	}
	turn++
	print row
}

END {
	if (full) {
		product(1, "")
		exit
	}
	for (f = 1; f <= factors; f++)
		for (g = 1; g <= factors; g++)
			for (v = 1; v <= count[f]; v++)
				for (w = 1; w <= count[g]; w++)
					if (f != g)
						open[f, v, g, w] = 1
	for (f = 1; f <= factors; f++)
		for (g = f + 1; g <= factors; g++)
			for (v = 1; v <= count[f]; v++)
				for (w = 1; w <= count[g]; w++)
					if ((f, v, g, w) in open)
						make_row(f, v, g, w)
}
