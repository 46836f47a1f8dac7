// Compiled for any machine (CMakeLists.txt).
#include "tidegate/signature/md5_lanes.h"

namespace tidegate::signature {

Md5Lengths PadAny(const Md5Text* texts, size_t count, Md5Job* jobs) { return PadEach(texts, count, jobs); }

void AddMd5sAny(const Md5Job* jobs, size_t count, Md5Sums* sums) { Md5Lanes<4>(jobs, count).Add(sums); }

}  // namespace tidegate::signature
