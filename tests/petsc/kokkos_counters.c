/* SPDX-License-Identifier: Apache-2.0
   Kokkos Tools library: when Kokkos ends, it writes the number of events, one line for each kind, to the file that
   SPTRSV_TEST_COUNTS names. Events within solves are counted separately, and those that should not be there are
   named. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct SpaceHandle {
  char name[64];
};

struct ToolSettings {
  bool requires_global_fencing;
  bool padding[255];
};

/* ours: allocations with the plugin's labels, without the scratch memory of Kokkos, whose end Kokkos does not report */
static unsigned long allocations, ours, ours_ended, copies, fences, kernels;
static unsigned long solves, solve_allocations, solve_copies, solve_fences, solve_kernels;
static int depth; /* nesting depth of regions, from that of a solve on */

static void unwanted(unsigned long* count, char const* what, char const* label) {
  if (!depth) return;
  if (++*count <= 5) fprintf(stderr, "kokkos_counters: %s in a solve: %s\n", what, label);
}

void kokkosp_push_profile_region(const char* name) {
  int const solve = !strcmp(name, "sptrsv::petsc::solve");

  solves += !depth && solve;
  depth += depth || solve;
}

void kokkosp_pop_profile_region(void) { depth -= depth > 0; }

void kokkosp_init_library(int skip, uint64_t version, uint32_t num_devices, void* devices) {
  (void)skip, (void)version, (void)num_devices, (void)devices;
}

/* Declines the fences that Kokkos would otherwise make around every kernel for the tool. */
void kokkosp_request_tool_settings(uint32_t num_responses, struct ToolSettings* settings) {
  if (num_responses > 0) settings->requires_global_fencing = false;
}

void kokkosp_allocate_data(struct SpaceHandle space, const char* label, const void* where, uint64_t bytes) {
  (void)space, (void)where, (void)bytes;
  ++allocations;
  ours += !strncmp(label, "sptrsv", 6);
  unwanted(&solve_allocations, "allocation", label);
}

void kokkosp_deallocate_data(struct SpaceHandle space, const char* label, const void* where, uint64_t bytes) {
  (void)space, (void)where, (void)bytes;
  ours_ended += !strncmp(label, "sptrsv", 6);
}

void kokkosp_begin_deep_copy(struct SpaceHandle to, const char* to_label, const void* to_where, struct SpaceHandle from,
                             const char* from_label, const void* from_where, uint64_t bytes) {
  (void)to, (void)to_where, (void)from, (void)from_label, (void)from_where, (void)bytes;
  ++copies;
  unwanted(&solve_copies, "copy", to_label);
}

void kokkosp_begin_fence(const char* name, uint32_t device, uint64_t* handle) {
  (void)device;
  *handle = ++fences;
  unwanted(&solve_fences, "fence", name);
}

void kokkosp_begin_parallel_for(const char* name, uint32_t device, uint64_t* handle) {
  (void)name, (void)device;
  *handle = ++kernels;
  solve_kernels += depth > 0;
}

void kokkosp_begin_parallel_reduce(const char* name, uint32_t device, uint64_t* handle) {
  kokkosp_begin_parallel_for(name, device, handle);
}

void kokkosp_begin_parallel_scan(const char* name, uint32_t device, uint64_t* handle) {
  kokkosp_begin_parallel_for(name, device, handle);
}

void kokkosp_finalize_library(void) {
  char const* path = getenv("SPTRSV_TEST_COUNTS");
  FILE* file = path ? fopen(path, "w") : NULL;

  if (!file) return;
  fprintf(file, "allocations %lu\nours %lu\nours_ended %lu\ncopies %lu\nfences %lu\nkernels %lu\n", allocations, ours,
          ours_ended, copies, fences, kernels);
  fprintf(file, "solves %lu\nsolve_allocations %lu\nsolve_copies %lu\nsolve_fences %lu\nsolve_kernels %lu\n", solves,
          solve_allocations, solve_copies, solve_fences, solve_kernels);
  fclose(file);
}
