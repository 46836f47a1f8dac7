#!/usr/bin/env bash
# Installs what the build needs: Debian packages of the named groups (default: build), then tools/deps.lock into .deps/.
#   tools/deps.sh [GROUP…]      GROUP: build, lint, coverage, acceptance, servers
# Needs nothing but bash, sed and apt-get, so that it can start on a bare machine. A second run does nothing.
set -euo pipefail
cd "$(dirname "$0")/.."
lock=tools/deps.lock
deps=${TIDEGATE_DEPS_DIR:-$PWD/.deps}
groups=("${@:-build}")

die() { printf 'deps: %s\n' "$*" >&2; exit 1; }

missing_packages() {
  local wanted installed
  wanted=$(for group in "${groups[@]}"; do sed -n "s/^$group = \"\(.*\)\"$/\1/p" "$lock"; done | tr ' ' '\n' | sort -u)
  [ -n "$wanted" ] || die "$lock has no packages for: ${groups[*]}"
  installed=$(dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' 2>/dev/null | sed -n 's/^ii *//p' | sort -u)
  comm -23 <(printf '%s\n' "$wanted") <(printf '%s\n' "$installed") | tr '\n' ' '
}

install_packages() {
  local as_root=()
  command -v apt-get >/dev/null ||
    die "these packages are needed and there is no apt-get to install them: $1. Install what they stand for, then run again with TIDEGATE_SKIP_APT=1"
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || die "these packages are needed: $1. Run 'apt-get install $1' as root, or install sudo, then run again"
    as_root=(sudo)
  fi
  echo "deps: installing with apt-get: $1"
  "${as_root[@]}" apt-get update -qq
  # shellcheck disable=SC2086
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $1 </dev/null >"$deps/apt.log" 2>&1 ||
    { tail -n 20 "$deps/apt.log" >&2; die "apt-get failed; all it said is in $deps/apt.log"; }
}

find_python() {  # the packages in the lock are built for Python 3.11
  local candidate
  for candidate in python3 python3.11 /usr/bin/python3; do
    if "$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info[:2] != (3, 11))' 2>/dev/null; then
      command -v "$candidate"
      return
    fi
  done
  die "no Python 3.11 with the venv module was found (tried python3, python3.11, /usr/bin/python3); install it, then run again"
}

mkdir -p "$deps"
exec 9>"$deps/.lock"
flock -w 1800 9 || die "another run holds $deps/.lock for half an hour; end it, then run again"

if [ -z "${TIDEGATE_SKIP_APT:-}" ]; then
  missing=$(missing_packages)
  [ -z "$missing" ] || install_packages "${missing% }"
fi
if [ ! -e "$deps/venv/.ready" ] || [ ! -x "$deps/venv/bin/python" ]; then
  python=$(find_python)
  rm -rf "$deps/venv" "$deps/.stamps/venv"
  "$python" -m venv "$deps/venv"
  touch "$deps/venv/.ready"
fi
exec "$deps/venv/bin/python" tools/deps.py --into "$deps" "${groups[@]}"
