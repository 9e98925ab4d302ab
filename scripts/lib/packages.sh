# shellcheck shell=bash
# packages.sh - installs Debian packages that are missing. Sourced by scripts/*.

# What it takes to build vnm, to run the built-in lab, to run every test, and to lint.
# shellcheck disable=SC2034  # used by the scripts that source this
{
	BUILD_PACKAGES=(gcc libc6-dev cmake ninja-build pkg-config libssh-dev libsqlite3-dev libyaml-dev musl-tools)
	LAB_PACKAGES=(openssh-server openssh-client iproute2 util-linux procps nftables ethtool sqlite3)
	TEST_PACKAGES=(clang libclang-rt-dev libcmocka-dev git iperf3 busybox dash tcsh zsh fish mandoc)
	LINT_PACKAGES=(clang-format clang-tidy cppcheck shellcheck mandoc)
}

is_installed() {
	[ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# A package that installs a service must not start it on somebody's machine: only its program is wanted.
install_quietly() {
	local policy=/usr/sbin/policy-rc.d made=''
	if [ ! -e $policy ]; then
		printf '#!/bin/sh\nexit 101\n' >$policy && chmod 755 $policy && made=yes
	fi
	DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 install --no-install-recommends "$@"
	local rc=$?
	[ -z "$made" ] || rm -f $policy
	return $rc
}

# need_packages NAME...: installs what is missing; ends the script when that fails.
need_packages() {
	local missing=() package had_sshd=''
	for package in "$@"; do
		is_installed "$package" || missing+=("$package")
	done
	[ ${#missing[@]} -gt 0 ] || return 0
	if ! command -v apt-get >/dev/null; then
		echo "$0: this is no Debian or Ubuntu; install the counterparts of: ${missing[*]}" >&2
		exit 1
	fi
	if [ "$(id -u)" != 0 ]; then
		echo "$0: packages are missing; run it with sudo, or: sudo apt-get install ${missing[*]}" >&2
		exit 1
	fi
	echo "installing: ${missing[*]}"
	is_installed openssh-server && had_sshd=yes
	apt-get -q -y -o DPkg::Lock::Timeout=300 update >/dev/null || true
	if ! install_quietly "${missing[@]}" >/tmp/vnm-apt.$$ 2>&1; then
		tail -n 20 /tmp/vnm-apt.$$ >&2
		rm -f /tmp/vnm-apt.$$
		echo "$0: could not install: ${missing[*]}" >&2
		exit 1
	fi
	rm -f /tmp/vnm-apt.$$
	if [ -z "$had_sshd" ] && is_installed openssh-server && command -v systemctl >/dev/null; then
		systemctl disable ssh.service ssh.socket >/dev/null 2>&1 || true
		echo "openssh-server was installed for its program only; its service is not started and disabled"
	fi
}
