// What of the processor is used: the results are the same.
#pragma once

namespace tidegate::signature {

/// kAny: what each x86-64 has. kAvx2: AVX2 and BMI.
enum class Machine { kAny, kAvx2 };

/// The best that this processor has.
inline Machine ThisMachine() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") ? Machine::kAvx2 : Machine::kAny;
}

}  // namespace tidegate::signature
