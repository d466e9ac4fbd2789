// SPDX-License-Identifier: Apache-2.0
// Views with another layout in C++20.
#pragma once
#if __cplusplus >= 202002L
#define SPTRSV_BETWEEN 2
#endif
#include "alike.hpp"
