#!/bin/bash
# Rebuild a partition without an empty moment, on the embedded catalog: the story of docs/publish.md, step by step.
#
#   ./demo.sh setup      a source with 100 rows of one day, and the settings
#   ./demo.sh swap       build a run, point the partition to it
#   ./demo.sh count      how many rows readers see
#   ./demo.sh change     20 more rows in the source
#   ./demo.sh rollback   point back to the run before
#   ./demo.sh runs       what there is
#   ./demo.sh teardown   remove everything that the demo made
#   ./demo.sh story      all of it, in order: 100, 120, 100
#
# ./demo.sh --athena STEP does it in AWS, with Athena: see athena.sh.
#
# DEMO_FOLDER (default ./partition-swap-demo) is where everything lies, DEMO_DATABASE (default partition_swap_demo) the database.
set -euo pipefail

folder=${DEMO_FOLDER:-./partition-swap-demo}
database=${DEMO_DATABASE:-partition_swap_demo}
day=2026-11-01
here=$(cd "$(dirname "$0")" && pwd)
tidegate=$(command -v tidegate || echo "$here/../../build/release/bin/tidegate")

if [ "${1:-}" = --athena ]; then
  shift
  exec "$here/athena.sh" "$@"
fi

sql() { "$tidegate" query "$folder/hive.db" "$1" --format csv; }
source_rows() { # FILE FROM TO
  sql "COPY (SELECT '$day' AS day, i AS id, i * 1.5 AS amount FROM range($2, $3) t(i)) TO '$folder/source/$1.parquet'" > /dev/null
}

setup() {
  if [ -e "$folder" ]; then
    echo "there is a folder $folder already: ./demo.sh teardown removes it, or set DEMO_FOLDER" >&2
    exit 1
  fi
  mkdir -p "$folder/source"
  touch "$folder/hive.db"
  source_rows first 0 100
  cat > "$folder/tidegate.toml" <<TOML
[hive_catalog]
url = "$folder/hive.db"

[[publish]]
table = "$database.orders"
partition_by = ["day"]
location = "$folder/orders"
select = "SELECT id, amount FROM read_parquet('$folder/source/*.parquet') WHERE day = {day}"

[publish.audit]
min_rows = 1
unique = ["id"]
TOML
  echo "100 rows of $day are in $folder/source"
}

command=${1:-help}
case $command in
  setup) setup ;;
  swap) "$tidegate" publish "$database.orders" "day=$day" --config "$folder/tidegate.toml" ;;
  count) sql "SELECT count(*) AS n FROM $database.orders WHERE day = '$day'" | tail -n 1 ;;
  change) source_rows "more$(date +%s%N)" 100 120 && echo "20 more rows are in the source" ;;
  rollback) "$tidegate" rollback "$database.orders" "day=$day" --config "$folder/tidegate.toml" ;;
  runs) "$tidegate" runs "$database.orders" --config "$folder/tidegate.toml" ;;
  teardown)
    if [ ! -e "$folder/hive.db" ] || [ ! -e "$folder/tidegate.toml" ]; then
      echo "$folder is not what this demo made: nothing is removed" >&2
      exit 1
    fi
    rm -r "$folder"
    ;;
  story)
    for step in setup swap count change swap count rollback count teardown; do
      echo "\$ ./demo.sh $step"
      "$0" "$step"
    done
    ;;
  *) sed -n '2,16s/^# \{0,1\}//p' "$0" ;;
esac
