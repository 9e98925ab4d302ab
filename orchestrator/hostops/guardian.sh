#!/bin/sh
# SPDX-License-Identifier: MIT
# guardian.sh - puts settings of this host back when nobody looks after them any more.
#
# Runs on the host, as root, in whatever /bin/sh is there: nothing but POSIX, and no date(1),
# setsid(1) or flock(1). guardian.h tells what is asked of it and what it answers. Before this
# text stand `m`, the marker of its answers, and `D`, the folder, or `D=` for the first place
# that can be written to.
#
# The folder is the host's lock, and all that is known of the settings that were changed:
#
#	token    who may take over     owner    for people
#	lease    "PID COUNT": the agent that looks after the host, and its heartbeat; "grace": its
#	         channel has closed
#	undo.N   five lines: what, the line that prints its value, the value before, the values
#	         that were asked for, the line that puts it back
#	pid      of the guardian       tick     its own heartbeat
#	fired    why it put things back by itself, once it did
#	log      what it did
# shellcheck disable=SC2154 # m: see above
say() { printf '%s\n' "$m guard $*"; } # some echo would read backslashes

# A folder of ours, not one that somebody else has put there.
guard_is_ours() {
	test -d "$D" || return 1
	if test -L "$D"; then return 1; fi
	# shellcheck disable=SC2012 # one folder, by its number
	ls -ldn "$D" | {
		read -r _ _ who _
		test "$who" = "$(id -u)"
	}
}

guard_find() {
	test -z "$D" || return 0
	for d in /scratch /run /var/run /tmp; do # /scratch: ESXi's settings outlive a reboot
		if test -d "$d" && test -w "$d"; then
			D=$d/vnm-guard
			return 0
		fi
	done
	return 1
}

# One line of a file of the folder into $line; "" when there is none.
guard_line() {
	line=
	if test -f "$D/$1"; then read -r line <"$D/$1" || :; fi
}

guard_boot() {
	if test -r /proc/sys/kernel/random/boot_id; then
		cat /proc/sys/kernel/random/boot_id
	else
		sysctl -n kern.boottime 2>/dev/null | tr -cd '0-9,' || :
	fi
}

# Is there a guardian that does its work? It ticks every second.
guard_lives() {
	guard_line pid
	test -n "$line" && kill -0 "$line" 2>/dev/null || return 1
	guard_line tick
	tick=$line
	for _ in 1 2 3 4; do
		sleep 1
		guard_line tick
		test "$line" = "$tick" || return 0
	done
	return 1
}

# guard_undo N: 0 when nothing of it is left to do. A value that is neither the one before nor
# one that we asked for is somebody else's, and stays.
guard_undo() {
	f=$D/undo.$1
	what='' look='' before='' wanted='' back='' now=''
	{
		read -r what && read -r look && read -r before && read -r wanted && read -r back
	} <"$f" || {
		note "failed $1 - its entry is damaged: $what"
		return 1
	}
	now=$(eval "$look" 2>/dev/null) || now=
	if test -z "$now"; then
		note "failed $1 $what cannot be read"
		return 1
	fi
	if test "$now" = "$before"; then
		note "same $1 $what is $now"
		rm -f "$f"
		return 0
	fi
	case " $wanted " in
	*" $now "*) ;;
	*)
		note "foreign $1 $what is $now, which vnm did not ask for: left alone"
		rm -f "$f"
		return 0
		;;
	esac
	said=$(eval "$back" 2>&1 </dev/null | tr '\n' ' ') || :
	is=$(eval "$look" 2>/dev/null) || is=
	if test "$is" != "$before"; then
		note "failed $1 $what is ${is:-not known}, should be $before: ${said:-without a word}"
		return 1
	fi
	note "restored $1 $what $now to $is"
	rm -f "$f"
}

# The last change first. Says and logs what it does to each.
guard_undo_all() {
	left=0 n=99
	while test $n -gt 0; do
		if test -f "$D/undo.$n" && ! guard_undo $n; then left=$((left + 1)); fi
		n=$((n - 1))
	done
	test $left -eq 0
}

note() {
	say "$*"
	printf '%s\n' "$*" >>"$D/log" 2>/dev/null || :
}

# Is the folder still the one of this guardian's token, $own?
guard_owns() {
	guard_line token
	test "$line" = "$own"
}

# guard_watch TOKEN DEAD GRACE, in seconds: the guardian. It counts its own seconds, so no clock
# of the host matters. A host that refuses the undo is asked again.
guard_watch() {
	own=$1
	trap '' HUP INT PIPE
	told='' n=0 idle=0 lost=0 seen='' why='' tries=0
	trap 'told=yes' TERM
	cd / || :
	while test -z "$why"; do
		sleep 1 &
		wait $! 2>/dev/null || :
		guard_owns || exit 0
		n=$((n + 1))
		echo $n >"$D/tick" 2>/dev/null || :
		guard_line lease
		idle=$((idle + 1)) lost=$((lost + 1))
		if test "$line" != "$seen"; then idle=0 lost=0 seen=$line; fi
		case $line in
		[1-9]*) if kill -0 "${line%% *}" 2>/dev/null; then lost=0; fi ;;
		0*) lost=0 ;; # there is no agent
		esac
		if test -n "$told"; then why="it was told to end"
		elif test $idle -ge "$2"; then why="no sign of life for $2 s"
		elif test $lost -ge "$3"; then why="the connection is gone for $3 s"; fi
	done
	echo "$why" >"$D/fired" 2>/dev/null || : # from here on nothing more is kept
	until guard_undo_all; do
		tries=$((tries + 1))
		echo "$why, and $left cannot be put back" >"$D/fired" 2>/dev/null || :
		test $tries -lt 120 || exit 1
		n=$((n + 1))
		sleep 5
		guard_owns || exit 0
	done
	echo "$why" >"$D/fired" 2>/dev/null || :
	rm -f "$D/pid"
}

