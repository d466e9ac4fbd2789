// SPDX-License-Identifier: Apache-2.0
// Random number generator that gives the same numbers on every platform.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace sptrsv::support::detail {

/// Mixes the bits of z as splitmix64 does: a good 64-bit hash.
inline std::uint64_t mix(std::uint64_t z) {
  z += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

/// Returns a number in [0, 1) from 64 random bits.
inline double to_unit(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1.0p-53; }

/// Stream of random numbers by splitmix64.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(mix(seed)) {}
  std::uint64_t bits() {
    const std::uint64_t result = mix(state_);
    state_ += 0x9E3779B97F4A7C15u;
    return result;
  }
  double unit() { return to_unit(bits()); }
  /// Returns an integer in [0, bound); the bias of the remainder is below bound / 2^64.
  std::int64_t below(std::int64_t bound) {
    return static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(bound));
  }

 private:
  std::uint64_t state_;
};

/// Shuffles the part [begin, end) of a list.
inline void shuffle(std::vector<std::int64_t>& list, std::int64_t begin, std::int64_t end, Random& random) {
  for (std::int64_t i = end - 1; i > begin; --i) std::swap(list[i], list[begin + random.below(i - begin + 1)]);
}

/// Returns the numbers 0 to n - 1.
inline std::vector<std::int64_t> identity(std::int64_t n) {
  std::vector<std::int64_t> list(n);
  for (std::int64_t i = 0; i < n; ++i) list[i] = i;
  return list;
}

}  // namespace sptrsv::support::detail
