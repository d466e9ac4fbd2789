// SPDX-License-Identifier: Apache-2.0
// main() of a fuzz target without libFuzzer: runs the files of a folder, and each of them truncated and with random
// changes. Usage: PROGRAM FOLDER [CHANGES], CHANGES of each file (default 200).
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>
#include <random>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Bytes = std::vector<std::uint8_t>;

/// Largest memory allocation, in bytes, that an input of the corpus justifies.
constexpr std::size_t largest_allocation = std::size_t{32} << 20;

Bytes read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(in), {});
}

/// Returns the input with one to four bytes replaced, removed, repeated or with flipped bits; sometimes truncated.
Bytes changed(Bytes input, std::mt19937& random) {
  const auto below = [&](std::size_t n) { return n == 0 ? 0 : random() % n; };
  const char likely[] = " \n-+.0129eEnN%\xFF\x7F\x80";
  for (std::size_t times = 1 + below(4); times > 0 && !input.empty(); --times) {
    const auto at = input.begin() + static_cast<std::ptrdiff_t>(below(input.size()));
    switch (below(6)) {
      case 0: *at = static_cast<std::uint8_t>(likely[below(sizeof(likely))]); break;
      case 1: *at = static_cast<std::uint8_t>(random()); break;
      case 2: *at = static_cast<std::uint8_t>(*at ^ (1u << below(8))); break;
      case 3: input.erase(at); break;
      case 4: input.insert(at, *at); break;
      default:
        if (below(4) == 0) input.erase(at, input.end());
    }
  }
  return input;
}

}  // namespace

void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  if (size > largest_allocation) {
    std::fprintf(stderr, "FUZZ FAILURE: %zu bytes asked for\n", size);
    std::abort();
  }
  return std::malloc(size == 0 ? 1 : size);
}
void* operator new(std::size_t size) {
  if (void* memory = operator new(size, std::nothrow)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const long changes = argc > 2 ? std::atol(argv[2]) : 200;
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::mt19937 random(1);
  for (const auto& path : paths) {
    std::printf("%s\n", path.filename().c_str());
    std::fflush(stdout);  // locates a crash
    const Bytes input = read(path);
    LLVMFuzzerTestOneInput(input.data(), input.size());
    for (long k = 0; k < changes; ++k) {
      const Bytes other = changed(input, random);
      LLVMFuzzerTestOneInput(other.data(), other.size());
    }
  }
  std::printf("%zu files, %ld changes of each\n", paths.size(), changes);
  return paths.empty() ? 1 : 0;
}
