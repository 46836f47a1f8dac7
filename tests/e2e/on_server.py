"""A test whose buckets are on a real server, which is started for it, behind a fault proxy that counts what is asked."""
import contextlib
import unittest

import program
import bucket_folder
import checks
import fault_proxy
import servers

BUCKETS = ("deliveries", "lakes")


class Case(program.Case):
    """One server for all tests of the class. The program is led to the proxy, other readers straight to the server."""
    kind = servers.SeaweedFs

    @classmethod
    def setUpClass(cls):
        if not cls.kind.is_installed():
            raise unittest.SkipTest(f"{cls.kind.name} is not installed: tools/deps.sh build servers brings it")
        cls.server = cls.enterClassContext(cls.kind())
        cls.proxy = cls.enterClassContext(fault_proxy.FaultProxy(cls.server.endpoint))
        cls.s3 = servers.client(cls.server)
        cls.addClassCleanup(cls.s3.close)
        for bucket in BUCKETS:
            cls.s3.create_bucket(Bucket=bucket)

    def setUp(self):
        super().setUp()
        self.proxy.plan([])
        self.proxy.forget()
        self.environment = {**self.server.environment(), "AWS_ENDPOINT_URL": self.proxy.endpoint}
        self.tidegate = program.Tidegate(self.binary, self.folder / "cwd", self.environment)

    def place(self, url):
        return bucket_folder.Place(self.s3, url)

    def connect(self):
        db = checks.connect(program.EXTENSIONS, self.server)
        self.addCleanup(db.close)
        return db

    @contextlib.contextmanager
    def faults(self, *rules, seed=0):
        """These hold for a while."""
        self.proxy.plan(rules, seed)
        try:
            yield self.proxy
        finally:
            self.proxy.plan([])

    def shows_no_secret(self, done, *secrets):
        for secret in (self.server.secret_key, *secrets):
            self.assertNotIn(secret, done.out + done.err, "a secret is shown")
