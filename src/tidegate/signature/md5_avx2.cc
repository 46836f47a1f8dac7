// Compiled for AVX2 (CMakeLists.txt).
#include "tidegate/signature/md5_lanes.h"

namespace tidegate::signature {

Md5Lengths PadAvx2(const Md5Text* texts, size_t count, Md5Job* jobs) { return PadEach(texts, count, jobs); }

void AddMd5sAvx2(const Md5Job* jobs, size_t count, Md5Sums* sums) { Md5Lanes<8>(jobs, count).Add(sums); }

}  // namespace tidegate::signature
