// Compiled for any machine (CMakeLists.txt).
#include "tidegate/signature/md5_lanes.h"

namespace tidegate::signature {

Md5Lengths PadAny(const Md5Text* texts, size_t count, Md5Tail* tails, Md5Job* jobs, Md5* out) {
  return PadEach(texts, count, tails, jobs, out);
}

void Md5sAny(const Md5Job* jobs, size_t count) { Md5Lanes<4>(jobs, count).Hash(); }

}  // namespace tidegate::signature
