#!/usr/bin/env bash
# Installs the component libraries that pages of `tests/pages` load, and bundles tests/page_libraries into target/page-lib.
# Installs once per list and bundles what is newer than its bundle.
set -euo pipefail
cd "$(dirname "$0")/.."
from=tests/page_libraries
packages=target/page-lib-npm
into=target/page-lib

if ! cmp -s "$from/package.json" "$packages/installed.json"; then
  command -v npm >/dev/null || { echo "note: npm is missing; cases with component libraries are left out" >&2; exit 1; }
  mkdir -p "$packages"
  cp "$from/package.json" "$packages/package.json"
  npm install --prefix "$packages" --no-audit --no-fund --ignore-scripts --legacy-peer-deps --silent
  cp "$from/package.json" "$packages/installed.json"
fi
command -v node >/dev/null || { echo "note: node is missing; cases with component libraries are left out" >&2; exit 1; }

mkdir -p "$into"
stale=()
for entry in "$from"/*.js "$from"/*.jsx "$from"/*.mjs "$from"/*.css; do
  [ -f "$entry" ] || continue
  name=$(basename "$entry")
  case "$name" in *.css) bundle="$into/$name" ;; *) bundle="$into/${name%.*}.js" ;; esac
  if [ "$entry" -nt "$bundle" ] || [ "$packages/installed.json" -nt "$bundle" ]; then stale+=("$entry"); fi
done
[ ${#stale[@]} -gt 0 ] || exit 0

# Bundles are made one by one: where one fails, the others are made.
failed=0
for entry in "${stale[@]}"; do
  NODE_PATH="$packages/node_modules" node "$packages/node_modules/esbuild/bin/esbuild" "$entry" \
    --bundle --minify --format=iife --jsx=automatic --outdir="$into" --log-level=error \
    --define:process.env.NODE_ENV='"production"' --define:global=window \
    --loader:.ttf=dataurl --loader:.woff=dataurl --loader:.woff2=dataurl --loader:.eot=dataurl --loader:.svg=dataurl --loader:.png=dataurl --loader:.gif=dataurl \
    || failed=1
done
exit $failed
