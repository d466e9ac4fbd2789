// SPDX-License-Identifier: Apache-2.0
// Views whose layout is compared: a vector, right-hand sides with strides, and indices.
#pragma once
#include <Kokkos_Core.hpp>

using Vector = Kokkos::View<double*>;
using Columns = Kokkos::View<double**, Kokkos::LayoutStride>;
using Indices = Kokkos::View<const int*>;
using Strides = Kokkos::LayoutStride;
