#!/usr/bin/env bash
# Installs the applications of tests/real_apps/*.yaml (their lines `pip:` and `npm:`), each into a folder of its own in
# the target folder, unless they are installed. `APPS` chooses them by a part of the name. Those that cannot be
# installed are left out of the table, which says so.
set -euo pipefail
cd "$(dirname "$0")/.."
wanted="${APPS-}"
wanted="${wanted%% *}"
root="${CARGO_TARGET_DIR:-target}/real-apps"

# Installs packages of one list into a folder: words of the line `pip:` or `npm:` of the file.
install_packages() {
    local folder=$1 pip=$2 npm=$3
    if [ -n "$pip" ]; then
        scripts/need.sh python && python3 -m venv "$folder" || return 1
        # shellcheck disable=SC2086 # Several packages are several words.
        "$folder/bin/pip" install --quiet --disable-pip-version-check $pip || return 1
    fi
    if [ -n "$npm" ]; then
        scripts/need.sh node npm || return 1
        echo '{"private": true}' >"$folder/package.json"
        # shellcheck disable=SC2086
        npm install --prefix "$folder" --no-audit --no-fund --silent $npm || return 1
    fi
}

for file in tests/real_apps/*.yaml; do
    name=$(basename "$file" .yaml)
    case "$name" in *"$wanted"*) ;; *) continue ;; esac
    pip=$(sed -n 's/^pip: //p' "$file")
    npm=$(sed -n 's/^npm: //p' "$file")
    folder="$root/$name"
    [ "$(cat "$folder/installed.txt" 2>/dev/null)" = "pip $pip npm $npm" ] && continue
    echo "installing $pip$npm into $folder" >&2
    rm -rf "$folder"
    mkdir -p "$folder"
    if install_packages "$folder" "$pip" "$npm"; then
        echo "pip $pip npm $npm" >"$folder/installed.txt"
    else
        echo "note: $name could not be installed; the table leaves it out" >&2
    fi
done
