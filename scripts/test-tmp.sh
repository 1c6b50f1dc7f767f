#!/usr/bin/env bash
# Prints the folder for files of tests, which are tens of thousands, small and short-lived: in memory if there is
# enough, otherwise the configured folder.
set -euo pipefail

readonly needed_kib=$((4 * 1024 * 1024))

available() { # /dev/shm, in KiB; 0 if there is none.
  df --output=avail /dev/shm 2>/dev/null | tail -n 1 || echo 0
}

memory() { # Available without swapping, in KiB.
  awk '/^MemAvailable:/ {print $2}' /proc/meminfo 2>/dev/null || echo 0
}

runs_programs() { # Containers often forbid it in /dev/shm.
  awk '$2 == "/dev/shm" && $4 !~ /noexec/ {found = 1} END {exit !found}' /proc/mounts 2>/dev/null
}

if [[ -z ${TMPDIR:-} && -w /dev/shm && $(available) -ge $needed_kib && $(memory) -ge $((2 * needed_kib)) ]] && runs_programs
then echo /dev/shm
else echo "${TMPDIR:-/tmp}"
fi
