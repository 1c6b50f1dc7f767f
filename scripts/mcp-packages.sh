#!/usr/bin/env bash
# Installs the clients and servers of the Model Context Protocol that tests speak to, by their names: those of
# scripts/mcp-packages.txt from PyPI and those below from npm, into the target folder. Does nothing where they
# stand already. Where they cannot be had it says so, and the tests that need them say that they did nothing.
set -euo pipefail
cd "$(dirname "$0")/.."
place="${CARGO_TARGET_DIR:-target}/mcp"
npm_packages="@modelcontextprotocol/server-everything@2026.8.31 @modelcontextprotocol/inspector@2.12.0"
wanted="$(cat scripts/mcp-packages.txt; echo "$npm_packages")"
[ "$(cat "$place/installed.txt" 2>/dev/null)" = "$wanted" ] && exit 0
echo "installing clients and servers of the Model Context Protocol into $place" >&2
rm -rf "$place"
missing() {
    echo "note: $1 could not be installed; the tests that need it do nothing" >&2
}
whole=yes
if scripts/need.sh python && python3 -m venv "$place" &&
    "$place/bin/pip" install --quiet --disable-pip-version-check --requirement scripts/mcp-packages.txt; then :
else
    missing "what scripts/mcp-packages.txt names"; whole=no
    rm -rf "$place/bin"
fi
mkdir -p "$place"
# shellcheck disable=SC2086 # Several packages are several words.
if scripts/need.sh npm && npm install --silent --no-audit --no-fund --prefix "$place" $npm_packages; then :
else
    missing "$npm_packages"; whole=no
fi
[ "$whole" = no ] || echo "$wanted" >"$place/installed.txt"
