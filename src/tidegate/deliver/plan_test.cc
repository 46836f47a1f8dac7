#include "tidegate/deliver/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tidegate::deliver {
namespace {

using contract::Delivery;
using contract::Folder;
using contract::TableMode;
using contract::TableName;
using contract::Version;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const TableName kOrders{"shop", "orders"};  // parts
const TableName kPlanes{"shop", "planes"};  // full

UtcTime At(const std::string& text) { return *ParseRfc3339(text); }
Delivery Of(const std::string& text) { return *contract::ParseDelivery(text); }

contract::TableEntry Parts() {
  contract::TableEntry entry;
  entry.name = kOrders;
  entry.mode = TableMode::kParts;
  entry.key = {"id"};
  entry.changed_at = "changed";
  return entry;
}

contract::TableEntry Full() {
  contract::TableEntry entry;
  entry.name = kPlanes;
  return entry;
}

DeliveryFacts Facts(const std::string& delivery) {
  DeliveryFacts facts;
  facts.delivery = Of(delivery);
  facts.now = At("2026-12-01T00:00:00Z");
  facts.tables = {Parts(), Full()};
  facts.source[kOrders] = {true, {{"id", "BIGINT"}, {"changed", "TIMESTAMP"}}, Status::Ok()};
  facts.source[kPlanes] = {true, {{"id", "BIGINT"}}, Status::Ok()};
  return facts;
}

State StateOf(const std::string& delivery, const char* from, const std::string& through) {
  State state;
  state.folder = {kOrders, TableMode::kParts, Of(delivery)};
  if (from != nullptr) state.window.from = At(from);
  state.window.through = At(through);
  return state;
}

/// Facts where the last delivery of orders is `state`.
DeliveryFacts After(const std::string& delivery, const State& state, bool sealed) {
  DeliveryFacts facts = Facts(delivery);
  facts.bucket[kOrders].state = state;
  facts.bucket[kOrders].state_sealed = sealed;
  return facts;
}

TablePlan PlanOf(const DeliveryFacts& facts, const TableName& name = kOrders) {
  const auto plan = PlanDelivery(facts);
  EXPECT_TRUE(plan.ok()) << plan.status().ToString();
  if (!plan.ok()) return {};
  for (const TablePlan& table : plan->tables) {
    if (table.folder.table == name) return table;
  }
  ADD_FAILURE() << name.ToString() << " is not in the plan";
  return {};
}

std::string WindowText(const TablePlan& plan) {
  if (!plan.window) return "none";
  return (plan.window->from ? FormatRfc3339(*plan.window->from) : "…") + " to " + FormatRfc3339(plan.window->through);
}

// C-40, C-7
TEST(DeliveryInstantTest, IsTheStartOfTheHourOrSevenUtc) {
  EXPECT_EQ(*DeliveryInstant(Of("v2/2026-11-03/03"), {}), At("2026-11-03T03:00:00Z"));
  EXPECT_EQ(*DeliveryInstant(Of("v1/2026-11-02"), {}), At("2026-11-02T07:00:00Z"));
  EXPECT_EQ(*DeliveryInstant(Of("v1/2026-11-02"), At("2026-11-02T09:30:00Z")), At("2026-11-02T09:30:00Z"));
  EXPECT_EQ(*DeliveryInstant(Of("v1/__initial__"), At("2026-10-01T00:00:00Z")), At("2026-10-01T00:00:00Z"));
}

TEST(DeliveryInstantTest, AnHourHasNoOtherInstantAndTheInitialNeedsOne) {
  EXPECT_EQ(DeliveryInstant(Of("v2/2026-11-03/03"), At("2026-11-03T03:00:00Z")).status().code(),
            Code::kInvalidArgument);
  EXPECT_EQ(DeliveryInstant(Of("v1/__initial__"), {}).status().code(), Code::kInvalidArgument);
}

TEST(PlanTest, TheFirstDeliveryTakesEverythingBeforeItsInstant) {
  const TablePlan plan = PlanOf(Facts("v2/2026-11-03/03"));
  EXPECT_EQ(plan.action, Action::kWrite);
  EXPECT_EQ(WindowText(plan), "… to 2026-11-03T03:00:00Z");
  EXPECT_THAT(plan.query, HasSubstr("IS NULL"));  // undated rows go with it
  EXPECT_EQ(plan.undated_query, "");
  EXPECT_EQ(plan.state->window, *plan.window);
}

TEST(PlanTest, TheNextWindowBeginsWhereASealedFolderEnded) {
  const State last = StateOf("v2/2026-11-03/03", "2026-11-02T07:00:00Z", "2026-11-03T03:00:00Z");
  const TablePlan plan = PlanOf(After("v2/2026-11-03/04", last, true));
  EXPECT_EQ(WindowText(plan), "2026-11-03T03:00:00Z to 2026-11-03T04:00:00Z");
  EXPECT_THAT(plan.query, HasSubstr("\"changed\" >= TIMESTAMP '2026-11-03T03:00:00'"));
  EXPECT_THAT(plan.query, HasSubstr("\"changed\" < TIMESTAMP '2026-11-03T04:00:00'"));
  EXPECT_THAT(plan.undated_query, HasSubstr("count(*)"));
}

TEST(PlanTest, AnUnsealedFoldersRowsAreTakenAgain) {
  const State last = StateOf("v2/2026-11-03/03", "2026-11-02T07:00:00Z", "2026-11-03T03:00:00Z");
  EXPECT_EQ(WindowText(PlanOf(After("v2/2026-11-03/04", last, false))), "2026-11-02T07:00:00Z to 2026-11-03T04:00:00Z");
  // The delivery itself, run again.
  EXPECT_EQ(WindowText(PlanOf(After("v2/2026-11-03/03", last, false))), "2026-11-02T07:00:00Z to 2026-11-03T03:00:00Z");
  const State first = StateOf("v2/2026-11-03/03", nullptr, "2026-11-03T03:00:00Z");
  EXPECT_EQ(WindowText(PlanOf(After("v2/2026-11-03/04", first, false))), "… to 2026-11-03T04:00:00Z");
}

TEST(PlanTest, SkippedHoursAreInTheNextWindow) {
  const State last = StateOf("v2/2026-11-03/03", "2026-11-02T07:00:00Z", "2026-11-03T03:00:00Z");
  EXPECT_EQ(WindowText(PlanOf(After("v2/2026-11-05/22", last, true))), "2026-11-03T03:00:00Z to 2026-11-05T22:00:00Z");
}

// C-40: v2 continues exactly where v1 stopped.
TEST(PlanTest, V2BeginsWhereV1Ended) {
  const State v1 = StateOf("v1/2026-11-02", "2026-11-01T07:00:00Z", "2026-11-02T07:00:00Z");
  const TablePlan plan = PlanOf(After("v2/2026-11-03/03", v1, true));
  EXPECT_EQ(WindowText(plan), "2026-11-02T07:00:00Z to 2026-11-03T03:00:00Z");
  EXPECT_EQ(plan.state->folder.delivery, Of("v2/2026-11-03/03"));
  EXPECT_EQ(WindowText(PlanOf(After("v2/2026-11-03/03", v1, false))), "2026-11-01T07:00:00Z to 2026-11-03T03:00:00Z");
}

TEST(PlanTest, ALateHourWhoseRowsWentOutLaterGetsAnEmptyWindowAndLeavesTheState) {
  const State last = StateOf("v2/2026-11-03/04", "2026-11-03T02:00:00Z", "2026-11-03T04:00:00Z");
  const TablePlan plan = PlanOf(After("v2/2026-11-03/03", last, true));
  EXPECT_EQ(WindowText(plan), "2026-11-03T03:00:00Z to 2026-11-03T03:00:00Z");
  EXPECT_EQ(plan.state, std::nullopt);
}

TEST(PlanTest, ALateHourBeforeAnUnsealedOneTakesItsShareAndTheStateGoesBack) {
  const State crashed = StateOf("v2/2026-11-03/05", "2026-11-03T02:00:00Z", "2026-11-03T05:00:00Z");
  const TablePlan plan = PlanOf(After("v2/2026-11-03/03", crashed, false));
  EXPECT_EQ(WindowText(plan), "2026-11-03T02:00:00Z to 2026-11-03T03:00:00Z");
  EXPECT_EQ(plan.state->folder.delivery, Of("v2/2026-11-03/03"));
  // The hour lies before what the unsealed one was to take: its rows are out already.
  const State later = StateOf("v2/2026-11-03/05", "2026-11-03T04:00:00Z", "2026-11-03T05:00:00Z");
  const TablePlan covered = PlanOf(After("v2/2026-11-03/03", later, false));
  EXPECT_EQ(WindowText(covered), "2026-11-03T03:00:00Z to 2026-11-03T03:00:00Z");
  EXPECT_EQ(covered.state, std::nullopt);
}

TEST(PlanTest, ADeliveryWhoseInstantWasAlreadyDeliveredStillMovesTheStateOn) {
  const State v1 = StateOf("v1/2026-11-02", "2026-11-01T07:00:00Z", "2026-11-02T12:00:00Z");  // --at
  const TablePlan plan = PlanOf(After("v2/2026-11-02/08", v1, true));
  EXPECT_EQ(WindowText(plan), "2026-11-02T12:00:00Z to 2026-11-02T12:00:00Z");
  EXPECT_EQ(plan.state->window.through, At("2026-11-02T12:00:00Z"));
}

// C-14
TEST(PlanTest, ASealedFolderIsNeverWrittenWhateverElseIsWrong) {
  DeliveryFacts facts = Facts("v2/2026-11-03/03");
  facts.bucket[kOrders].sealed = true;
  facts.bucket[kOrders].state_problem = Corruption("x");
  facts.source.clear();
  const TablePlan plan = PlanOf(facts);
  EXPECT_EQ(plan.action, Action::kSealed);
  EXPECT_EQ(plan.query, "");
}

TEST(PlanTest, LeftoversOfAnUnsealedFolderAreDeletedKeyByKey) {
  DeliveryFacts facts = Facts("v2/2026-11-03/03");
  facts.bucket[kPlanes].leftovers = {"v2/shop/planes/snapshot_date=2026-11-03/snapshot_hour=03/0000_part_00.parquet"};
  const TablePlan plan = PlanOf(facts, kPlanes);
  EXPECT_EQ(plan.action, Action::kFinish);
  EXPECT_EQ(plan.leftovers, facts.bucket[kPlanes].leftovers);
  facts.source[kPlanes].problem = InvalidArgument("no");
  EXPECT_THAT(PlanOf(facts, kPlanes).leftovers, IsEmpty());  // nothing is written instead, so nothing is deleted
}

// C-31, C-33
TEST(PlanTest, TablesThatTheSourceCannotGiveAreMissingAndTheOthersGoOn) {
  DeliveryFacts facts = Facts("v2/2026-11-03/03");
  facts.source[kPlanes] = {};
  EXPECT_EQ(PlanOf(facts, kPlanes).reason, "not in the source");
  EXPECT_EQ(PlanOf(facts, kOrders).action, Action::kWrite);
  facts.source[kPlanes] = {true, {}, InvalidArgument("secret table layout")};
  const auto plan = PlanDelivery(facts);
  const contract::Manifest manifest = ManifestOf(*plan, {});
  EXPECT_FALSE(manifest.complete);
  ASSERT_EQ(manifest.missing.size(), 1u);
  EXPECT_EQ(manifest.missing[0].reason, "its query fails in the source");  // the source's words stay with the vendor
  EXPECT_THAT(PrintPlan(*plan), HasSubstr("secret table layout"));
}

TEST(PlanTest, AChangeColumnThatIsNotThereOrNoTimeMakesTheTableMissing) {
  DeliveryFacts facts = Facts("v2/2026-11-03/03");
  facts.source[kOrders].columns = {{"id", "BIGINT"}};
  EXPECT_EQ(PlanOf(facts).action, Action::kMissing);
  facts.source[kOrders].columns = {{"changed", "VARCHAR"}};
  EXPECT_THAT(PlanOf(facts).detail, HasSubstr("'VARCHAR'"));
  facts.source[kOrders].columns = {{"Changed", "DATE"}};  // DuckDB does not tell case either
  EXPECT_EQ(PlanOf(facts).action, Action::kWrite);
}

// C-25
TEST(PlanTest, ColumnsThatDifferOnlyInCaseAreNotDelivered) {
  DeliveryFacts facts = Facts("v2/2026-11-03/03");
  facts.source[kPlanes].columns = {{"Id", "BIGINT"}, {"iD", "BIGINT"}};
  EXPECT_EQ(PlanOf(facts, kPlanes).action, Action::kMissing);
}

TEST(PlanTest, AColumnThatReadersReplaceIsSaid) {
  DeliveryFacts facts = Facts("v2/2026-11-03/03");
  facts.source[kPlanes].columns = {{"Snapshot_Hour", "BIGINT"}, {"etl_hour", "BIGINT"}};
  const auto plan = PlanDelivery(facts);
  EXPECT_THAT(plan->notes, ElementsAre(HasSubstr("'Snapshot_Hour'")));
  EXPECT_EQ(PlanOf(facts, kPlanes).action, Action::kWrite);
}

Status Refused(const DeliveryFacts& facts) {
  const auto plan = PlanDelivery(facts);
  EXPECT_FALSE(plan.ok());
  EXPECT_EQ(plan.status().code(), Code::kInvalidArgument);
  return plan.status();
}

TEST(PlanTest, AnInstantThatHasNotComeIsRefused) {
  DeliveryFacts facts = Facts("v2/2026-11-03/03");
  facts.now = At("2026-11-03T02:59:59.999999Z");
  EXPECT_THAT(Refused(facts).message(), HasSubstr("has not come yet"));
  facts.now = At("2026-11-03T03:00:00Z");
  EXPECT_TRUE(PlanDelivery(facts).ok());
}

// C-5
TEST(PlanTest, NamesThatReadersRefuseAreRefused) {
  for (const char* name : {"", "..", "_manifests", "a/b", "a.b", "\xc3\xa4", "a\n"}) {
    DeliveryFacts facts = Facts("v2/2026-11-03/03");
    facts.tables[1].name.schema = name;
    EXPECT_THAT(Refused(facts).message(), HasSubstr("readers refuse")) << name;
  }
}

TEST(PlanTest, APartsTableNeedsAChangeColumn) {
  DeliveryFacts facts = Facts("v2/2026-11-03/03");
  facts.tables[0].changed_at.reset();
  facts.tables[0].event_time = "changed";
  EXPECT_THAT(Refused(facts).message(), HasSubstr("changed_at"));
  facts.left_out = {kOrders};
  EXPECT_TRUE(PlanDelivery(facts).ok());
  facts.left_out.clear();
  facts.tables[0].append_only = true;  // each row once: its event time will do
  EXPECT_EQ(PlanOf(facts).action, Action::kWrite);
  facts.tables[0].append_only = false;
  facts.tables[0].key.clear();
  EXPECT_EQ(PlanOf(facts).action, Action::kWrite);
}

TEST(PlanTest, ALostStateMakesTheTableMissingUnlessItIsReseeded) {
  DeliveryFacts unreadable = Facts("v2/2026-11-03/05");
  unreadable.bucket[kOrders].state_problem = Corruption("v2/shop/orders/_STATE: not JSON");
  DeliveryFacts stale = After("v2/2026-11-03/05", StateOf("v2/2026-11-03/03", nullptr, "2026-11-03T03:00:00Z"), true);
  stale.bucket[kOrders].sealed_after_state = Of("v2/2026-11-03/04");
  DeliveryFacts gone = Facts("v2/2026-11-03/05");
  gone.bucket[kOrders].sealed_after_state = Of("v2/2026-11-03/04");
  for (DeliveryFacts facts : {unreadable, stale, gone}) {
    EXPECT_EQ(PlanOf(facts).action, Action::kMissing);
    EXPECT_THAT(PlanOf(facts).detail, HasSubstr("reseed"));
    facts.reseed = {kOrders};
    EXPECT_EQ(WindowText(PlanOf(facts)), "… to 2026-11-03T05:00:00Z");
  }
}

// C-14: "after the switch v1 receives nothing new"
TEST(PlanTest, V1IsClosedOnceV2HasBegun) {
  DeliveryFacts facts = Facts("v1/2026-11-02");
  facts.v2_begun = true;
  EXPECT_THAT(Refused(facts).message(), HasSubstr("v2 has begun"));
  facts.bucket[kOrders].sealed = facts.bucket[kPlanes].sealed = true;
  facts.manifest_text.clear();
  EXPECT_FALSE(PlanDelivery(facts).ok());  // the manifest is still to be written
  facts.v2_begun = false;
  facts.manifest_text = contract::WriteManifest(ManifestOf(*PlanDelivery(facts), {}));
  facts.v2_begun = true;
  EXPECT_TRUE(NothingToDo(*PlanDelivery(facts)));
}

TEST(PlanTest, TheInitialDeliveryHoldsPartsTablesAndHasNoManifest) {
  DeliveryFacts facts = Facts("v1/__initial__");
  facts.at = At("2026-10-01T00:00:00Z");
  const auto plan = PlanDelivery(facts);
  ASSERT_EQ(plan->tables.size(), 1u);
  EXPECT_EQ(plan->tables[0].folder.Path(), "v1/shop/orders/etl_date=__initial__");
  EXPECT_EQ(WindowText(plan->tables[0]), "… to 2026-10-01T00:00:00Z");
  EXPECT_FALSE(plan->has_manifest());
  EXPECT_FALSE(NothingToDo(*plan));
}

// C-31, C-36
TEST(PlanTest, TheManifestSaysHowToReadEachTable) {
  const auto v2 = ManifestOf(*PlanDelivery(Facts("v2/2026-11-03/03")), {});
  EXPECT_TRUE(v2.complete);
  ASSERT_EQ(v2.delivered.size(), 2u);
  EXPECT_EQ(v2.delivered[0].mode, TableMode::kParts);
  EXPECT_EQ(v2.delivered[0].delivered_through, At("2026-11-03T03:00:00Z"));
  EXPECT_EQ(v2.delivered[1].mode, TableMode::kFull);
  EXPECT_EQ(v2.delivered[1].delivered_through, std::nullopt);
  EXPECT_EQ(ManifestOf(*PlanDelivery(Facts("v1/2026-11-02")), {}).delivered[0].delivered_through, std::nullopt);
}

TEST(PlanTest, TablesLeftOutAreMissingFromTheManifestUnlessSealed) {
  DeliveryFacts facts = Facts("v2/2026-11-03/03");
  facts.left_out = {kPlanes};
  EXPECT_EQ(PlanOf(facts, kPlanes).action, Action::kLeftOut);
  EXPECT_EQ(ManifestOf(*PlanDelivery(facts), {}).missing.size(), 1u);
  facts.bucket[kPlanes].sealed = true;
  EXPECT_THAT(ManifestOf(*PlanDelivery(facts), {}).missing, IsEmpty());
}

TEST(PlanTest, TablesThatLeftTheCatalogStayInTheManifest) {
  DeliveryFacts facts = Facts("v2/2026-11-03/03");
  facts.manifest.emplace();
  facts.manifest->delivery = facts.delivery;
  facts.manifest->delivered = {{{"shop", "old"}, TableMode::kFull, false, {}, {}}};
  EXPECT_NE(ManifestOf(*PlanDelivery(facts), {}).FindDelivered({"shop", "old"}), nullptr);
}

// C-35
TEST(PlanTest, AReseedTakesTheWholeTableAndIsFlagged) {
  const State last = StateOf("v2/2026-11-03/03", nullptr, "2026-11-03T03:00:00Z");
  DeliveryFacts facts = After("v2/2026-11-03/04", last, true);
  facts.reseed = {kOrders};
  const TablePlan plan = PlanOf(facts);
  EXPECT_EQ(WindowText(plan), "… to 2026-11-03T04:00:00Z");
  EXPECT_EQ(plan.state->reseed_from, Of("v2/2026-11-03/04"));
  const auto manifest = ManifestOf(*PlanDelivery(facts), {});
  EXPECT_TRUE(manifest.FindDelivered(kOrders)->reseed);
  EXPECT_EQ(manifest.FindDelivered(kOrders)->reseed_from, Of("v2/2026-11-03/04"));
}

TEST(PlanTest, AReseedThatWasNotSealedIsTakenOverByTheNextDelivery) {
  State crashed = StateOf("v2/2026-11-03/04", nullptr, "2026-11-03T04:00:00Z");
  crashed.reseed_from = Of("v2/2026-11-03/04");
  const TablePlan plan = PlanOf(After("v2/2026-11-03/05", crashed, false));
  EXPECT_EQ(WindowText(plan), "… to 2026-11-03T05:00:00Z");
  EXPECT_EQ(plan.reseed_from, Of("v2/2026-11-03/05"));
}

TEST(PlanTest, AReseedThatNoManifestToldIsToldByTheNextDelivery) {
  State sealed = StateOf("v2/2026-11-03/04", nullptr, "2026-11-03T04:00:00Z");
  sealed.reseed_from = Of("v2/2026-11-03/04");
  DeliveryFacts facts = After("v2/2026-11-03/05", sealed, true);
  EXPECT_EQ(WindowText(PlanOf(facts)), "2026-11-03T04:00:00Z to 2026-11-03T05:00:00Z");
  EXPECT_EQ(PlanOf(facts).reseed_from, Of("v2/2026-11-03/04"));
  EXPECT_EQ(PlanOf(facts).state->reseed_from, Of("v2/2026-11-03/04"));
  facts.bucket[kOrders].reseed_announced = true;
  EXPECT_EQ(PlanOf(facts).reseed_from, std::nullopt);
  EXPECT_EQ(PlanOf(facts).state->reseed_from, std::nullopt);
}

TEST(PlanTest, AFinishedDeliveryKeepsItsReseedFlag) {
  State sealed = StateOf("v2/2026-11-03/04", nullptr, "2026-11-03T04:00:00Z");
  sealed.reseed_from = Of("v2/2026-11-03/04");
  DeliveryFacts facts = After("v2/2026-11-03/04", sealed, true);
  facts.bucket[kOrders].sealed = true;
  EXPECT_TRUE(ManifestOf(*PlanDelivery(facts), {}).FindDelivered(kOrders)->reseed);
  // Later deliveries have moved the state on: the manifest itself remembers.
  facts.bucket[kOrders].state = StateOf("v2/2026-11-03/06", "2026-11-03T05:00:00Z", "2026-11-03T06:00:00Z");
  EXPECT_FALSE(ManifestOf(*PlanDelivery(facts), {}).FindDelivered(kOrders)->reseed);
  facts.manifest.emplace();
  facts.manifest->delivered = {{kOrders, TableMode::kParts, true, {}, Of("v2/2026-11-03/04")}};
  EXPECT_TRUE(ManifestOf(*PlanDelivery(facts), {}).FindDelivered(kOrders)->reseed);
}

TEST(PlanTest, AReseedThatCannotBeIsRefused) {
  DeliveryFacts full = Facts("v2/2026-11-03/04");
  full.reseed = {kPlanes};
  EXPECT_THAT(Refused(full).message(), HasSubstr("comes in parts"));

  DeliveryFacts sealed = Facts("v2/2026-11-03/04");
  sealed.reseed = {kOrders};
  sealed.bucket[kOrders].sealed = true;
  EXPECT_THAT(Refused(sealed).message(), HasSubstr("next delivery"));

  DeliveryFacts late = After("v2/2026-11-03/04", StateOf("v2/2026-11-03/05", nullptr, "2026-11-03T05:00:00Z"), true);
  late.reseed = {kOrders};
  EXPECT_THAT(Refused(late).message(), HasSubstr("newest"));
}

TEST(PlanTest, ThePlanPrintsWhatItDoes) {
  DeliveryFacts facts = After("v2/2026-11-03/05", StateOf("v2/2026-11-03/04", nullptr, "2026-11-03T04:00:00Z"), true);
  facts.bucket[kPlanes].sealed = true;
  EXPECT_EQ(PrintPlan(*PlanDelivery(facts)),
            "delivery v2/2026-11-03/05, the data as of 2026-11-03T05:00:00Z\n"
            "write  v2/shop/orders/etl_date=2026-11-03/etl_hour=05  rows changed from 2026-11-03T04:00:00Z to "
            "2026-11-03T05:00:00Z\n"
            "sealed  v2/shop/planes/snapshot_date=2026-11-03/snapshot_hour=05\n");
  const OrderedJson json = ToJson(*PlanDelivery(facts));
  EXPECT_EQ(json["tables"][0]["action"], "write");
  EXPECT_EQ(json["tables"][1]["action"], "sealed");
  EXPECT_EQ(json["nothing_to_do"], false);
}

}  // namespace
}  // namespace tidegate::deliver
