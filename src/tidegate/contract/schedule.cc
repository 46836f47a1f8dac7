#include "tidegate/contract/schedule.h"

#include <string>

namespace tidegate::contract {
namespace {

/// Midnight in v1, the hour in v2.
UtcTime StartOf(const Delivery& delivery) {
  const std::string text = delivery.date + "T" + (delivery.hour.empty() ? "00" : delivery.hour) + ":00:00Z";
  const auto time = ParseRfc3339(text);
  return time.ok() ? *time : UtcTime{};
}

}  // namespace

Delivery Next(const Delivery& delivery) {
  const bool hourly = delivery.version == Version::kV2;
  const UtcTime next = StartOf(delivery) + (hourly ? std::chrono::hours(1) : std::chrono::hours(24));
  const std::string text = FormatRfc3339(next);
  return {delivery.version, text.substr(0, 10), hourly ? text.substr(11, 2) : ""};
}

UtcTime DueAt(const Delivery& delivery, std::chrono::minutes daily_at) {
  const UtcTime start = StartOf(delivery);
  return delivery.version == Version::kV2 ? start : start + daily_at;
}

}  // namespace tidegate::contract
