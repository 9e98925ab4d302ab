# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2016 # scripts for sh on a host
# test_ssh.sh - the part of netlab-test about SSH servers and login shells.

test_sshd() {
	local job
	S pc1 'sleep 30' 2>/dev/null &
	job=$!
	sleep 0.4
	lab kill-sshd pc1 sessions
	isnt "kill-sshd sessions ends a session" wait $job
	is "and the master goes on" S pc1 true
	S pc1 'sleep 1 && exit 7' &
	job=$!
	sleep 0.4
	lab kill-sshd pc1 master
	isnt "kill-sshd master: no new logins" S pc1 true
	wait $job
	is "but the session lives on" [ $? = 7 ]
	is "start-sshd" lab start-sshd pc1
	lab kill-sshd pc1
	isnt "kill-sshd" S pc1 true
	lab start-sshd pc1
	is "start-sshd after kill-sshd" S pc1 true
	lab new-hostkey esx2
	is "new-hostkey: the client is warned" fails_with "IDENTIFICATION HAS CHANGED" S esx2 true
	lab old-hostkey esx2
	is "old-hostkey" S esx2 true
	lab slow-auth esx2 1
	is "slow-auth takes its time" between 1000 "$(T=10 CT=9 took_ms S esx2 true)" 9000
	lab slow-auth esx2 off
	is "slow-auth off" S esx2 true
	lab rekey pc1 '1M 5s'
	is "rekey shows in the server's settings" \
		prints "rekeylimit 1048576 5" lab exec pc1 /usr/sbin/sshd -T
	is "rekey: 5 MB go through" [ "$(S pc1 'head -c 5000000 /dev/zero' | wc -c)" = 5000000 ]
	lab rekey pc1 off
	is "rekey off" prints "rekeylimit 0 0" lab exec pc1 /usr/sbin/sshd -T
	lab max pc1 1 2:100:2
	is "max" prints "maxstartups 2:100:2" lab exec pc1 /usr/sbin/sshd -T
	lab max pc1 10 10:30:100
}

sftp_works() {
	echo "ls /" | timeout 5 ./netlab exec ctl sftp -q -b - -F "$LAB/client/ssh_config" "$1"
}

test_logins() {
	local said
	is "sftp" sftp_works vm22
	lab no-sftp vm22 on
	isnt "no-sftp on" sftp_works vm22
	is "SSH works without sftp" S vm22 true
	lab no-sftp vm22 off
	is "no-sftp off" sftp_works vm22
	lab forwarding vm22 off
	isnt "forwarding off" prints "SSH-2.0" S -W localhost:22 vm22
	lab forwarding vm22 on
	is "forwarding on" prints "SSH-2.0" S -W localhost:22 vm22
	lab kbdint vm22 on
	is "kbdint on: keys are refused" fails_with "keyboard-interactive" S vm22 true
	printf '#!/bin/sh\necho lab\n' >"$WORK/askpass"
	chmod +x "$WORK/askpass"
	is "kbdint: the password is lab" timeout 8 ./netlab exec ctl \
		env SSH_ASKPASS="$WORK/askpass" SSH_ASKPASS_REQUIRE=force \
		ssh -F "$LAB/client/ssh_config" -o BatchMode=no vm22 true
	lab kbdint vm22 off
	is "kbdint off" S vm22 true
	lab banner vm22 on
	is "banner on" prints "Welcome to this host" S vm22 'echo OK'
	lab banner vm22 stderr
	said=$(S vm22 'echo OK' 2>/dev/null)
	is "banner stderr keeps stdout clean" [ "$said" = OK ]
	is "banner stderr" prints Welcome S vm22 'echo OK'
	lab banner vm22 off
	said=$(S vm22 'echo OK' 2>&1)
	is "banner off" [ "$said" = OK ]
	lab shell vm22 nologin
	isnt "shell nologin" S vm22 true
	lab shell vm22 sh
	is "shell sh" prints /sh S vm22 'echo $SHELL'
	lab shell vm22 bash
	is "shell bash" prints /bash S vm22 'echo $SHELL'
}
