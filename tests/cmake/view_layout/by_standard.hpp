// SPDX-License-Identifier: Apache-2.0
// Views that C++20 has in another layout.
#pragma once
#if __cplusplus >= 202002L
#define SPTRSV_BETWEEN 2
#endif
#include "alike.hpp"
