# SPDX-License-Identifier: Apache-2.0
string(REPLACE "," ";" devices "${DEVICES}")
include(${MODULES}/CheckKokkosDevices.cmake)
sptrsv_check_kokkos_devices(${devices})
message(STATUS "all of ${DEVICES} are carried through")
