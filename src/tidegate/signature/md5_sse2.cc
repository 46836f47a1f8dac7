// Compiled for Sse2 (CMakeLists.txt).
#include "tidegate/signature/md5_lanes.h"

namespace tidegate::signature {

void RunMd5Sse2(const Md5Job* jobs, size_t count, Md5State* out) { Md5Lanes<4>(jobs, count, out).Run(); }

}  // namespace tidegate::signature
