#!/usr/bin/env bash
# Tells which tests did nothing, and why: those that tests/it/support/absent.rs has written into the list.
# Usage: scripts/absent.sh LIST
set -euo pipefail
list="$1"
[ -s "$list" ] || exit 0
# One that was tried again stands there again.
tests="$(sort -u "$list")"
line="======================================================================"
echo "$line"
echo "NOTE: $(wc -l <<<"$tests") tests did NOTHING:"
# shellcheck disable=SC2001 # Of many lines.
sed 's/^/  /' <<<"$tests"
echo "What they need comes from PyPI and npm; where those can be reached, run the scripts and the tests again."
echo "$line"
