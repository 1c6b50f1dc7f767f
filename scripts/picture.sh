#!/usr/bin/env bash
# Takes the pictures of the documentation with a real service and page: the chat with the demo's last question
# open, or the board of lanes.
# usage: scripts/picture.sh docs/ui.png; PICTURE_LOCALE=uk scripts/picture.sh docs/board-uk.png board
set -euo pipefail
cd "$(dirname "$0")/.."
exec node scripts/picture.mjs "${1:-docs/ui.png}" "${2:-chat}"
