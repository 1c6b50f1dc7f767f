#!/usr/bin/env bash
# Unpacks the files of component libraries that pages of tests/gate load from /lib/ into the target folder, unless they
# are there. scripts/gate-packages.txt lists them: package@version FILE... Packages that these depend on are not needed.
# Reports failures; the cases that need the files are then left out.
set -euo pipefail
cd "$(dirname "$0")/.."
target="${CARGO_TARGET_DIR:-target}"
list=scripts/gate-packages.txt
place="$target/gate-lib/node_modules"

cmp -s "$list" "$place/installed.txt" && exit
echo "unpacking what $list names into $place" >&2
rm -rf "$place"
packed="$(mktemp -d)"
trap 'rm -rf "$packed"' EXIT
packages="$(grep -v '^#' "$list" | cut -d' ' -f1)"
# shellcheck disable=SC2086 # Several packages are several words.
if ! scripts/need.sh npm || ! npm pack --silent --pack-destination "$packed" $packages >/dev/null; then
    echo "note: what $list names could not be installed; the cases that need it are left out" >&2
    exit
fi
while read -r package files; do
    name="${package%@*}"
    archive="${name#@}-${package##*@}.tgz"
    archive="$packed/${archive//\//-}"
    folder="$(tar -tzf "$archive" | sed -n '1s,/.*,,p')"
    mkdir -p "$place/$name"
    # shellcheck disable=SC2086 # Several files are several words; none has a space.
    tar -xzf "$archive" -C "$place/$name" --strip-components=1 $(printf " $folder/%s" $files)
done < <(grep -v '^#' "$list")
cp "$list" "$place/installed.txt"
