// tidegate_signature_bench [ROWS [ROUNDS [THREADS [TABLE]]]]: the content signature of Parquet files beside DuckDB's
// own sum(hash(all columns)) over the same files, in one process, in turn: medians and ratios.
//
// The tables are made by DuckDB: narrow integers, doubles, long strings, decimals and times, a wide one of mixed types
// in the shape of TPC-H's lineitem. Before anything is timed, the signature is compared with the one that DuckDB
// computes in SQL.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include "tidegate/base/temp_dir_for_test.h"
#include "tidegate/engine/duckdb/duckdb_engine.h"
#include "tidegate/signature/sign_parquet.h"
#include "tidegate/signature/sign_stream.h"
#include "tidegate/signature/signature_sql.h"
#include "tidegate/store/local/local_object_store.h"

namespace {

using namespace tidegate;

struct BenchTable {
  std::string name;
  std::string columns;
};

const std::vector<BenchTable> kTables = {
    {"integers", "(random() * 1e9)::INT a, i b, (random() * 1000)::INT c, (i % 7)::SMALLINT d"},
    {"doubles", "random() a, random() * 1e6 b, (random() * 1000)::INT::DOUBLE c, random()::FLOAT d"},
    {"strings", "md5(i::VARCHAR) || md5((i + 1)::VARCHAR) || repeat('x', (i % 50)::INT) s, i k"},
    {"decimals",
     "i k, (random() * 1e5)::DECIMAL(15,2) a, (random() * 1e5)::DECIMAL(18,6) b, TIMESTAMP '2020-01-01' + "
     "to_seconds((random() * 1e8)::INT) t, TIMESTAMPTZ '2020-01-01' + to_microseconds((random() * 1e14)::BIGINT) u, "
     "DATE '2020-01-01' + (random() * 1000)::INT d"},
    {"lineitem",
     "i // 4 l_orderkey, (random() * 200000)::BIGINT l_partkey, (random() * 10000)::BIGINT l_suppkey, i % 7 "
     "l_linenumber, "
     "(1 + random() * 49)::INT::DECIMAL(15,2) l_quantity, (900 + random() * 100000)::DECIMAL(15,2) l_extendedprice, "
     "(random() * 0.1)::DECIMAL(15,2) l_discount, (random() * 0.08)::DECIMAL(15,2) l_tax, ['A', 'N', 'R'][1 + i % 3] "
     "l_returnflag, "
     "['O', 'F'][1 + i % 2] l_linestatus, DATE '1992-01-01' + (random() * 2500)::INT l_shipdate, "
     "DATE '1992-01-01' + (random() * 2500)::INT l_commitdate, DATE '1992-01-01' + (random() * 2500)::INT "
     "l_receiptdate, "
     "['DELIVER IN PERSON', 'COLLECT COD', 'NONE', 'TAKE BACK RETURN'][1 + i % 4] l_shipinstruct, "
     "['MAIL', 'AIR', 'SHIP', 'TRUCK', 'RAIL'][1 + i % 5] l_shipmode, "
     "substr(md5(i::VARCHAR) || md5(i::VARCHAR), 1, 10 + (random() * 33)::INT) l_comment"},
};

/// Seconds on the clock, and of all processors together: the second holds on a machine that is busy with other work.
struct Timing {
  double wall = 0;
  double cpu = 0;
};

template <typename Work>
Timing Measure(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t cpu = std::clock();
  work();
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
          static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC};
}

