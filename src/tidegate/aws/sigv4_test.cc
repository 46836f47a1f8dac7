#include "tidegate/aws/sigv4.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidegate::aws {
namespace {

// Signed by botocore 1.44.8 (S3SigV4Auth) at 2026-11-03T03:04:05Z for eu-central-1, with the example keys of AWS's
// documents.
struct Vector {
  const char *method, *origin, *path, *query;
  std::vector<net::HttpHeader> headers;
  const char *body, *token, *signed_headers, *signature;
};

const Vector kVectors[] = {
    {"GET",
     "http://127.0.0.1:8333",
     "/bucket/v2/shop/orders/dt%3D1/a%20b.parquet",
     "",
     {{"range", "bytes=0-7"}},
     "",
     "",
     "host;range;x-amz-content-sha256;x-amz-date",
     "156c11bcb645d8fff23d5e9fb8f9c1e0813270a9f4caa341418537d0ebe54a1f"},
    {"GET",
     "https://bucket.s3.eu-central-1.amazonaws.com",
     "/",
     "delimiter=%2F&encoding-type=url&list-type=2&prefix=v2%2Fshop%2F&start-after=v2%2Fshop%2Fetl_date%3D2026-11-03",
     {},
     "",
     "",
     "host;x-amz-content-sha256;x-amz-date",
     "8c5463f43ea304d854b86dffada6f918a63a2c330c82f27151ff4471c4c36424"},
    {"POST",
     "https://s3.us-east-1.amazonaws.com",
     "/bucket/key",
     "restore=",
     {{"content-type", "application/xml"}},
     "<RestoreRequest/>",
     "TOKEN/with+chars==",
     "content-type;host;x-amz-content-sha256;x-amz-date;x-amz-security-token",
     "404208b828f28b4301694c1ce84cae7ebae77c14416a2ac1d787279970b1587e"},
    {"PUT",
     "http://localhost:80",
     "/b/caf%C3%A9/~x-y_z.%2F%25",
     "",
     {{"if-none-match", "*"}, {"x-amz-meta-tidegate-put", "  a   b  "}},
     "some bytes",
     "",
     "host;if-none-match;x-amz-content-sha256;x-amz-date;x-amz-meta-tidegate-put",
     "1f325287bc6ebf50f5450b4cf9597e2ede738720429c6612435c8b380efcbf9a"}};

std::string HeaderOf(const net::HttpRequest& request, std::string_view name) {
  for (const net::HttpHeader& header : request.headers) {
    if (header.name == name) return header.value;
  }
  return "";
}

TEST(SigV4Test, SignsAsBotocoreDoes) {
  for (const Vector& vector : kVectors) {
    net::HttpRequest request{
        .method = vector.method, .origin = vector.origin, .path = vector.path, .query = vector.query};
    request.headers = vector.headers;
    request.body = vector.body;
    const Credentials credentials{.access_key_id = "AKIDEXAMPLE",
                                  .secret_access_key = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
                                  .session_token = vector.token};
    SignRequest(credentials, {"eu-central-1", "s3"}, *ParseRfc3339("2026-11-03T03:04:05Z"), Sha256Hex(request.body),
                request);
    EXPECT_EQ(
        HeaderOf(request, "authorization"),
        std::string("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20261103/eu-central-1/s3/aws4_request, SignedHeaders=") +
            vector.signed_headers + ", Signature=" + vector.signature);
  }
}

TEST(SigV4Test, EncodesPathsAndQueries) {
  EXPECT_EQ(UriEncode("v2/dt=1/a b+c~é", true), "v2/dt%3D1/a%20b%2Bc~%C3%A9");
  EXPECT_EQ(UriEncode("a/b", false), "a%2Fb");
  EXPECT_EQ(EncodeQuery({{"uploads", ""}, {"prefix", "a/b"}, {"a", "2"}, {"a", "1"}}), "a=1&a=2&prefix=a%2Fb&uploads=");
}

TEST(SigV4Test, HashesAsEverybodyDoes) {
  EXPECT_EQ(Sha256Hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");  // FIPS 180-2
}

}  // namespace
}  // namespace tidegate::aws
