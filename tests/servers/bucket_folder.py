"""A bucket as a folder: what one holds is brought to the other, object by object, and what is equal on both sides stays as it is.

    place = Place(s3, "s3://bucket/some/prefix")
    place.upload(folder); place.download(folder); place.keys(); place.get("v1/_manifests/…"); place.put("a", b"…"); place.delete(["a"])
"""
import hashlib
import pathlib


def split(url):
    """(bucket, what stands before each key) of "s3://bucket/some/prefix"."""
    bucket, _, prefix = url.removeprefix("s3://").partition("/")
    return bucket, prefix.rstrip("/") + "/" if prefix.strip("/") else ""


def files_of(folder):
    return {str(p.relative_to(folder)): p for p in sorted(pathlib.Path(folder).rglob("*")) if p.is_file()}


def digest(file):
    return hashlib.md5(file.read_bytes()).hexdigest()


class Place:
    """What lies below a URL. Keys are relative to it. Small objects only: an ETag is the MD5 of one that came in one piece."""

    def __init__(self, s3, url):
        self.s3, self.url = s3, url
        self.bucket, self.head = split(url)

    def objects(self):
        pages = self.s3.get_paginator("list_objects_v2").paginate(Bucket=self.bucket, Prefix=self.head)
        return {o["Key"][len(self.head):]: o for page in pages for o in page.get("Contents", [])}

    def keys(self):
        return sorted(self.objects())

    def etags(self):
        return {key: o["ETag"].strip('"') for key, o in self.objects().items()}

    def get(self, key):
        return self.s3.get_object(Bucket=self.bucket, Key=self.head + key)["Body"].read()

    def put(self, key, data):
        self.s3.put_object(Bucket=self.bucket, Key=self.head + key, Body=data)

    def delete(self, keys):
        for key in keys:
            self.s3.delete_object(Bucket=self.bucket, Key=self.head + key)

    def upload(self, folder):
        """Makes the bucket hold what the folder holds; a seal comes after what it seals."""
        files, there = files_of(folder), self.etags()
        self.delete(there.keys() - files.keys())
        for key in sorted(files, key=lambda key: (key.endswith("/_SUCCESS"), key)):
            if there.get(key) != digest(files[key]):
                self.put(key, files[key].read_bytes())

    def download(self, folder):
        """Makes the folder hold what the bucket holds."""
        folder, there = pathlib.Path(folder), self.etags()
        here = files_of(folder)
        for key in here.keys() - there.keys():
            here[key].unlink()
        for key, etag in there.items():
            if key in here and digest(here[key]) == etag:
                continue
            file = folder / key
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(self.get(key))
