#!/usr/bin/env bash
# Runs the tests of the page's modules. Files are named one by one, because versions of node treat folders
# differently.
set -euo pipefail
shopt -s nullglob
tests=(tests/ui/*.test.mjs)
if [ "${#tests[@]}" -gt 0 ]; then
    node --test "${tests[@]}"
fi
