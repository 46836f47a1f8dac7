// What `tidegate doctor` looks at: can this store be reached, who asks, what is allowed, and what should be mended.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tidegate/app/open_store.h"
#include "tidegate/base/status.h"

namespace tidegate::app {

enum class CheckState {
  kGood,
  kAdvice,   // works, and could be better
  kBad,      // does not work
  kNotDone,  // not asked for, or there was nothing to try it on
};

std::string_view CheckStateName(CheckState state);  // "ok", "advice", "failed", "not done"

struct Check {
  std::string name{};  // "identity", "list", "read", "write", "clock", …: stable words
  CheckState state = CheckState::kGood;
  std::string found{};   // what is the case
  std::string advice{};  // what to do; "" where there is nothing
};

struct DoctorOptions {
  bool write = false;  // try writing, too: a small object that is removed again
};

/// The checks in order, each handed over as it is done. Nothing is changed without options.write. Never shows a key.
std::vector<Check> Examine(const std::string& url, const StoreAccess& access, const DoctorOptions& options,
                           const std::function<void(const Check&)>& on_check);

}  // namespace tidegate::app
