#!/usr/bin/env bash
# Prints the tests that did nothing, with their reasons, from the list that tests/it/support/absent.rs wrote.
# Usage: scripts/absent.sh LIST
set -euo pipefail
list="$1"
[ -s "$list" ] || exit 0
# Repeated tests are listed repeatedly.
tests="$(sort -u "$list")"
line="======================================================================"
echo "$line"
echo "NOTE: $(wc -l <<<"$tests") tests did NOTHING:"
# shellcheck disable=SC2001 # Many lines.
sed 's/^/  /' <<<"$tests"
echo "What they need comes from PyPI and npm; where those can be reached, run the scripts and the tests again."
echo "$line"
