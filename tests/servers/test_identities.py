"""SeaweedFS's STS takes the good tokens of an issuer and no others, from boto3, and from our own client if --program names its test,
which also takes a role with keys.

  test_identities.py [--program tidegate_identity_server_test]
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import oidc_issuer
import servers

PROGRAM = None
ROLE = "arn:aws:iam::role/reader"


class Identities(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not servers.SeaweedFs.is_installed():
            raise unittest.SkipTest("seaweedfs is not installed: tools/deps.sh build servers brings it")
        cls.issuer = cls.enterClassContext(oidc_issuer.Issuer())
        stranger = cls.enterClassContext(oidc_issuer.Issuer())
        iam = servers.web_identity(cls.issuer.url, cls.issuer.audience)
        trust = {"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": ["sts:AssumeRole"]}
        iam["roles"].append({**iam["roles"][0], "roleName": "taken", "roleArn": "arn:aws:iam::role/taken",
                             "trustPolicy": {"Version": "2012-10-17", "Statement": [trust]}})
        cls.server = cls.enterClassContext(servers.SeaweedFs(iam=iam))
        servers.client(cls.server).create_bucket(Bucket="mine")
        cls.bad = {"expired": cls.issuer.expired_token(), "forged": cls.issuer.forged_token(), "unsigned": cls.issuer.unsigned_token(),
                   "altered": cls.issuer.altered_token(), "stranger": stranger.token(), "audience": cls.issuer.token(aud="others")}

    def ask(self, token):
        sts = servers.client(self.server, "sts")
        return sts.assume_role_with_web_identity(RoleArn=ROLE, RoleSessionName="session", WebIdentityToken=token)["Credentials"]

    def test_a_good_token_gives_keys_that_work(self):
        keys = self.ask(self.issuer.token())
        s3 = servers.boto3().session.Session().client(
            "s3", endpoint_url=self.server.endpoint, region_name=self.server.region, aws_access_key_id=keys["AccessKeyId"],
            aws_secret_access_key=keys["SecretAccessKey"], aws_session_token=keys["SessionToken"])
        s3.put_object(Bucket="mine", Key="k", Body=b"x")
        self.assertEqual(s3.get_object(Bucket="mine", Key="k")["Body"].read(), b"x")

    def test_no_other_token_gives_keys(self):
        for name, token in self.bad.items():
            with self.subTest(name), self.assertRaises(servers.client(self.server, "sts").exceptions.ClientError):
                self.ask(token)

    def test_our_own_client_does_the_same(self):
        if not PROGRAM:
            self.skipTest("no --program")
        with tempfile.TemporaryDirectory(prefix="tidegate-tokens-") as folder:
            for name, token in {"good": self.issuer.token(), **self.bad}.items():
                (pathlib.Path(folder) / name).write_text(token + "\n")
            environment = {**os.environ, "TIDEGATE_TEST_STS": self.server.endpoint, "TIDEGATE_TEST_STS_KEY": self.server.access_key,
                           "TIDEGATE_TEST_STS_SECRET": self.server.secret_key, "TIDEGATE_TEST_TOKENS": folder}
            done = subprocess.run([PROGRAM, "--gtest_brief=1"], env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("SKIPPED", done.stdout)


if __name__ == "__main__":
    if "--program" in sys.argv:
        at = sys.argv.index("--program")
        PROGRAM = sys.argv[at + 1]
        del sys.argv[at:at + 2]
    unittest.main(verbosity=2)
