#!/usr/bin/env bash
# Installs missing ones of `chromium`, `sandbox`, `node`, `npm`, `python`, `nginx` and `postgres` from the system's packages.
# Usage: scripts/need.sh chromium [sandbox] [node] [npm] [python] [nginx] [postgres]
set -euo pipefail

has() {
    case "$1" in
        node) command -v node >/dev/null ;;
        npm) command -v npm >/dev/null ;;
        # Confinement of code and commands of agents, and the Python that runs the code. Linux only.
        sandbox)
            [ "$(uname -s)" != Linux ] && return 0
            command -v bwrap >/dev/null && { [ -x /usr/bin/python3 ] || [ -x /usr/local/bin/python3 ]; }
            ;;
        # Proxy in front of the service in tests, and the program that signs its certificate.
        nginx) PATH="$PATH:/usr/sbin" command -v nginx >/dev/null && command -v openssl >/dev/null ;;
        # Server of the tests, and the pooler in front of it. Debian keeps the server's programs out of PATH.
        postgres)
            PATH="$PATH:/usr/sbin:$(echo /usr/lib/postgresql/*/bin | tr ' ' :)" command -v initdb >/dev/null &&
                PATH="$PATH:/usr/sbin" command -v pgbouncer >/dev/null && command -v openssl >/dev/null
            ;;
        # Includes the modules that create environments.
        python) python3 -c 'import ensurepip, venv' >/dev/null 2>&1 ;;
        chromium)
            [ -x "${ASKFIRST_BROWSER__EXECUTABLE:-}" ] && return 0
            [ -n "${ASKFIRST_BROWSER__CDP_URL:-}" ] && return 0
            for name in chromium chromium-browser google-chrome google-chrome-stable; do
                command -v "$name" >/dev/null && return 0
            done
            [ -x "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome" ] ||
                [ -x "/Applications/Chromium.app/Contents/MacOS/Chromium" ]
            ;;
    esac
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

# Includes fonts: without them, pages and their pictures lack Cyrillic letters.
install_chromium() {
    if command -v apt-get >/dev/null; then
        as_root apt-get update -qq
        as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
            chromium chromium-sandbox fonts-dejavu-core fonts-liberation ||
            as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium-browser fonts-dejavu-core
    elif command -v dnf >/dev/null; then as_root dnf install -y chromium dejavu-sans-fonts
    elif command -v pacman >/dev/null; then as_root pacman -S --noconfirm --needed chromium ttf-dejavu
    elif command -v zypper >/dev/null; then as_root zypper --non-interactive install chromium dejavu-fonts
    elif command -v apk >/dev/null; then as_root apk add chromium font-dejavu
    elif command -v brew >/dev/null; then brew install --cask chromium
    else return 1
    fi
}

install_node() { install nodejs nodejs nodejs nodejs nodejs node; }

install_npm() { install npm npm npm npm npm node; }

install_python() { install "python3 python3-venv" python3 python python3 python3 python; }

install_nginx() { install "nginx-light openssl" "nginx openssl" "nginx openssl" "nginx openssl" "nginx openssl" "nginx openssl"; }

# A server of its own is started by each test process; that of the system's package is not needed.
install_postgres() {
    install "postgresql pgbouncer openssl" "postgresql-server pgbouncer openssl" "postgresql pgbouncer openssl" \
        "postgresql-server pgbouncer openssl" "postgresql pgbouncer openssl" "postgresql pgbouncer openssl"
}

install_sandbox() {
    install "bubblewrap python3" "bubblewrap python3" "bubblewrap python" "bubblewrap python3" "bubblewrap python3" ""
}

# Installs packages by their names in apt, dnf, pacman, zypper, apk and brew.
# shellcheck disable=SC2086 # Several packages are several words.
install() {
    if command -v apt-get >/dev/null; then
        as_root apt-get update -qq
        as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $1
    elif command -v dnf >/dev/null; then as_root dnf install -y $2
    elif command -v pacman >/dev/null; then as_root pacman -S --noconfirm --needed $3
    elif command -v zypper >/dev/null; then as_root zypper --non-interactive install $4
    elif command -v apk >/dev/null; then as_root apk add $5
    elif command -v brew >/dev/null; then brew install $6
    else return 1
    fi
}

for thing in "$@"; do
    has "$thing" && continue
    echo "$thing is missing; installing it from the system's packages" >&2
    "install_$thing" >&2 || true
    if ! has "$thing"; then
        echo "$thing could not be installed; install it yourself, then try again" >&2
        exit 1
    fi
done
