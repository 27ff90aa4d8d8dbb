#include "http/status.h"

#include <gtest/gtest.h>

namespace transcode {
namespace {

TEST(Status, MapsEachGrpcCodeToItsHttpStatus) {
  const int wanted[] = {200, 499, 500, 400, 504, 404, 409, 403, 429,
                        400, 409, 400, 501, 500, 503, 500, 401};
  for (int code = 0; code < 17; ++code) EXPECT_EQ(HttpStatusOf(code), wanted[code]) << code;
  for (const int code : {-1, 17, 1000000}) EXPECT_EQ(HttpStatusOf(code), 500) << code;
}

TEST(Status, MapsTheHttpStatusOfAServerWithoutGrpc) {
  const std::pair<int, int> wanted[] = {{400, 13}, {401, 16}, {403, 7},  {404, 12}, {429, 14},
                                        {502, 14}, {503, 14}, {504, 14}, {500, 2},  {204, 2}};
  for (const auto& [http, grpc] : wanted) EXPECT_EQ(GrpcCodeOf(http), grpc) << http;
}

TEST(Status, SaysWhatAnErrorSaysWithoutTheNameOfItsCode) {
  Error error = MakeError(Code::kInvalidArgument, "the value is not right");
  error.path = "a.b";
  error.expected = "int32";
  error.got = "\"x\"";
  const GrpcStatus status = StatusOf(error);
  EXPECT_EQ(status.code, 3);
  EXPECT_EQ(status.message, "the value is not right at a.b: expected int32, got \"x\"");
}

TEST(Status, IsJsonAlsoWithDetailsThatNobodyKnows) {
  Buffer out;
  AppendStatusJson({5, "no \"x\"", ""}, nullptr, out);
  EXPECT_EQ(out.view(), R"({"code":5,"message":"no \"x\"","details":[]})");
  out.Clear();
  // Of google.rpc.Status: details = 3, an Any of type_url "t/u.V" and value "\1\2".
  AppendStatusJson({13, "", "\x1a\x0b\x0a\x05t/u.V\x12\x02\x01\x02"}, nullptr, out);
  EXPECT_EQ(out.view(), R"({"code":13,"message":"","details":[{"@type":"t/u.V","value":"AQI="}]})");
}

}  // namespace
}  // namespace transcode
