// SPDX-License-Identifier: Apache-2.0
// Prints the offsets at which host code stores a View's members, by searching a View's bytes for known values.
#include SPTRSV_VIEWS

#include <cstdio>
#include <cstring>
#include <new>

namespace {

constexpr std::size_t behind = 1031;

template <class V>
struct Bytes {
  struct Carried {
    V view;
    std::size_t behind_it;
  };
  alignas(Carried) unsigned char at[sizeof(Carried)] = {};

  template <class... Argument>
  explicit Bytes(Argument... argument) {
    new (at) Carried{V(argument...), behind};
  }
  void print(char const* name, std::size_t value) const {
    std::size_t k = 0, word = 0;
    for (; k + sizeof(word) <= sizeof(at); k += sizeof(word)) {
      std::memcpy(&word, at + k, sizeof(word));
      if (word == value) break;
    }
    std::printf("%s=%zu;", name, k);
  }
};

}  // namespace

int main() {
  std::size_t const address = 4096;  // never dereferenced
  Bytes<Vector> const vector(reinterpret_cast<double*>(address), 1009);
  vector.print("vector_data", address);
  vector.print("vector_extent", 1009);
  vector.print("vector_behind", behind);
  Bytes<Indices> const indices(reinterpret_cast<int const*>(address), 1009);
  indices.print("indices_data", address);
  indices.print("indices_extent", 1009);
  Bytes<Columns> const columns(reinterpret_cast<double*>(address), Strides(1009, 1013, 1019, 1021));
  columns.print("columns_data", address);
  columns.print("columns_extent", 1009);
  columns.print("columns_stride", 1013);
  columns.print("columns_extent1", 1019);
  columns.print("columns_stride1", 1021);
  columns.print("columns_behind", behind);
}