guard_give_lease() { # UID PID
	echo "$2 0" >"$D/lease" && chown "$1" "$D/lease" && chmod 600 "$D/lease"
}

# guard_arm TOKEN DEAD GRACE UID PID OWNER...
guard_arm() {
	guard_find || {
		say "refused no folder of this host can be written to"
		return 1
	}
	token=$1 dead=$2 grace=$3 who=$4 agent=$5
	shift 5
	if test -d "$D" && ! guard_is_ours; then
		say "refused $D is not ours"
		return 1
	fi
	if test -d "$D" && guard_lives; then
		guard_line token
		if test "$line" != "$token"; then
			guard_line owner
			say "busy $line"
			return 1
		fi
		guard_give_lease "$who" "$agent" && say "armed $D $(guard_boot)"
		return
	fi
	if test -d "$D"; then # nobody looks after it: a run that ended with its guardian
		guard_undo_all || {
			say "left $left"
			return 1
		}
		rm -rf "$D"
	fi
	e=$(mkdir "$D" 2>&1) || {
		say "refused $e"
		return 1
	}
	chmod 711 "$D"
	e=$({ echo "$token" >"$D/token" && printf '%s\n' "$*" >"$D/owner" && : >"$D/log" &&
		guard_give_lease "$who" "$agent"; } 2>&1) || {
		rm -rf "$D"
		say "refused $e"
		return 1
	}
	# exec: where a function or a subshell is redirected, some shells keep copies of the old
	# descriptors, and the session would not end before the guardian.
	(
		exec </dev/null >/dev/null 2>&1
		guard_watch "$token" "$dead" "$grace"
	) &
	echo $! >"$D/pid" || {
		kill $!
		rm -rf "$D"
		say "refused no room in $D"
		return 1
	}
	say "armed $D $(guard_boot)"
}

# Is the folder this token's? Else says whose.
guard_mine() {
	guard_find || :
	guard_line token
	test "$line" = "$1" && return 0
	if test -d "$D"; then say "stranger"; else say "gone"; fi
	return 1
}

# Has the guardian not fired? Else says why it did.
guard_is_calm() {
	test -f "$D/fired" || return 0
	guard_line fired
	say "fired $line"
	return 1
}

# guard_keep TOKEN N <ENTRY: the undo of a change that will be made now
guard_keep() {
	guard_mine "$1" && guard_is_calm || return 1
	e=$({ cat >"$D/new" && test "$(wc -l <"$D/new")" -eq 5 && mv "$D/new" "$D/undo.$2"; } 2>&1) || {
		rm -f "$D/new"
		say "refused ${e:-no room in $D}"
		return 1
	}
	sync
	# It may have fired meanwhile; if it does later, it meets this undo.
	guard_is_calm || {
		rm -f "$D/undo.$2"
		return 1
	}
	say "kept $2"
}

# guard_beat TOKEN COUNT: a sign of life of a session that has no agent
guard_beat() {
	guard_mine "$1" && guard_is_calm || return 1
	e=$({ echo "0 $2" >"$D/lease"; } 2>&1) || {
		say "refused $e"
		return 1
	}
	say "alive"
}

# guard_renew TOKEN UID PID: another session looks after the host from now on
guard_renew() {
	guard_mine "$1" || return 1
	guard_give_lease "$2" "$3" && guard_state
}

# guard_restore TOKEN: all of it, now; the guardian goes on watching what is left
guard_restore() {
	guard_mine "$1" || return 1
	if guard_undo_all; then say "clean"; else say "left $left"; fi
}

# guard_end TOKEN: only when nothing is left to be put back
guard_end() {
	guard_mine "$1" || return 1
	for f in "$D"/undo.*; do
		test -f "$f" || continue
		say "left something"
		return 1
	done
	guard_line pid
	p=$line
	rm -rf "$D" # a guardian without its folder ends
	test -z "$p" || kill "$p" 2>/dev/null || :
	say "ended"
}

guard_state() {
	guard_find || :
	if ! test -d "$D"; then
		say "none"
		return
	fi
	guard_line owner
	owner=$line
	guard_line fired
	if test -n "$line"; then
		say "fired $line"
	elif guard_lives; then
		say "watching $owner"
	else
		say "dead $owner"
	fi
	for f in "$D"/undo.*; do
		test -f "$f" || continue
		what=
		read -r what <"$f" || :
		say "holds ${f##*.} $what"
	done
}
