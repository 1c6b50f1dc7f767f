#!/usr/bin/env bash
# Takes the README's picture: a real service, the demo's order, the last question waiting, the real page.
# usage: scripts/picture.sh docs/ui.png
set -euo pipefail
cd "$(dirname "$0")/.."
exec node scripts/picture.mjs "${1:-docs/ui.png}"
