#!/usr/bin/env bash
# Configures the build tree of a preset where that is due, and builds it.
#   tools/build.sh PRESET JOBS | PRESET --configure-only
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1 jobs=$2
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1  # what one clone compiled serves the next, wherever it lies
tree=build/$preset
if [ ! -e "$tree/build.ninja" ] || [ CMakePresets.json -nt "$tree/build.ninja" ]; then
  mkdir -p "$tree"
  cmake --preset "$preset" >"$tree/configure.log" 2>&1 || { cat "$tree/configure.log" >&2; exit 1; }
  touch "$tree/build.ninja"
fi
[ "$jobs" = --configure-only ] || cmake --build --preset "$preset" -j "$jobs"
