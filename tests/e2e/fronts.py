"""What may stand between a client and a server: TLS with a certificate of one's own, and an HTTP proxy. Loopback only."""
import contextlib
import http.client
import http.server
import pathlib
import socket
import ssl
import subprocess
import threading
import urllib.parse


def make_certificate(folder):
    """(certificate, key) for localhost, its names below, and 127.0.0.1; the certificate is its own CA."""
    certificate, key = pathlib.Path(folder, "cert.pem"), pathlib.Path(folder, "key.pem")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-keyout", key, "-out", certificate,
                    "-addext", "subjectAltName=DNS:localhost,DNS:*.localhost,IP:127.0.0.1"], check=True, capture_output=True)
    return certificate, key


def relay(source, target):
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
    for side in (source, target):
        with contextlib.suppress(OSError):
            side.shutdown(socket.SHUT_RDWR)


class TlsFront:
    """https://localhost:PORT before a server that speaks plain HTTP."""

    def __init__(self, endpoint, folder):
        target = urllib.parse.urlsplit(endpoint)
        self.target = (target.hostname, target.port)
        self.certificate, key = make_certificate(folder)
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(self.certificate, key)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.endpoint = f"https://localhost:{self.port}"
        self.thread = threading.Thread(target=self.accept, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.listener.close()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        try:
            client = self.context.wrap_socket(connection, server_side=True)
        except (OSError, ssl.SSLError):
            return connection.close()
        with client, socket.create_connection(self.target) as server:
            back = threading.Thread(target=relay, args=(server, client), daemon=True)
            back.start()
            relay(client, server)
            back.join()


class Proxy:
    """An HTTP proxy that counts what goes through it."""

    def __enter__(self):
        proxy = self
        self.requests = []

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def forward(self):
                url = urllib.parse.urlsplit(self.path)
                proxy.requests.append(f"{self.command} {url.path}")
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                connection = http.client.HTTPConnection(url.hostname, url.port, timeout=30)
                path = url.path + ("?" + url.query if url.query else "")
                connection.putrequest(self.command, path, skip_host=True, skip_accept_encoding=True)
                for name, value in self.headers.items():
                    connection.putheader(name, value)
                connection.endheaders(body)
                reply = connection.getresponse()
                data = reply.read()
                self.send_response_only(reply.status)
                for name, value in reply.getheaders():
                    if name.lower() not in ("transfer-encoding", "connection") and (name.lower() != "content-length" or self.command == "HEAD"):
                        self.send_header(name, value)
                if self.command != "HEAD":
                    self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)
                connection.close()

            do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = forward

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
