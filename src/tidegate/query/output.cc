#include "tidegate/query/output.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <vector>

#include "tidegate/base/text.h"
#include "tidegate/engine/duckdb/json_text.h"
#include "tidegate/query/printable.h"

namespace tidegate::query {
namespace {

using engine::ResultColumn;
using engine::TextRow;

constexpr size_t kMinCutWidth = 8;       // columns of a terminal: no cell is cut below this
constexpr size_t kFlushBytes = 1 << 16;  // rows are handed to the sink in pieces of about this size
constexpr std::string_view kGap = "  ";

/// One way to print a result.
class ResultWriter {
 public:
  explicit ResultWriter(const OutputSink& sink) : sink_(sink) {}
  virtual ~ResultWriter() = default;
  virtual Status Begin(const std::vector<ResultColumn>& columns) = 0;
  virtual Status Row(const TextRow& row) = 0;
  virtual Status End(int64_t rows) = 0;

 protected:
  std::string& buffer() { return buffer_; }
  Status FlushIfFull() { return buffer_.size() < kFlushBytes ? Status::Ok() : Flush(); }
  Status Flush() {
    if (buffer_.empty()) return Status::Ok();
    Status status = sink_(buffer_);
    buffer_.clear();
    return status;
  }

 private:
  const OutputSink& sink_;
  std::string buffer_;
};

class CsvWriter final : public ResultWriter {
 public:
  using ResultWriter::ResultWriter;

  Status Begin(const std::vector<ResultColumn>& columns) override {
    TextRow names;
    for (const ResultColumn& column : columns) names.emplace_back(column.name);
    return Row(names);
  }

  Status Row(const TextRow& row) override {
    for (size_t i = 0; i < row.size(); ++i) {
      if (i > 0) buffer() += ',';
      if (row[i]) AppendField(*row[i]);
    }
    buffer() += '\n';
    return FlushIfFull();
  }

  Status End(int64_t) override { return Flush(); }

 private:
  void AppendField(std::string_view text) {
    if (!text.empty() && text.find_first_of(",\"\r\n") == std::string_view::npos) {
      buffer() += text;
      return;
    }
    buffer() += '"';
    for (const char c : text) {
      if (c == '"') buffer() += '"';
      buffer() += c;
    }
    buffer() += '"';
  }
};

class JsonWriter final : public ResultWriter {
 public:
  using ResultWriter::ResultWriter;

  Status Begin(const std::vector<ResultColumn>& columns) override {
    std::set<std::string> taken;
    for (const ResultColumn& column : columns) {
      // An object holds a key once: a second "a" becomes "a_1".
      std::string name = column.name;
      for (int n = 1; !taken.insert(name).second; ++n) name = column.name + "_" + std::to_string(n);
      engine::AppendJsonString(name, keys_.emplace_back());
    }
    buffer() += '[';
    return Status::Ok();
  }

  Status Row(const TextRow& row) override {
    buffer() += first_ ? "\n{" : ",\n{";
    first_ = false;
    for (size_t i = 0; i < row.size(); ++i) {
      if (i > 0) buffer() += ", ";
      buffer() += keys_[i];
      buffer() += ": ";
      buffer() += row[i].value_or("null");
    }
    buffer() += '}';
    return FlushIfFull();
  }

  Status End(int64_t) override {
    buffer() += first_ ? "]\n" : "\n]\n";
    return Flush();
  }

 private:
  std::vector<std::string> keys_;
  bool first_ = true;
};

class TableWriter final : public ResultWriter {
 public:
  TableWriter(const OutputSink& sink, std::optional<size_t> terminal_width)
      : ResultWriter(sink), terminal_width_(terminal_width) {}

  Status Begin(const std::vector<ResultColumn>& columns) override {
    for (const ResultColumn& column : columns) {
      header_.push_back(Printable(column.name));
      numeric_.push_back(column.numeric);
      widths_.push_back(std::max<size_t>(1, DisplayWidth(header_.back())));
    }
    return Status::Ok();
  }

  Status Row(const TextRow& row) override {
    if (static_cast<int64_t>(rows_.size()) >= kMaxTableRows || bytes_ >= kMaxTableBytes) return Status::Ok();
    std::vector<std::string> cells;
    for (size_t i = 0; i < row.size(); ++i) {
      cells.push_back(row[i] ? Printable(*row[i]) : "NULL");
      widths_[i] = std::max(widths_[i], DisplayWidth(cells.back()));
      bytes_ += cells.back().size();
    }
    rows_.push_back(std::move(cells));
    return Status::Ok();
  }

