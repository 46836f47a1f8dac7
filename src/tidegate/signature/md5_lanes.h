// The rounds of MD5 on lanes, for vectors of any width. Each file that includes this is compiled for another machine,
// so all of it has to stay in that file: no function of the library is called, and all is in an unnamed namespace.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tidegate/signature/md5.h"

namespace tidegate::signature {

inline constexpr int kMd5BlockBytes = 64;

/// A text: its whole blocks where they lie, and the rest, padded to one block or two.
struct Md5Job {
  const char* data;
  const char* tail;
  uint64_t whole;   // blocks of data
  uint64_t blocks;  // of all
  Md5* out;
};

/// Room for the tails of some texts.
using Md5Tail = char[2 * kMd5BlockBytes];

/// Fewest and most blocks of some jobs.
struct Md5Lengths {
  uint64_t least = UINT64_MAX;
  uint64_t most = 0;
};

// Each is there for any machine and for AVX2; a machine without must not call the latter.

/// A job of each text. A tail: what is left behind the whole blocks, a bit 1, zeros and the text's length in bits.
Md5Lengths PadAny(const Md5Text* texts, size_t count, Md5Tail* tails, Md5Job* jobs, Md5* out);
Md5Lengths PadAvx2(const Md5Text* texts, size_t count, Md5Tail* tails, Md5Job* jobs, Md5* out);

/// Requires: sorted by blocks, the shortest first.
void Md5sAny(const Md5Job* jobs, size_t count);
void Md5sAvx2(const Md5Job* jobs, size_t count);

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
constexpr char kMd5IdleBlock[kMd5BlockBytes] = {};
// NOLINTEND(misc-definitions-in-headers)

typedef uint32_t Vector4 __attribute__((vector_size(16)));
typedef uint32_t Vector8 __attribute__((vector_size(32)));

[[gnu::always_inline]] inline Vector4 LoadQuad(const char* data) {
  Vector4 quad;
  __builtin_memcpy(&quad, data, sizeof quad);
  return quad;
}

/// Fewer than 64 bytes, without a call: both ends, which may overlap.
[[gnu::always_inline]] inline void CopyRest(char* to, const char* from, uint64_t bytes) {
  const auto both_ends = [&](auto word) {
    auto last = word;
    __builtin_memcpy(&word, from, sizeof word);
    __builtin_memcpy(&last, from + bytes - sizeof last, sizeof last);
    __builtin_memcpy(to, &word, sizeof word);
    __builtin_memcpy(to + bytes - sizeof last, &last, sizeof last);
  };
  struct Half {
    Vector4 quads[2];
  };
  if (bytes >= sizeof(Half)) return both_ends(Half{});
  if (bytes >= sizeof(Vector4)) return both_ends(Vector4{});
  if (bytes >= sizeof(uint64_t)) return both_ends(uint64_t{});
  if (bytes >= sizeof(uint32_t)) return both_ends(uint32_t{});
  for (uint64_t i = 0; i < bytes; ++i) to[i] = from[i];
}

[[gnu::always_inline]] inline Md5Lengths PadEach(const Md5Text* texts, size_t count, Md5Tail* tails, Md5Job* jobs,
                                                 Md5* out) {
  constexpr uint64_t kLengthBytes = 8;
  Md5Lengths lengths;
  for (size_t i = 0; i < count; ++i) {
    char* const tail = tails[i];
    const uint64_t whole = texts[i].bytes / kMd5BlockBytes;
    const uint64_t rest = texts[i].bytes % kMd5BlockBytes;
    const uint64_t tail_blocks = rest + 1 + kLengthBytes <= kMd5BlockBytes ? 1 : 2;
    const uint64_t bits = texts[i].bytes * 8;
    __builtin_memset(tail, 0, kMd5BlockBytes);
    if (tail_blocks == 2) __builtin_memset(tail + kMd5BlockBytes, 0, kMd5BlockBytes);
    CopyRest(tail, texts[i].data + whole * kMd5BlockBytes, rest);
    tail[rest] = '\x80';
    __builtin_memcpy(tail + tail_blocks * kMd5BlockBytes - kLengthBytes, &bits, kLengthBytes);
    const uint64_t blocks = whole + tail_blocks;
    jobs[i] = {texts[i].data, tail, whole, blocks, out + i};
    lengths.least = blocks < lengths.least ? blocks : lengths.least;
    lengths.most = blocks > lengths.most ? blocks : lengths.most;
  }
  return lengths;
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

/// What each step adds, a vector each. Of the last 16 one less: see Mix.
template <int kLanes>
struct Md5SineTable {
  using Vector = typename Transposed<kLanes>::Vector;
  alignas(sizeof(Vector)) uint32_t words[64][kLanes];

  constexpr Md5SineTable() : words() {
    for (int step = 0; step < 64; ++step) {
      for (int lane = 0; lane < kLanes; ++lane) words[step][lane] = kMd5Sines[step] - (step < 48 ? 0 : 1);
    }
  }
};

template <int kLanes>
constexpr Md5SineTable<kLanes> kMd5SineTable;  // NOLINT: as above

/// Hashes as many jobs at once as there are lanes in three vectors: one vector alone would wait for its own results.
/// Where jobs differ in length, lanes that are done keep their state until the longest is done.
template <int kLanes>
class Md5Lanes {
 public:
  Md5Lanes(const Md5Job* jobs, size_t count) : jobs_(jobs), count_(count) {}

  void Hash() {
    for (size_t first = 0; first < count_; first += kAll) {
      const size_t left = count_ - first;
      HashGroup(jobs_ + first, left < kAll ? static_cast<int>(left) : kAll);
    }
  }

 private:
  static constexpr int kVectors = 3;
  static constexpr int kAll = kLanes * kVectors;
  using Vector = typename Transposed<kLanes>::Vector;
  using State = Vector[4][kVectors];

  /// Where each lane reads, and which lanes still work.
  struct Feed {
    const char* data[kAll];
    int64_t stride[kAll];
    Vector works[kVectors];

    /// `done` blocks of each job are done. Returns up to how many each lane goes on as it does now.
    uint64_t Direct(const Md5Job* jobs, int count, uint64_t done) {
      alignas(sizeof(Vector)) uint32_t mask[kAll];
      uint64_t until = UINT64_MAX;
      for (int lane = 0; lane < kAll; ++lane) {
        const bool on = lane < count && jobs[lane].blocks > done;
        mask[lane] = on ? UINT32_MAX : 0;
        stride[lane] = on ? kMd5BlockBytes : 0;
        if (!on) {
          data[lane] = kMd5IdleBlock;
          continue;
        }
        const Md5Job& job = jobs[lane];
        const bool in_tail = job.whole <= done;
        data[lane] = in_tail ? job.tail + (done - job.whole) * kMd5BlockBytes : job.data + done * kMd5BlockBytes;
        const uint64_t next = in_tail ? job.blocks : job.whole;
        until = next < until ? next : until;
      }
      __builtin_memcpy(works, mask, sizeof works);
      return until;
    }

    void Advance() {
      for (int lane = 0; lane < kAll; ++lane) data[lane] += stride[lane];
    }
  };

  static void HashGroup(const Md5Job* jobs, int count) {
    Feed feed;
    uint64_t until = feed.Direct(jobs, count, 0);
    State state;
    for (int v = 0; v < kVectors; ++v) {
      for (int word = 0; word < 4; ++word) state[word][v] = Vector{} + kMd5Start[word];
    }
    const uint64_t blocks = jobs[count - 1].blocks;
    for (uint64_t done = 0;;) {
      HashBlock(feed, state);
      if (++done == blocks) break;
      if (done == until) {
        until = feed.Direct(jobs, count, done);
      } else {
        feed.Advance();
      }
    }
    Store(state, jobs, count);
  }

  /// The words of each lane, as big-endian numbers.
  [[gnu::always_inline]] static void Store(const State& state, const Md5Job* jobs, int count) {
    alignas(sizeof(Vector)) uint32_t words[4][kAll];
    for (int word = 0; word < 4; ++word) {
      for (int v = 0; v < kVectors; ++v) {
        const Vector x = state[word][v];
        const Vector turned = x << 24 | (x & 0xff00) << 8 | (x >> 8 & 0xff00) | x >> 24;
        __builtin_memcpy(words[word] + v * kLanes, &turned, sizeof turned);
      }
    }
    for (int lane = 0; lane < count; ++lane) {
      *jobs[lane].out = {uint64_t{words[0][lane]} << 32 | words[1][lane],
                         uint64_t{words[2][lane]} << 32 | words[3][lane]};
    }
  }

  [[gnu::always_inline]] static void HashBlock(const Feed& feed, State& state) {
    Vector message[16][kVectors];
    for (int v = 0; v < kVectors; ++v) {
      for (int quad = 0; quad < 16; quad += 4) {
        Transposed<kLanes>::Load(feed.data + v * kLanes, quad * 4, &message[quad][v], &message[quad + 1][v],
                                 &message[quad + 2][v], &message[quad + 3][v]);
      }
    }
    const auto* sines = reinterpret_cast<const Vector*>(kMd5SineTable<kLanes>.words);
    __asm__("" : "+r"(sines));  // else all 64 would be read ahead of the loop over blocks, and copied to the stack
    State start;
    __builtin_memcpy(start, state, sizeof start);
    AllSteps<0>(state, message, sines);
    for (int word = 0; word < 4; ++word) {
      for (int v = 0; v < kVectors; ++v) state[word][v] = start[word][v] + (state[word][v] & feed.works[v]);
    }
  }

  template <int kStep>
  [[gnu::always_inline]] static void AllSteps(State& state, const Vector (&message)[16][kVectors],
                                              const Vector* sines) {
    if constexpr (kStep < 64) {
      for (int v = 0; v < kVectors; ++v) Step<kStep>(state, message, sines, v);
      AllSteps<kStep + 1>(state, message, sines);
    }
  }

  template <int kStep>
  [[gnu::always_inline]] static void Step(State& state, const Vector (&message)[16][kVectors], const Vector* sines,
                                          int v) {
    constexpr int kA = (64 - kStep) % 4;  // the four words change roles with each step
    constexpr int kTurn = kMd5Turns[kStep / 16][kStep % 4];
    const Vector b = state[(kA + 1) % 4][v], c = state[(kA + 2) % 4][v], d = state[(kA + 3) % 4][v];
    const Vector sum = Mix<kStep / 16>(state[kA][v] + message[WordOf(kStep)][v] + sines[kStep], b, c, d);
    state[kA][v] = b + ((sum << kTurn) | (sum >> (32 - kTurn)));
  }

  /// `sum` and the round's function of the rest, so that little has to wait for b, which came last.
  template <int kRound>
  [[gnu::always_inline]] static Vector Mix(Vector sum, Vector b, Vector c, Vector d) {
    if constexpr (kRound == 0) return sum + (d ^ (b & (c ^ d)));
    if constexpr (kRound == 1) return sum + (~d & c) + (d & b);  // no bit is in both
    if constexpr (kRound == 2) return sum + (b ^ (c ^ d));
    return sum - (c ^ (~b & d));  // c ^ (b | ~d) = ~(c ^ (~b & d)), and ~x = -x - 1
  }

  static constexpr int WordOf(int step) {
    constexpr int kFactors[4] = {1, 5, 3, 7};
    constexpr int kFirsts[4] = {0, 1, 5, 0};
    return (kFactors[step / 16] * step + kFirsts[step / 16]) % 16;
  }

  const Md5Job* jobs_;
  size_t count_;
};

}  // namespace
}  // namespace tidegate::signature
