// SPDX-License-Identifier: Apache-2.0
// Views with another layout in device code.
#pragma once
#ifdef __CUDA_ARCH__
#define SPTRSV_BETWEEN 2
#endif
#include "alike.hpp"
