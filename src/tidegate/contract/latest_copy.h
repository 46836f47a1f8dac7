// The copy of a full table that readers should see (C-11, C-13, A-16).
#pragma once

#include <optional>
#include <vector>

#include "tidegate/contract/folder.h"

namespace tidegate::contract {

/// Order the sealed copies of one full table as they are to be tried: newest first, of the version in use. Where
/// v2 is in use and holds no sealed copy yet, those of v1: the caller flags a table that is read from there.
std::vector<Delivery> CopiesNewestFirst(std::vector<Delivery> sealed, Version in_use);

/// Choose the newest of them; absent where there is none.
std::optional<Delivery> LatestCopy(std::vector<Delivery> sealed, Version in_use);

}  // namespace tidegate::contract
