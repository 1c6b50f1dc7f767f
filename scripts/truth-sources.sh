#!/usr/bin/env bash
# Fetches pages of others that say what role, name and state each element has into target/truth, once: cases of
# web-platform-tests (accname, html-aam, wai-aria), examples of the ARIA Authoring Practices Guide, cases of Playwright.
# TRUTH_FROM is where the repositories are: the address of a server (https://github.com by default), or a folder of git
# directories named OWNER+NAME, OWNER+NAME/repo, OWNER/NAME or OWNER/NAME.git. A source that cannot be had is left out,
# with a note. No package of npm or PyPI has these files.
set -euo pipefail
cd "$(dirname "$0")/.."
from=${TRUTH_FROM:-https://github.com}
into=target/truth

# Commit of a repository of other tests that holds older copies of cases of web-platform-tests.
copies=guidepup/virtual-screen-reader
copies_commit=0a7952ba488ca1f38c6d6dd9543e6e16e8bcc1f2

# Prints the git directory of a repository in the folder TRUTH_FROM.
local_git() {
  local place
  for place in "${1/\//+}/repo" "${1/\//+}" "$1" "$1.git"; do
    for place in "$from/$place" "$from/$place/.git"; do
      if [ -f "$place/HEAD" ] && [ -d "$place/objects" ]; then
        echo "$place"
        return 0
      fi
    done
  done
  return 1
}

# Usage: copy_files <repository> <commit or HEAD> <folder> <paths>
copy_files() {
  local repository=$1 commit=$2 to=$3 git
  shift 3
  mkdir -p "$to"
  if git=$(local_git "$repository"); then
    git --git-dir="$git" archive "$commit" -- "$@" | tar -x -C "$to"
    return
  fi
  [ ! -d "$from" ] || return 1
  git -C "$to" init -q
  git -C "$to" sparse-checkout set --no-cone "${@/#//}"
  GIT_TERMINAL_PROMPT=0 git -C "$to" fetch -q --depth 1 --filter=blob:none "$from/$repository" "$commit" 2>/dev/null &&
    git -C "$to" -c "remote.origin.url=$from/$repository" -c remote.origin.promisor=true checkout -q FETCH_HEAD
}

# Usage: fetch <name> <repository> <commit or HEAD> <paths>
fetch() {
  local name=$1 repository=$2
  [ ! -e "$into/$name/.done" ] || return 0
  rm -rf "${into:?}/$name" "${into:?}/$name.part"
  if copy_files "$repository" "$3" "$into/$name.part" "${@:4}"; then
    mv "$into/$name.part" "$into/$name"
    touch "$into/$name/.done"
  else
    rm -rf "${into:?}/$name.part"
    echo "note: $repository is out of reach; its cases are left out" >&2
    return 1
  fi
}

# Writes the pages that stand as text in tests of the other repository, each as the page that it was copied from.
unpack_copies() {
  local test page
  for test in "$into"/wpt-copies/test/wpt/{html-aam,wai-aria/role}/*.int.test.ts; do
    page="$into/wpt-copies/${test#"$into"/wpt-copies/test/wpt/}"
    page="${page%.int.test.ts}.html"
    mkdir -p "$(dirname "$page")"
    # The page is the first text in backquotes after innerHTML.
    awk '/innerHTML = `/ { inside = 1; sub(/.*innerHTML = `/, "") }
      inside && /`;/ { sub(/`;.*/, ""); print; exit }
      inside { print }
      # Or a list of roles, each of which stands on an element of its own.
      /test\.each\(\[/ { listed = 1 }
      listed && /^ *"[a-z]+",$/ { gsub(/[ ",]/, "")
        printf "<div role=\"%s\" data-expectedrole=\"%s\" data-testname=\"role: %s\">x</div>\n", $0, $0, $0 }
      listed && /\]\)/ { exit }' "$test" >"$page"
  done
}

command -v git >/dev/null || { echo "note: git is missing; make truth needs it" >&2; exit 1; }
mkdir -p "$into"
fetch apg w3c/aria-practices HEAD content/patterns content/shared || true
fetch playwright microsoft/playwright HEAD tests/assets/wpt tests/page/page-aria-snapshot.spec.ts \
  tests/page/to-match-aria-snapshot.spec.ts || true
if ! fetch wpt web-platform-tests/wpt HEAD accname html-aam wai-aria/role; then
  echo "note: older copies of some of them are taken from $copies" >&2
  if fetch wpt-copies "$copies" "$copies_commit" test/wpt/html-aam test/wpt/wai-aria; then unpack_copies; fi
fi
