# shellcheck shell=bash
# packages.sh - installs Debian packages that are missing. Sourced by scripts/*.

# What it takes to build vnm, to run the built-in lab, to run every test, and to lint.
# shellcheck disable=SC2034  # used by the scripts that source this
{
	BUILD_PACKAGES=(gcc libc6-dev cmake ninja-build pkg-config libssh-dev libsqlite3-dev libyaml-dev musl-tools)
	LAB_PACKAGES=(openssh-server openssh-client iproute2 util-linux procps nftables ethtool iputils-ping sqlite3)
	TEST_PACKAGES=(clang libclang-rt-dev libcmocka-dev libssl-dev sudo git iperf3 busybox dash tcsh zsh fish mandoc)
	LINT_PACKAGES=(clang-format clang-tidy cppcheck shellcheck mandoc)
	# What the tests use where it can be had: runs the agents for other processors. Not
	# qemu-user-static, which would register itself with the machine's kernel.
	WISHED_PACKAGES=(qemu-user)
}

# Where CMake looks for the C library of the agents for other processors (cmake/foreign_agents.cmake).
MUSL_CACHE=${MUSL_CACHE:-/var/cache/vnm/musl}

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

# wish_packages NAME...: installs those that this system has. Nothing depends on them: without
# the network, or without root, it says what is missing and goes on.
wish_packages() {
	local missing=() package
	for package in "$@"; do
		is_installed "$package" || missing+=("$package")
	done
	[ ${#missing[@]} -gt 0 ] || return 0
	if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
		echo "not installed: ${missing[*]}"
		return 0
	fi
	apt-cache show "${missing[@]}" >/dev/null 2>&1 ||
		apt-get -q -y -o DPkg::Lock::Timeout=300 update >/dev/null 2>&1 || true
	for package in "${missing[@]}"; do
		install_quietly "$package" >/dev/null 2>&1 || echo "cannot be installed here: $package"
	done
}

# fetch_musl ARCH: unpacks that architecture's musl-dev in MUSL_CACHE. apt verifies it as always,
# but with lists of its own: no foreign architecture is added to this system.
fetch_musl() {
	local arch=$1 work rc=0
	[ ! -e "$MUSL_CACHE/$arch/usr/include" ] || return 0
	work=$(mktemp -d) && mkdir -p "$MUSL_CACHE" "$work/state/lists/partial" "$work/cache/archives/partial" || return 1
	(
		cd "$work" || exit 1
		foreign() {
			apt-get -q -o APT::Architecture="$arch" -o APT::Architectures="$arch" -o APT::Sandbox::User=root \
				-o Dir::State="$work/state" -o Dir::State::status=/dev/null -o Dir::Cache="$work/cache" \
				-o Acquire::Languages=none -o Acquire::Retries=1 -o Acquire::http::Timeout=20 "$@"
		}
		foreign update # one of several lists may be out of step
		foreign download musl-dev && dpkg-deb -x musl-dev_*.deb unpacked &&
			test -d unpacked/usr/include && rm -rf "${MUSL_CACHE:?}/$arch" && mv unpacked "$MUSL_CACHE/$arch"
	) >/dev/null 2>&1 || rc=1
	rm -rf "$work"
	return $rc
}

# wish_foreign_agents: what it takes to build the agents for the other processors that
# cmake/foreign_agents.cmake knows. What is missing is told by CMake.
wish_foreign_agents() {
	local arch triplet
	command -v apt-get >/dev/null || return 0
	while read -r arch triplet; do
		[ "$arch" != "$(dpkg --print-architecture)" ] || continue
		wish_packages "gcc-$triplet" "libc6-dev-$arch-cross"
		if [ "$(id -u)" = 0 ] && ! fetch_musl "$arch"; then
			echo "cannot be fetched: musl-dev for $arch"
		fi
	done <<-LIST
		amd64 x86-64-linux-gnu
		arm64 aarch64-linux-gnu
		armhf arm-linux-gnueabihf
	LIST
}
