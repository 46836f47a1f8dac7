// Compiled for AVX2 (CMakeLists.txt).
#include "tidegate/signature/md5_lanes.h"

namespace tidegate::signature {

Md5Lengths PadAvx2(const Md5Text* texts, size_t count, Md5Tail* tails, Md5Job* jobs, Md5* out) {
  return PadEach(texts, count, tails, jobs, out);
}

void Md5sAvx2(const Md5Job* jobs, size_t count) { Md5Lanes<8>(jobs, count).Hash(); }

}  // namespace tidegate::signature
