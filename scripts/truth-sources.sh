#!/usr/bin/env bash
# Fetches pages of others that say what role and name each element has into target/truth, once: cases of
# web-platform-tests (accname, html-aam), examples of the ARIA Authoring Practices Guide, cases of Playwright.
# A source that cannot be reached is left out, with a note. TRUTH_FROM is where the repositories are cloned from.
set -euo pipefail
cd "$(dirname "$0")/.."
from=${TRUTH_FROM:-https://github.com}
into=target/truth

# Usage: fetch <name> <repository> <paths>
fetch() {
  local name=$1 repository=$2
  shift 2
  [ -e "$into/$name/.done" ] && return 0
  rm -rf "${into:?}/$name.part"
  if GIT_TERMINAL_PROMPT=0 git clone -q --depth 1 --filter=blob:none --no-checkout "$from/$repository" "$into/$name.part" 2>/dev/null &&
    git -C "$into/$name.part" sparse-checkout set --no-cone "$@" && git -C "$into/$name.part" checkout -q; then
    rm -rf "${into:?}/$name"
    mv "$into/$name.part" "$into/$name"
    touch "$into/$name/.done"
  else
    rm -rf "${into:?}/$name.part"
    echo "note: $from/$repository is out of reach; its cases are left out" >&2
  fi
}

command -v git >/dev/null || { echo "note: git is missing; make truth needs it" >&2; exit 1; }
mkdir -p "$into"
fetch wpt web-platform-tests/wpt /accname/ /html-aam/
fetch apg w3c/aria-practices /content/patterns/ /content/shared/
fetch playwright microsoft/playwright /tests/assets/wpt/ /tests/page/page-aria-snapshot.spec.ts
