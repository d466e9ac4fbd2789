// SPDX-License-Identifier: Apache-2.0
// Version of the headers; sptrsv::version() returns that of the library.
#pragma once

#define SPTRSV_VERSION_MAJOR 0
#define SPTRSV_VERSION_MINOR 2
#define SPTRSV_VERSION_SUBMINOR 0