  Status End(int64_t rows) override {
    if (terminal_width_) FitInto(*terminal_width_);
    AppendLine(header_);
    AppendRule();
    for (const auto& row : rows_) {
      AppendLine(row);
      TG_RETURN_IF_ERROR(FlushIfFull());
    }
    buffer() += Count(rows);
    return Flush();
  }

 private:
  size_t LineWidth() const {
    size_t width = widths_.empty() ? 0 : kGap.size() * (widths_.size() - 1);
    for (const size_t w : widths_) width += w;
    return width;
  }

  /// Narrow the widest text column again and again; numbers are never cut.
  void FitInto(size_t limit) {
    while (LineWidth() > limit) {
      size_t widest = widths_.size();
      for (size_t i = 0; i < widths_.size(); ++i) {
        if (!numeric_[i] && (widest == widths_.size() || widths_[i] > widths_[widest])) widest = i;
      }
      if (widest == widths_.size() || widths_[widest] <= kMinCutWidth) return;
      const size_t excess = LineWidth() - limit;
      size_t next = kMinCutWidth;  // the width of the next widest: all that are wide shrink alike
      for (size_t i = 0; i < widths_.size(); ++i) {
        if (!numeric_[i] && i != widest && widths_[i] < widths_[widest]) next = std::max(next, widths_[i]);
      }
      widths_[widest] -= std::clamp<size_t>(widths_[widest] - next, 1, excess);
    }
  }

  void AppendLine(const std::vector<std::string>& cells) {
    for (size_t i = 0; i < cells.size(); ++i) {
      const bool last = i + 1 == cells.size();
      const std::string cell = DisplayWidth(cells[i]) > widths_[i] ? CutToWidth(cells[i], widths_[i]) : cells[i];
      const std::string padding(widths_[i] - std::min(widths_[i], DisplayWidth(cell)), ' ');
      if (numeric_[i])
        buffer() += padding + cell;
      else
        buffer() += last ? cell : cell + padding;
      if (!last) buffer() += kGap;
    }
    buffer() += '\n';
  }

  void AppendRule() {
    for (size_t i = 0; i < widths_.size(); ++i) {
      buffer() += std::string(widths_[i], '-');
      if (i + 1 < widths_.size()) buffer() += kGap;
    }
    buffer() += '\n';
  }

  std::string Count(int64_t rows) const {
    const std::string noun = rows == 1 ? " row" : " rows";
    const auto shown = static_cast<int64_t>(rows_.size());
    if (shown == rows) return "(" + HumanCount(rows) + noun + ")\n";
    return fmt::format("({} of {} rows, {} more are not shown; CSV and JSON output hold all of them)\n",
                       HumanCount(shown), HumanCount(rows), HumanCount(rows - shown));
  }

  std::optional<size_t> terminal_width_;
  std::vector<std::string> header_;
  std::vector<bool> numeric_;
  std::vector<size_t> widths_;
  std::vector<std::vector<std::string>> rows_;
  uint64_t bytes_ = 0;
};

std::unique_ptr<ResultWriter> MakeWriter(const OutputOptions& options, const OutputSink& sink) {
  switch (options.format) {
    case OutputFormat::kCsv:
      return std::make_unique<CsvWriter>(sink);
    case OutputFormat::kJson:
      return std::make_unique<JsonWriter>(sink);
    case OutputFormat::kTable:
      break;
  }
  return std::make_unique<TableWriter>(sink, options.terminal_width);
}

}  // namespace

Result<OutputFormat> ParseOutputFormat(std::string_view name) {
  if (name == "table") return OutputFormat::kTable;
  if (name == "csv") return OutputFormat::kCsv;
  if (name == "json") return OutputFormat::kJson;
  return InvalidArgument("an output format is table, csv or json, not " + Quoted(name));
}

Result<int64_t> WriteResult(engine::DuckDb& db, const std::string& sql, const OutputOptions& options,
                            const OutputSink& sink) {
  const std::unique_ptr<ResultWriter> writer = MakeWriter(options, sink);
  const auto form = options.format == OutputFormat::kJson ? engine::CellForm::kJson : engine::CellForm::kText;
  int64_t rows = 0;
  TG_RETURN_IF_ERROR(db.Query(
      sql, [&](const std::vector<ResultColumn>& columns) { return writer->Begin(columns); },
      [&](const TextRow& row) {
        ++rows;
        return writer->Row(row);
      },
      form));
  TG_RETURN_IF_ERROR(writer->End(rows));
  return rows;
}

}  // namespace tidegate::query
