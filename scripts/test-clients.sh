#!/usr/bin/env bash
# Installs the programs of others that tests/clients/ speaks to the service with: those of
# scripts/test-clients.txt, into a Python environment of their own in the target folder. Does nothing where they
# stand already. Without a network it says so, and those tests are skipped with words.
set -euo pipefail
cd "$(dirname "$0")/.."
clients="${CARGO_TARGET_DIR:-target}/clients"
cmp -s scripts/test-clients.txt "$clients/installed.txt" && exit 0
scripts/need.sh python
echo "installing the clients of scripts/test-clients.txt into $clients" >&2
rm -rf "$clients"
python3 -m venv "$clients"
if ! "$clients/bin/pip" install --quiet --disable-pip-version-check --requirement scripts/test-clients.txt; then
    echo "the clients could not be had; tests that need them are skipped" >&2
    rm -rf "$clients"
    exit 0
fi
cp scripts/test-clients.txt "$clients/installed.txt"
