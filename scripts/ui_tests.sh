#!/usr/bin/env bash
# Runs the tests of the page's own modules; each file by name, since versions of node differ in what
# they make of a folder.
set -euo pipefail
shopt -s nullglob
tests=(tests/ui/*.test.mjs)
if [ "${#tests[@]}" -gt 0 ]; then
    node --test "${tests[@]}"
fi
