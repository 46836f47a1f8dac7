#include "tidegate/app/request_cost.h"

#include <gtest/gtest.h>

namespace tidegate::app {
namespace {

store::StoreCounters Some() {
  store::StoreCounters out;
  out.lists = 1'000;
  out.deletes = 1'000;
  out.all.opens = 500;
  out.all.reads = 500;
  return out;
}

TEST(RequestCostTest, FollowsTheListPricesOfS3) {
  EXPECT_DOUBLE_EQ(RequestCostUsd(Some()), 0.005 + 0.0004);
  EXPECT_DOUBLE_EQ(RequestCostUsd({}), 0);
}

TEST(RequestCostTest, KindsAddUpToAllRequests) {
  const OrderedJson kinds = RequestsByKind(Some());
  uint64_t sum = 0;
  for (const auto& [kind, count] : kinds.items()) sum += count.get<uint64_t>();
  EXPECT_EQ(sum, Some().requests());
  EXPECT_EQ(kinds.size(), 4u);
}

TEST(RequestCostTest, IsToldInOneLine) {
  EXPECT_EQ(DescribeRequests(Some()), "3,000 requests (1,000 list, 500 open, 500 read, 1,000 delete), about $0.005400");
  EXPECT_EQ(DescribeRequests({}), "0 requests, about $0.000000");
}

}  // namespace
}  // namespace tidegate::app
