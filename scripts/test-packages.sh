#!/usr/bin/env bash
# Installs third-party programs for tests into the target folder, unless they are installed: two lists from PyPI,
# each into its own Python environment, MCP clients and servers from npm, and component libraries of the gate's
# cases. Reports failures; the tests that need the programs then fail.
set -euo pipefail
cd "$(dirname "$0")/.."
target="${CARGO_TARGET_DIR:-target}"
npm_packages="@modelcontextprotocol/server-everything@2026.8.31 @modelcontextprotocol/inspector@2.12.0"

missing() {
    echo "note: $1 could not be installed; the tests that need it fail" >&2
}

# Usage: from_pypi LIST PLACE
from_pypi() {
    local list="scripts/$1" place="$target/$2"
    cmp -s "$list" "$place/installed.txt" && return
    echo "installing what $list names into $place" >&2
    rm -rf "$place"
    if scripts/need.sh python && python3 -m venv "$place" &&
        "$place/bin/pip" install --quiet --disable-pip-version-check --requirement "$list"; then
        cp "$list" "$place/installed.txt"
    else
        missing "what $list names"
        rm -rf "$place"
    fi
}

# Usage: from_npm PLACE
from_npm() {
    local place="$target/$1"
    [ "$(cat "$place/installed-npm.txt" 2>/dev/null)" = "$npm_packages" ] && return
    echo "installing $npm_packages into $place" >&2
    mkdir -p "$place"
    # shellcheck disable=SC2086 # Several packages are several words.
    if scripts/need.sh npm && npm install --silent --no-audit --no-fund --prefix "$place" $npm_packages; then
        echo "$npm_packages" >"$place/installed-npm.txt"
    else
        missing "$npm_packages"
    fi
}

from_pypi test-clients.txt clients
from_pypi mcp-packages.txt mcp
from_npm mcp
scripts/gate-packages.sh
