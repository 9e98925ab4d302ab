# shellcheck shell=bash
fault_usage() { :; }
cmd_fault() { usage >&2; exit 2; }
