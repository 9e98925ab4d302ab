#!/bin/sh
# Fails when vnm(1) and the program do not have the same commands, options and exit codes.
# usage: options.sh VNM SOURCE_DIR
vnm=$1 source=$(cd "$2" && pwd)
page=$source/docs/man/vnm.1 codes=$source/orchestrator/cli/exit_code.h
bad=0
work=$(mktemp -d) && cd "$work" || exit 2
trap 'rm -rf "$work"' EXIT INT TERM
fail() {
	echo "$*"
	bad=1
}

commands=$("$vnm" help | sed -n 's/^  \([a-z]*\)  .*/\1/p')
[ "$(echo "$commands" | wc -w)" -ge 9 ] || fail "vnm help lists too few commands: $commands"
any=$(echo "$commands" | paste -sd '|')

# From the line of a command in a section to that of the next one.
part() { # SECTION COMMAND LINE_OF_A_COMMAND
	sed -n "/^\.Sh $1/,/^\.Sh/p" "$page" | awk -v own="^$3 *$2( |\$)" -v other="^$3 *($any)( |\$)" '
		$0 ~ other { on = 0 }
		/^\.It Fl -version|^\.Ss|^\.Sh/ { on = 0 }
		$0 ~ own { on = 1 }
		on'
}

for command in $commands; do
	grep -q "^\.It Cm $command\( \|\$\)" "$page" || fail "$command: not in the page"
	part SYNOPSIS "$command" '\.Cm' >synopsis
	part DESCRIPTION "$command" '\.It Cm' >text
	[ "$command" = help ] && continue
	"$vnm" help "$command" | sed -n 's/^  \(-\(.\),\|   \) --\([a-z-]*\) *\([A-Z][A-Z ]*\)\{0,1\}  .*/\3 \2/p' |
		grep -v '^help' >options
	while read -r long letter; do
		entry=$(grep "^\.It .*Fl -$long\( \|\$\)" text) || fail "$command --$long: not in the text"
		case "$letter$entry" in
		?*"Fl $letter "* | .It*) ;;
		*) fail "$command --$long: the text does not tell -$letter" ;;
		esac
		grep -q -- "Fl -$long\( \|\$\)\|Fl [a-z |]*${letter:-@}" synopsis ||
			fail "$command --$long: not in the synopsis"
	done <options
	sed -n 's/^\.It .*Fl -\([a-z-]*\).*/\1/p' text | while read -r long; do
		grep -q "^$long\( \|\$\)" options || echo "$command --$long: there is no such option"
	done >extra
	[ -s extra ] && fail "$(cat extra)"
done

sed -n 's/.*EXIT_.* = \([0-9]*\).*/\1/p' "$codes" | while read -r code; do
	sed -n '/^\.Sh EXIT STATUS/,/^\.Sh EX/p' "$page" | grep -qx "\.It $code" || echo "exit status $code: not in the page"
done >extra
[ -s extra ] && fail "$(cat extra)"
exit $bad
