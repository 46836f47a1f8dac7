"""A bucket of Google Cloud Storage, as far as tests fill it: over the JSON API, on a server that asks for no identity.

    bucket = Bucket(server.endpoint, "deliveries")
    bucket.create(); bucket.put("v2/…", b"…"); bucket.get("v2/…"); bucket.delete("v2/…"); bucket.upload(folder, "some/prefix")
"""
import json
import urllib.parse
import urllib.request

import bucket_folder


class Bucket:
    def __init__(self, endpoint, name):
        self.endpoint, self.name = endpoint, name
        self.uploaded = {}  # digests by key

    def create(self):
        body = json.dumps({"name": self.name}).encode()
        self._ask("POST", "/storage/v1/b?project=test", body, {"Content-Type": "application/json"})

    def put(self, key, data):
        self._ask("POST", f"/upload/storage/v1/b/{self.name}/o?uploadType=media&name={self._encoded(key)}", data,
                  {"Content-Type": "application/octet-stream"})

    def get(self, key):
        return self._ask("GET", f"/storage/v1/b/{self.name}/o/{self._encoded(key)}?alt=media")

    def delete(self, key):
        self._ask("DELETE", f"/storage/v1/b/{self.name}/o/{self._encoded(key)}")

    def upload(self, folder, prefix):
        """Makes the prefix hold what the folder holds; a seal comes after what it seals. What is there already stays the object that it is."""
        files = bucket_folder.files_of(folder)
        for key in sorted(files, key=lambda key: (key.endswith("/_SUCCESS"), key)):
            digest = bucket_folder.digest(files[key])
            if self.uploaded.get(f"{prefix}/{key}") != digest:
                self.put(f"{prefix}/{key}", files[key].read_bytes())
            self.uploaded[f"{prefix}/{key}"] = digest

    @staticmethod
    def _encoded(key):
        return urllib.parse.quote(key, safe="")

    def _ask(self, method, path, body=None, headers=None):
        request = urllib.request.Request(self.endpoint + path, data=body, method=method, headers=headers or {})
        with urllib.request.urlopen(request, timeout=30) as reply:
            return reply.read()
