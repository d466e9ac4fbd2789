// SPDX-License-Identifier: Apache-2.0
// Views that device code has in another layout.
#pragma once
#ifdef __CUDA_ARCH__
#define SPTRSV_BETWEEN 2
#endif
#include "alike.hpp"