double Median(const std::vector<Timing>& timings, double Timing::*part) {
  std::vector<double> values;
  values.reserve(timings.size());
  for (const Timing& timing : timings) values.push_back(timing.*part);
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

class Bench {
 public:
  Bench(engine::DuckDb db, std::unique_ptr<store::ObjectStore> objects, std::string folder, int64_t rows, int rounds,
        size_t threads)
      : db_(std::move(db)),
        store_(std::move(objects)),
        folder_(std::move(folder)),
        rows_(rows),
        rounds_(rounds),
        threads_(threads) {}

  Status Run(const BenchTable& table) {
    const std::string name = table.name + ".parquet";
    const std::string relation = "read_parquet(" + engine::SqlText(folder_ + "/" + name) + ")";
    TG_RETURN_IF_ERROR(db_.Execute("SELECT setseed(0.5)"));
    TG_RETURN_IF_ERROR(db_.Execute("COPY (SELECT " + table.columns + " FROM range(" + std::to_string(rows_) +
                                   ") t(i)) TO " + engine::SqlText(folder_ + "/" + name)));
    TG_ASSIGN_OR_RETURN(const store::ObjectInfo file, store_->Head(name));
    TG_ASSIGN_OR_RETURN(const auto described,
                        db_.QueryAll("SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM " + relation + ")"));
    std::vector<signature::SqlColumn> columns;
    std::string names;
    for (const auto& row : described) {
      columns.push_back({*row.at(0), *row.at(1)});
      names += (names.empty() ? "" : ", ") + engine::SqlName(*row.at(0));
    }
    TG_RETURN_IF_ERROR(Compare(file, columns, relation));
    return Time(table.name, file, "SELECT sum(hash(" + names + ")) FROM " + relation);
  }

 private:
  Result<signature::ContentSignature> Sign(const store::ObjectInfo& file) {
    return signature::SignParquet(*store_, {file}, {.threads = threads_});
  }

  Status Compare(const store::ObjectInfo& file, const std::vector<signature::SqlColumn>& columns,
                 const std::string& relation) {
    TG_ASSIGN_OR_RETURN(const auto ours, Sign(file));
    TG_ASSIGN_OR_RETURN(const std::string sql, signature::SignatureSql(columns, relation));
    std::string theirs;
    Status failed;
    sql_seconds_ = Measure([&] {
                     const auto rows = db_.QueryAll(sql);
                     if (rows.ok()) theirs = rows->at(0).at(0).value_or("");
                     failed = rows.status();
                   }).wall;
    TG_RETURN_IF_ERROR(failed);
    std::string streamed;
    stream_seconds_ = Measure([&] {
                        ArrowArrayStream stream{};
                        failed = db_.Stream("SELECT * FROM " + relation, &stream);
                        if (!failed.ok()) return;
                        const auto signature = signature::SignStream(&stream);
                        if (signature.ok()) streamed = signature->ToString();
                        failed = signature.status();
                      }).wall;
    TG_RETURN_IF_ERROR(failed);
    if (streamed != theirs) return Internal("two signatures: " + streamed + " and " + theirs);
    return theirs == ours.ToString() ? Status() : Internal("two signatures: " + ours.ToString() + " and " + theirs);
  }

  Status Time(const std::string& name, const store::ObjectInfo& file, const std::string& hash_sql) {
    std::vector<Timing> ours;
    std::vector<Timing> theirs;
    Status failed;
    for (int round = 0; round < rounds_; ++round) {
      ours.push_back(Measure([&] {
        const auto signature = Sign(file);
        if (!signature.ok()) failed = signature.status();
      }));
      theirs.push_back(Measure([&] {
        const auto rows = db_.QueryAll(hash_sql);
        if (!rows.ok()) failed = rows.status();
      }));
      TG_RETURN_IF_ERROR(failed);
    }
    Print(name, file, ours, theirs);
    return {};
  }

  void Print(const std::string& name, const store::ObjectInfo& file, const std::vector<Timing>& ours,
             const std::vector<Timing>& theirs) const {
    const double wall = Median(ours, &Timing::wall);
    const double cpu = Median(ours, &Timing::cpu);
    const double their_wall = Median(theirs, &Timing::wall);
    const double their_cpu = Median(theirs, &Timing::cpu);
    const double nanos = 1e9 / static_cast<double>(rows_);
    std::printf(
        "%-9s %7.3f s %6.1f ns of cpu/row | %7.3f s %6.1f ns of cpu/row | ratio %.2f, of cpu %.2f | "
        "%.2f s in SQL, %.2f s as a stream | %.0f MB\n",
        name.c_str(), wall, cpu * nanos, their_wall, their_cpu * nanos, wall / their_wall, cpu / their_cpu,
        sql_seconds_, stream_seconds_, static_cast<double>(file.size_bytes) / 1e6);
    std::fflush(stdout);
  }

  engine::DuckDb db_;
  std::unique_ptr<store::ObjectStore> store_;
  std::string folder_;
  int64_t rows_;
  int rounds_;
  size_t threads_;
  double sql_seconds_ = 0;
  double stream_seconds_ = 0;
};

/// only: a table's name, or nothing for all.
Status RunAll(int64_t rows, int rounds, int threads, const std::string& only) {
  const TempDirForTest folder("tidegate-bench");
  TG_ASSIGN_OR_RETURN(auto db, engine::DuckDb::Open(":memory:", {.threads = threads}));
  TG_ASSIGN_OR_RETURN(auto store, store::LocalObjectStore::Make(folder.path().string()));
  Bench bench(std::move(db), std::move(store), folder.path().string(), rows, rounds, static_cast<size_t>(threads));
  std::printf(
      "%lld rows, %d threads, medians of %d rounds; signature | DuckDB's sum(hash(…)); a ratio below 1 is faster\n",
      static_cast<long long>(rows), threads, rounds);
  for (const BenchTable& table : kTables) {
    if (only.empty() || only == table.name) TG_RETURN_IF_ERROR(bench.Run(table));
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  const auto argument = [&](int i, int otherwise) { return argc > i ? std::atoi(argv[i]) : otherwise; };
  const Status done = RunAll(argument(1, 3'000'000), argument(2, 5), argument(3, 2), argc > 4 ? argv[4] : "");
  if (!done.ok()) std::fprintf(stderr, "%s\n", done.ToString().c_str());
  return done.ok() ? 0 : 1;
}
