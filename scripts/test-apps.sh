#!/usr/bin/env bash
# Installs the applications of tests/it/real_apps.rs (scripts/test-apps.txt) into their own Python environment in
# the target folder, unless they are installed. If that fails, the tests that need them fail.
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
    echo "note: they could not be installed; the tests that need them fail" >&2
    rm -rf "$apps"
fi
