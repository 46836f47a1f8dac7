"""An OpenID issuer for tests: its keys are made when it starts and served on the loopback interface, its tokens are real.

    with Issuer() as issuer, servers.SeaweedFs(iam=servers.web_identity(issuer.url, issuer.audience)) as server:
        issuer.token(), issuer.token(exp=int(time.time()) - 60), issuer.forged_token()

Serves /jwks and /.well-known/openid-configuration.
"""
import base64
import http.server
import json
import threading
import time

import servers


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Issuer:
    audience = "client"

    def __init__(self):
        servers.boto3()  # cryptography stands beside it
        self.key = self.new_key()

    @staticmethod
    def new_key():
        from cryptography.hazmat.primitives.asymmetric import rsa
        return rsa.generate_private_key(public_exponent=65537, key_size=2048)

    def documents(self):
        numbers = self.key.public_key().public_numbers()
        big = {name: base64url(value.to_bytes((value.bit_length() + 7) // 8, "big")) for name, value in (("n", numbers.n), ("e", numbers.e))}
        jwks = {"keys": [{"kty": "RSA", "kid": "1", "use": "sig", "alg": "RS256", **big}]}
        about = {"issuer": self.url, "jwks_uri": f"{self.url}/jwks", "id_token_signing_alg_values_supported": ["RS256"],
                 "response_types_supported": ["id_token"], "subject_types_supported": ["public"]}
        return {"/jwks": json.dumps(jwks).encode(), "/.well-known/openid-configuration": json.dumps(about).encode()}

    def start(self):
        issuer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                body = issuer.documents().get(self.path)
                self.send_response(404 if body is None else 200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body or b"")))
                self.end_headers()
                self.wfile.write(body or b"")

            def log_message(self, *_):
                pass
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def token(self, key=None, header=None, **claims):
        """Good for ten minutes, unless the claims say otherwise."""
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.asymmetric import padding
        now = int(time.time())
        claims = {"iss": self.url, "aud": self.audience, "sub": "someone", "iat": now, "exp": now + 600, **claims}
        header = {"alg": "RS256", "kid": "1", "typ": "JWT", **(header or {})}
        signed = ".".join(base64url(json.dumps(part).encode()) for part in (header, claims))
        return f"{signed}.{base64url((key or self.key).sign(signed.encode(), padding.PKCS1v15(), hashes.SHA256()))}"

    def expired_token(self):
        now = int(time.time())
        return self.token(iat=now - 1200, exp=now - 600)

    def forged_token(self):
        """Says that it is ours, and is signed with another key."""
        return self.token(key=self.new_key())

    def unsigned_token(self):
        """Says that it needs no signature."""
        return self.token(header={"alg": "none"}).rpartition(".")[0] + "."

    def altered_token(self):
        """Our signature below other claims."""
        theirs, ours = self.token(sub="somebody else").split("."), self.token().split(".")
        return ".".join((*theirs[:2], ours[2]))

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.close()
