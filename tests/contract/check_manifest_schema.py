#!/usr/bin/env python3
"""Holds manifests against the JSON Schema of what tidegate writes (docs/formats/manifest.schema.json).

    check_manifest_schema.py SCHEMA MANIFEST...

The manifests must be valid. So that the schema cannot pass everything, each is then broken in every way listed below,
and no broken one may be valid. Exits 0 or 1. Needs jsonschema.
"""

import copy
import json
import sys

import jsonschema


def broken_versions(manifest):
    """Yields (what was broken, manifest) for each way that applies."""

    def changed(what, change):
        other = copy.deepcopy(manifest)
        change(other)
        return what, other

    for field in manifest:
        yield changed(f"without {field}", lambda m: m.pop(field))
        yield changed(f"{field} is null", lambda m: m.update({field: None}))
    yield changed("unknown field", lambda m: m.update(extra=1))
    yield changed("complete turned round", lambda m: m.update(complete=not m["complete"]))
    yield changed("short date", lambda m: m.update(snapshot_date="2026-11-3"))
    for hour in ("3", "24", 3):
        yield changed(f"hour {hour!r}", lambda m: m.update(snapshot_hour=hour))
    for part in ("tables_delivered", "tables_missing", "tables_pending"):
        for at, entry in enumerate(manifest.get(part, [])):
            where = f"{part}[{at}]"
            yield changed(f"{where} twice", lambda m: m[part].append(copy.deepcopy(m[part][at])))
            yield changed(f"{where} as a text", lambda m: m[part].__setitem__(at, "shop.orders"))
            yield changed(f"{where} with an unknown field", lambda m: m[part][at].update(extra=1))
            yield changed(f"{where} with a bad name", lambda m: m[part][at].update(table="a b"))
            for field in entry:
                yield changed(f"{where}.{field} is null", lambda m: m[part][at].update({field: None}))
                if field not in ("reseed_from", "delivered_through"):
                    yield changed(f"{where} without {field}", lambda m: m[part][at].pop(field))


def main(schema_path, manifest_paths):
    with open(schema_path, encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    wrong = 0
    for path in manifest_paths:
        with open(path, encoding="utf-8") as file:
            manifest = json.load(file)
        for error in validator.iter_errors(manifest):
            print(f"{path}: {error.json_path}: {error.message}")
            wrong += 1
        broken = list(broken_versions(manifest))
        for what, other in broken:
            if validator.is_valid(other):
                print(f"{path}: the schema lets this pass: {what}")
                wrong += 1
        print(f"{path}: held against the schema, with {len(broken)} broken versions")
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2:]))
