// SPDX-License-Identifier: Apache-2.0
// The Views whose layout is looked at: a vector, right-hand sides with strides, and indices.
#pragma once
#include <Kokkos_Core.hpp>

using Vector = Kokkos::View<double*>;
using Columns = Kokkos::View<double**, Kokkos::LayoutStride>;
using Indices = Kokkos::View<const int*>;
using Strides = Kokkos::LayoutStride;
