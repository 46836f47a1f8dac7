// The rounds of MD5 on lanes, for vectors of any width. Each file that includes this is compiled for another machine,
// so all of it has to stay in that file: no function of the library is called, and all is in an unnamed namespace.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tidegate::signature {

/// A padded text, in whole blocks.
struct Md5Job {
  const char* data;
  uint64_t blocks;
};

struct Md5State {
  uint32_t words[4];
};

inline constexpr int kMd5BlockBytes = 64;

/// out[i] is of jobs[i]. A machine without AVX2 must not call the second.
void RunMd5Sse2(const Md5Job* jobs, size_t count, Md5State* out);
void RunMd5Avx2(const Md5Job* jobs, size_t count, Md5State* out);

namespace {  // NOLINT: see above

// NOLINTBEGIN(misc-definitions-in-headers): each of those files has its own.
constexpr uint32_t kMd5Start[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
constexpr int kMd5Turns[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
constexpr uint32_t kMd5Sines[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
};
alignas(16) constexpr char kMd5IdleBlock[kMd5BlockBytes] = {};
// NOLINTEND(misc-definitions-in-headers)

typedef uint32_t Vector4 __attribute__((vector_size(16)));
typedef uint32_t Vector8 __attribute__((vector_size(32)));

[[gnu::always_inline]] inline Vector4 LoadQuad(const char* data) {
  Vector4 quad;
  __builtin_memcpy(&quad, data, sizeof quad);
  return quad;
}

/// Four words of each lane, turned into four vectors of one word each.
template <int kLanes>
struct Transposed;

template <>
struct Transposed<4> {
  using Vector = Vector4;
  [[gnu::always_inline]] static void Load(const char* const* data, int offset, Vector* w0, Vector* w1, Vector* w2,
                                          Vector* w3) {
    const Vector r0 = LoadQuad(data[0] + offset), r1 = LoadQuad(data[1] + offset);
    const Vector r2 = LoadQuad(data[2] + offset), r3 = LoadQuad(data[3] + offset);
    const Vector low01 = __builtin_shufflevector(r0, r1, 0, 4, 1, 5);
    const Vector high01 = __builtin_shufflevector(r0, r1, 2, 6, 3, 7);
    const Vector low23 = __builtin_shufflevector(r2, r3, 0, 4, 1, 5);
    const Vector high23 = __builtin_shufflevector(r2, r3, 2, 6, 3, 7);
    *w0 = __builtin_shufflevector(low01, low23, 0, 1, 4, 5);
    *w1 = __builtin_shufflevector(low01, low23, 2, 3, 6, 7);
    *w2 = __builtin_shufflevector(high01, high23, 0, 1, 4, 5);
    *w3 = __builtin_shufflevector(high01, high23, 2, 3, 6, 7);
  }
};

#ifdef __AVX2__
template <>
struct Transposed<8> {
  using Vector = Vector8;
  [[gnu::always_inline]] static Vector LoadPair(const char* lane, const char* fourth_after) {
    return __builtin_shufflevector(LoadQuad(lane), LoadQuad(fourth_after), 0, 1, 2, 3, 4, 5, 6, 7);
  }
  [[gnu::always_inline]] static void Load(const char* const* data, int offset, Vector* w0, Vector* w1, Vector* w2,
                                          Vector* w3) {
    const Vector r0 = LoadPair(data[0] + offset, data[4] + offset), r1 = LoadPair(data[1] + offset, data[5] + offset);
    const Vector r2 = LoadPair(data[2] + offset, data[6] + offset), r3 = LoadPair(data[3] + offset, data[7] + offset);
    const Vector low01 = __builtin_shufflevector(r0, r1, 0, 8, 1, 9, 4, 12, 5, 13);
    const Vector high01 = __builtin_shufflevector(r0, r1, 2, 10, 3, 11, 6, 14, 7, 15);
    const Vector low23 = __builtin_shufflevector(r2, r3, 0, 8, 1, 9, 4, 12, 5, 13);
    const Vector high23 = __builtin_shufflevector(r2, r3, 2, 10, 3, 11, 6, 14, 7, 15);
    *w0 = __builtin_shufflevector(low01, low23, 0, 1, 8, 9, 4, 5, 12, 13);
    *w1 = __builtin_shufflevector(low01, low23, 2, 3, 10, 11, 6, 7, 14, 15);
    *w2 = __builtin_shufflevector(high01, high23, 0, 1, 8, 9, 4, 5, 12, 13);
    *w3 = __builtin_shufflevector(high01, high23, 2, 3, 10, 11, 6, 7, 14, 15);
  }
};
#endif

/// Hashes jobs on all lanes at once. Jobs of one length go together; of others each lane takes the next one when it is
/// done. Two vectors are worked on in turn, since one alone would wait for its own results.
template <int kLanes>
class Md5Lanes {
 public:
  static constexpr int kVectors = 2;
  static constexpr int kAll = kLanes * kVectors;

  Md5Lanes(const Md5Job* jobs, size_t count, Md5State* out) : jobs_(jobs), count_(count), out_(out) {}

  /// Requires: sorted by length, as far as jobs of one length are to go together.
  void Run() {
    while (next_ + kAll <= count_ && OneLength()) HashTogether();
    for (int lane = 0; lane < kAll; ++lane) Take(lane);
    while (busy_ > 0) HashUntilOneIsDone();
  }

 private:
  using Vector = typename Transposed<kLanes>::Vector;
  using State = Vector[4][kVectors];

  /// Of the next job for each lane.
  bool OneLength() const {
    bool same = true;
    for (int lane = 1; lane < kAll; ++lane)
      same &= jobs_[next_ + static_cast<size_t>(lane)].blocks == jobs_[next_].blocks;
    return same;
  }

  void HashTogether() {
    const Md5Job* const jobs = jobs_ + next_;
    State state;
    for (int word = 0; word < 4; ++word) {
      for (int v = 0; v < kVectors; ++v) state[word][v] = Vector{} + kMd5Start[word];
    }
    for (int lane = 0; lane < kAll; ++lane) data_[lane] = jobs[lane].data;
    for (uint64_t block = 0; block < jobs->blocks; ++block) {
      HashBlock(data_, state);
      for (int lane = 0; lane < kAll; ++lane) data_[lane] += kMd5BlockBytes;
    }
    __builtin_memcpy(state_, state, sizeof state_);
    for (int lane = 0; lane < kAll; ++lane) {
      for (int word = 0; word < 4; ++word) out_[next_ + static_cast<size_t>(lane)].words[word] = state_[word][lane];
    }
    next_ += kAll;
  }

  void HashUntilOneIsDone() {
    const uint64_t blocks = ShortestLeft();
    for (uint64_t i = 0; i < blocks; ++i) {
      State state;
      __builtin_memcpy(state, state_, sizeof state_);
      HashBlock(data_, state);
      __builtin_memcpy(state_, state, sizeof state_);
      for (int lane = 0; lane < kAll; ++lane) data_[lane] += stride_[lane];
    }
    for (int lane = 0; lane < kAll; ++lane) {
      if (!has_job_[lane]) continue;
      left_[lane] -= blocks;
      if (left_[lane] == 0) Finish(lane);
    }
  }

  void Take(int lane) {
    has_job_[lane] = next_ < count_;
    job_[lane] = next_;
    data_[lane] = has_job_[lane] ? jobs_[next_].data : kMd5IdleBlock;
    left_[lane] = has_job_[lane] ? jobs_[next_].blocks : 0;
    stride_[lane] = has_job_[lane] ? kMd5BlockBytes : 0;
    for (int word = 0; word < 4; ++word) state_[word][lane] = kMd5Start[word];
    if (has_job_[lane]) {
      ++next_;
      ++busy_;
    }
  }

  void Finish(int lane) {
    for (int word = 0; word < 4; ++word) out_[job_[lane]].words[word] = state_[word][lane];
    --busy_;
    Take(lane);
  }

  uint64_t ShortestLeft() const {
    uint64_t shortest = UINT64_MAX;
    for (int lane = 0; lane < kAll; ++lane) {
      if (has_job_[lane] && left_[lane] < shortest) shortest = left_[lane];
    }
    return shortest;
  }

  [[gnu::always_inline]] static void HashBlock(const char* const* data, State& state) {
    Vector message[16][kVectors];
    for (int v = 0; v < kVectors; ++v) {
      for (int quad = 0; quad < 16; quad += 4) {
        Transposed<kLanes>::Load(data + v * kLanes, quad * 4, &message[quad][v], &message[quad + 1][v],
                                 &message[quad + 2][v], &message[quad + 3][v]);
      }
    }
    State start;
    __builtin_memcpy(start, state, sizeof start);
    AllSteps<0>(state, message);
    for (int word = 0; word < 4; ++word) {
      for (int v = 0; v < kVectors; ++v) state[word][v] += start[word][v];
    }
  }

  template <int kStep>
  [[gnu::always_inline]] static void AllSteps(Vector (&state)[4][kVectors], const Vector (&message)[16][kVectors]) {
    if constexpr (kStep < 64) {
      for (int v = 0; v < kVectors; ++v) Step<kStep>(state, message, v);
      AllSteps<kStep + 1>(state, message);
    }
  }

  template <int kStep>
  [[gnu::always_inline]] static void Step(Vector (&state)[4][kVectors], const Vector (&message)[16][kVectors], int v) {
    constexpr int kA = (64 - kStep) % 4;  // the four words change roles with each step
    constexpr int kTurn = kMd5Turns[kStep / 16][kStep % 4];
    const Vector b = state[(kA + 1) % 4][v], c = state[(kA + 2) % 4][v], d = state[(kA + 3) % 4][v];
    const Vector sum = state[kA][v] + Mix<kStep / 16>(b, c, d) + (message[WordOf(kStep)][v] + kMd5Sines[kStep]);
    state[kA][v] = b + ((sum << kTurn) | (sum >> (32 - kTurn)));
  }

  template <int kRound>
  [[gnu::always_inline]] static Vector Mix(Vector b, Vector c, Vector d) {
    if constexpr (kRound == 0) return d ^ (b & (c ^ d));
    if constexpr (kRound == 1) return (d & b) | (~d & c);
    if constexpr (kRound == 2) return b ^ c ^ d;
    return c ^ (b | ~d);
  }

  static constexpr int WordOf(int step) {
    constexpr int kFactors[4] = {1, 5, 3, 7};
    constexpr int kFirsts[4] = {0, 1, 5, 0};
    return (kFactors[step / 16] * step + kFirsts[step / 16]) % 16;
  }

  const Md5Job* jobs_;
  size_t count_;
  Md5State* out_;
  size_t next_ = 0;
  int busy_ = 0;
  const char* data_[kAll];
  uint64_t left_[kAll];
  size_t job_[kAll];
  int stride_[kAll];
  bool has_job_[kAll];
  alignas(32) uint32_t state_[4][kAll];
};

}  // namespace
}  // namespace tidegate::signature
