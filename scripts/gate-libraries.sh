#!/usr/bin/env bash
# Installs the component libraries that pages of the gate's table load, once per list.
set -euo pipefail
cd "$(dirname "$0")/.."
list=tests/gate/package.json
into=target/gate-lib
[ -f "$list" ] || exit 0
if cmp -s "$list" "$into/installed.json"; then exit 0; fi
command -v npm >/dev/null || { echo "note: npm is missing; cases with component libraries are left out" >&2; exit 1; }
mkdir -p "$into"
cp "$list" "$into/package.json"
npm install --prefix "$into" --no-audit --no-fund --ignore-scripts --silent
cp "$list" "$into/installed.json"
