#!/usr/bin/env bash
# Installs the applications that tests/it/real_apps.rs works in: those of scripts/test-apps.txt, into a
# Python environment of their own in the target folder. Does nothing where they stand already; where
# they cannot be had, the tests that need them say that they did nothing.
set -euo pipefail
cd "$(dirname "$0")/.."
apps="${CARGO_TARGET_DIR:-target}/apps"
cmp -s scripts/test-apps.txt "$apps/installed.txt" && exit 0
echo "installing the applications of scripts/test-apps.txt into $apps" >&2
rm -rf "$apps"
if scripts/need.sh python && python3 -m venv "$apps" &&
    "$apps/bin/pip" install --quiet --disable-pip-version-check --requirement scripts/test-apps.txt; then
    cp scripts/test-apps.txt "$apps/installed.txt"
else
    echo "note: they could not be installed; the tests that need them do nothing" >&2
    rm -rf "$apps"
fi
