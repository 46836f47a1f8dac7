#!/bin/bash
# The story of demo.sh in AWS: Athena builds the partition with UNLOAD, Glue is the catalog, and S3 holds the files.
#
#   ./demo.sh --athena setup      a database, a source table with 100 rows of one day, and the settings
#   ./demo.sh --athena swap       build a run with UNLOAD, point the partition to it
#   ./demo.sh --athena count      how many rows readers see
#   ./demo.sh --athena change     20 more rows in the source
#   ./demo.sh --athena rollback   point back to the run before
#   ./demo.sh --athena runs       what there is
#   ./demo.sh --athena teardown   remove everything that the demo made
#   ./demo.sh --athena story      all of it, in order: 100, 120, 100
#
# DEMO_BUCKET is an existing bucket. DEMO_PREFIX (default partition-swap-demo), DEMO_DATABASE (default partition_swap_demo)
# and ATHENA_WORKGROUP (default primary) name what the demo makes and uses. ATHENA_RESULTS is where Athena keeps its results,
# if the workgroup has no place: s3://DEMO_BUCKET/DEMO_PREFIX/athena-results/ where it is not set, "" leaves it to the workgroup.
# The settings lie in DEMO_FOLDER (default ./partition-swap-demo-athena). A database of Glue is made and dropped by the `aws`
# command line; all else is tidegate.
set -euo pipefail

bucket=${DEMO_BUCKET:-}
prefix=${DEMO_PREFIX:-partition-swap-demo}
database=${DEMO_DATABASE:-partition_swap_demo}
workgroup=${ATHENA_WORKGROUP:-primary}
results=${ATHENA_RESULTS-s3://$bucket/$prefix/athena-results/}
folder=${DEMO_FOLDER:-./partition-swap-demo-athena}
day=2026-11-01
here=$(cd "$(dirname "$0")" && pwd)
tidegate=$(command -v tidegate || echo "$here/../../build/release/bin/tidegate")
config=$folder/tidegate.toml
place="s3://$bucket/$prefix/ $database"

need() {
  if [ -z "$2" ]; then
    echo "$1" >&2
    exit 1
  fi
}

# The source is a table of its own, whose partition tidegate publishes with so many rows.
source_rows() { # ROWS
  sed "s/@ROWS@/$1/" "$folder/settings" > "$config"
  "$tidegate" publish "$database.orders" "day=$day" --config "$config"
}

setup() {
  need "set DEMO_BUCKET to a bucket of yours" "$bucket"
  if [ -e "$folder" ]; then
    echo "there is a folder $folder already: ./demo.sh --athena teardown removes it, or set DEMO_FOLDER" >&2
    exit 1
  fi
  if [ -n "$(aws s3 ls "s3://$bucket/$prefix/")" ]; then
    echo "s3://$bucket/$prefix/ is not empty: set DEMO_PREFIX to another one, as teardown removes everything there" >&2
    exit 1
  fi
  aws glue create-database --database-input "{\"Name\": \"$database\"}"
  mkdir -p "$folder"
  echo "$place" > "$folder/place"
  cat > "$folder/settings" <<TOML
[hive_catalog]
url = "glue://"

[athena]
workgroup = "$workgroup"
database = "$database"
$([ -z "$results" ] || echo "result_location = \"$results\"")

[[publish]]
table = "$database.orders"
partition_by = ["day"]
location = "s3://$bucket/$prefix/orders"
select = "SELECT i AS id, i * 1.5 AS amount FROM range(@ROWS@) t(i) WHERE {day} = '$day'"

[[publish]]
table = "$database.daily"
partition_by = ["day"]
location = "s3://$bucket/$prefix/daily"
engine = "athena"
select = "SELECT id, amount FROM orders WHERE day = {day}"

[publish.audit]
min_rows = 1
unique = ["id"]
TOML
  source_rows 100
}

teardown() {
  need "set DEMO_BUCKET to the bucket of the demo" "$bucket"
  if [ ! -e "$folder/place" ] || [ "$(cat "$folder/place")" != "$place" ]; then
    echo "$folder is not what this demo made, or not with these variables: nothing is removed" >&2
    exit 1
  fi
  aws glue delete-database --name "$database" # its tables go with it
  aws s3 rm --quiet --recursive "s3://$bucket/$prefix/"
  rm -r "$folder"
}

command=${1:-help}
case $command in
  setup) setup ;;
  swap) "$tidegate" publish "$database.daily" "day=$day" --config "$config" ;;
  count)
    "$tidegate" query glue:// "SELECT count(*) AS n FROM $database.daily WHERE day = '$day'" --format csv --config "$config" | tail -n 1
    ;;
  change) source_rows 120 ;;
  rollback) "$tidegate" rollback "$database.daily" "day=$day" --config "$config" ;;
  runs) "$tidegate" runs "$database.daily" --config "$config" ;;
  teardown) teardown ;;
  story)
    for step in setup swap count change swap count rollback count teardown; do
      echo "\$ ./demo.sh --athena $step"
      "$0" "$step"
    done
    ;;
  *) sed -n '2,17s/^# \{0,1\}//p' "$0" ;;
esac
