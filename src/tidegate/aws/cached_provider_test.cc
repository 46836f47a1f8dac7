#include "tidegate/aws/cached_provider.h"

#include <atomic>
#include <thread>

#include "tidegate/aws/test_machine.h"

namespace tidegate::aws {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;

/// Gives keys "K1", "K2", … that live for `life`, or fails.
class CountingSource final : public KeySource {
 public:
  explicit CountingSource(std::shared_ptr<FixedClock> clock) : clock_(std::move(clock)) {}

  Result<Credentials> Fetch() override {
    ++fetches;
    if (during) during();
    if (!fault.ok()) return fault;
    Credentials out{"K" + std::to_string(fetches), "S", "T"};
    if (life) out.expires = clock_->Now() + *life;
    return out;
  }
  std::string Describe() const override { return "counting"; }

  std::atomic<int> fetches{0};
  std::optional<seconds> life = hours(1);
  Status fault;
  std::function<void()> during = {};

 private:
  std::shared_ptr<FixedClock> clock_;
};

class CachedProviderTest : public ::testing::Test {
 protected:
  CachedProviderTest() {
    auto source = std::make_unique<CountingSource>(machine_.clock);
    source_ = source.get();
    provider_ = std::make_unique<CachedProvider>(std::move(source), machine_.clock);
  }
  std::string Id() {
    const auto keys = provider_->Get();
    return keys.ok() ? (*keys)->access_key_id : keys.status().ToString();
  }
  void Pass(seconds time) { machine_.clock->Set(machine_.clock->Now() + time); }

  Machine machine_;
  CountingSource* source_ = nullptr;
  std::unique_ptr<CachedProvider> provider_;
};

TEST_F(CachedProviderTest, KeysAreKeptUntilFiveMinutesBeforeTheirEnd) {
  EXPECT_EQ(Id(), "K1");
  Pass(minutes(55) - seconds(1));
  EXPECT_EQ(Id(), "K1");
  Pass(seconds(1));
  EXPECT_EQ(Id(), "K2");
}

TEST_F(CachedProviderTest, ShortLivedKeysAreKeptForThreeQuartersOfTheirLife) {
  source_->life = minutes(4);
  EXPECT_EQ(Id(), "K1");
  Pass(minutes(3) - seconds(1));
  EXPECT_EQ(Id(), "K1");
  Pass(seconds(1));
  EXPECT_EQ(Id(), "K2");
}

TEST_F(CachedProviderTest, KeysThatLastAreFetchedOnceAndAgainOnRequest) {
  source_->life = std::nullopt;
  EXPECT_EQ(Id(), "K1");
  Pass(hours(10'000));
  EXPECT_EQ(Id(), "K1");
  provider_->Refresh();
  EXPECT_EQ(Id(), "K2");
}

TEST_F(CachedProviderTest, ManyRequestsToRefreshAtOnceFetchOnce) {
  EXPECT_EQ(Id(), "K1");
  Pass(seconds(5));
  for (int i = 0; i < 10; ++i) {
    provider_->Refresh();
    EXPECT_EQ(Id(), "K2");
  }
}

TEST_F(CachedProviderTest, AFailedFetchIsNoFailureWhileTheOldKeysAreValid) {
  EXPECT_EQ(Id(), "K1");
  Pass(minutes(56));
  source_->fault = Unavailable("STS is away");
  EXPECT_EQ(Id(), "K1");
  EXPECT_THAT(machine_.secrets.log, HasSubstr("the old ones are used until 2026-11-03T04:00:00Z: STS is away"));
  EXPECT_EQ(Id(), "K1");
  EXPECT_EQ(source_->fetches, 2);  // not again at once
  Pass(minutes(1));
  source_->fault = {};
  EXPECT_EQ(Id(), "K3");
}

TEST_F(CachedProviderTest, AFailedFetchFailsWhereTheOldKeysRanOutOrWereRefused) {
  EXPECT_EQ(Id(), "K1");
  source_->fault = Unavailable("STS is away");
  Pass(minutes(10));
  provider_->Refresh();
  EXPECT_THAT(Id(), HasSubstr("STS is away"));
  EXPECT_THAT(Id(), HasSubstr("STS is away"));
  source_->fault = {};
  EXPECT_EQ(Id(), "K4");
  source_->fault = Unavailable("STS is away");
  Pass(hours(2));
  EXPECT_THAT(Id(), HasSubstr("STS is away"));
}

TEST_F(CachedProviderTest, KeysThatArriveTooOldAreRefused) {
  source_->life = seconds(0);
  EXPECT_EQ(provider_->Get().status().code(), Code::kUnauthenticated);
  EXPECT_THAT(provider_->Get().status().message(), HasSubstr("ran out at 2026-11-03T03:00:00Z"));
}

TEST_F(CachedProviderTest, ThreadsThatNeedKeysShareOneFetch) {
  std::vector<std::thread> threads;
  std::atomic<int> started{0};
  source_->during = [&] {
    while (started < 8) std::this_thread::yield();
  };
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      ++started;
      EXPECT_EQ(Id(), "K1");
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(source_->fetches, 1);
}

TEST_F(CachedProviderTest, WhileOneThreadFetchesTheOthersGoOnWithTheOldKeys) {
  EXPECT_EQ(Id(), "K1");
  Pass(minutes(56));
  std::string meanwhile;
  source_->during = [&] { std::thread([&] { meanwhile = Id(); }).join(); };
  EXPECT_EQ(Id(), "K2");
  EXPECT_EQ(meanwhile, "K1");
}

TEST(AnonymousProviderTest, ThereAreNoKeys) {
  AnonymousProvider provider;
  provider.Refresh();
  EXPECT_FALSE(provider.Get()->has_value());
  EXPECT_THAT(provider.Describe(), HasSubstr("anonymous"));
}

}  // namespace
}  // namespace tidegate::aws
