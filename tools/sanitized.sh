#!/usr/bin/env bash
# Builds the test programs of some folders under a sanitizer and runs each.
#   tools/sanitized.sh PRESET JOBS FOLDER…
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1 jobs=$2
shift 2
tools/build.sh "$preset" --configure-only
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 TSAN_OPTIONS=ignore_noninstrumented_modules=1
targets=()
for folder in "$@"; do targets+=("tidegate_${folder}_test"); done
cmake --build --preset "$preset" -j "$jobs" --target "${targets[@]}"
for folder in "$@"; do "build/$preset/src/tidegate/$folder/tidegate_${folder}_test" --gtest_brief=1; done
