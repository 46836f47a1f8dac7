#!/bin/bash
# Rebuild a partition without an empty moment: the story of docs/publish.md, step by step. On the embedded catalog, or on another:
#
#   ./demo.sh setup      a source with 100 rows of one day, and the settings
#   ./demo.sh swap       build a run, point the partition to it
#   ./demo.sh count      how many rows readers see
#   ./demo.sh change     20 more rows in the source
#   ./demo.sh rollback   point back to the run before
#   ./demo.sh runs       what there is
#   ./demo.sh teardown   remove what the demo made
#   ./demo.sh story      all of it, in order: 100, 120, 100
#
#   ./demo.sh --hive story      on a Hive Metastore: HIVE_METASTORE=hive://host:9083
#   ./demo.sh --athena story    in AWS, with Athena: see athena.sh
#
# DEMO_FOLDER (default ./partition-swap-demo) is where everything lies, DEMO_DATABASE (default partition_swap_demo) the database.
# With --hive the table lies in s3://$DEMO_BUCKET/$DEMO_PREFIX if DEMO_BUCKET is set, else in the folder.
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

# Where the catalog and the table are, and what a catalog needs before and after.
mode=
catalog=$folder/hive.db
location=$folder/orders
prepare_catalog() { :; }
clear_catalog() { :; }

use_hive() {
  mode=--hive
  catalog=${HIVE_METASTORE:?set it to the metastore, as hive://host:9083}
  if [ -n "${DEMO_BUCKET:-}" ]; then location=s3://$DEMO_BUCKET/${DEMO_PREFIX:-partition-swap-demo}/orders; fi
  prepare_catalog() {
    local code=0
    python3 "$here/metastore.py" "$catalog" create-database "$database" || code=$?
    if [ "$code" != 0 ] && [ "$code" != 3 ]; then exit 1; fi # 3: it is there
  }
  clear_catalog() {
    python3 "$here/metastore.py" "$catalog" drop-table "$database" orders
    case $location in
      s3://*)
        if command -v aws > /dev/null; then aws s3 rm --quiet --recursive "$location"; else echo "the files stay in $location: remove them"; fi
        ;;
    esac
  }
}

case ${1:-} in
  --hive) use_hive && shift ;;
esac

sql() { "$tidegate" query "$1" "$2" --format csv; } # CATALOG SQL
source_rows() { # FILE FROM TO
  sql "$folder/hive.db" "COPY (SELECT '$day' AS day, i AS id, i * 1.5 AS amount FROM range($2, $3) t(i)) TO '$folder/source/$1.parquet'" > /dev/null
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
url = "$catalog"

[[publish]]
table = "$database.orders"
partition_by = ["day"]
location = "$location"
select = "SELECT id, amount FROM read_parquet('$folder/source/*.parquet') WHERE day = {day}"

[publish.audit]
min_rows = 1
unique = ["id"]
TOML
  prepare_catalog
  echo "100 rows of $day are in $folder/source"
}

command=${1:-help}
case $command in
  setup) setup ;;
  swap) "$tidegate" publish "$database.orders" "day=$day" --config "$folder/tidegate.toml" ;;
  count) sql "$catalog" "SELECT count(*) AS n FROM $database.orders WHERE day = '$day'" | tail -n 1 ;;
  change) source_rows "more$(date +%s%N)" 100 120 && echo "20 more rows are in the source" ;;
  rollback) "$tidegate" rollback "$database.orders" "day=$day" --config "$folder/tidegate.toml" ;;
  runs) "$tidegate" runs "$database.orders" --config "$folder/tidegate.toml" ;;
  teardown)
    if [ ! -e "$folder/hive.db" ] || [ ! -e "$folder/tidegate.toml" ]; then
      echo "$folder is not what this demo made: nothing is removed" >&2
      exit 1
    fi
    clear_catalog
    rm -r "$folder"
    ;;
  story)
    for step in setup swap count change swap count rollback count teardown; do
      echo "\$ ./demo.sh ${mode:+$mode }$step"
      "$0" ${mode:+"$mode"} "$step"
    done
    ;;
  *) sed -n '2,19s/^# \{0,1\}//p' "$0" ;;
esac
