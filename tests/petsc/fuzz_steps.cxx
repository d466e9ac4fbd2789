// SPDX-License-Identifier: Apache-2.0
// Runs a sequence on factors: changes of the matrix, phases, and operations after each.
#include "fuzz_steps.hpp"

#include "fuzz_factor.hpp"

namespace fuzz {

void run_factors(Draw& draw)
{
  Matrices matrices(draw);
  FactorPair factors(draw, matrices);

  for (int steps = draw.from(3, 14); steps > 0; --steps) {
    int const kind = draw.from(0, 99);
    if (!factors.exists()) factors.create();
    if (!factors.exists()) continue;
    if (kind < 30) matrices.change();
    else if (kind < 33) {
      if (matrices.convert()) factors.create();
    } else if (kind < 42) factors.symbolic();
    else if (kind < 70) factors.numeric();
    else if (kind < 74) factors.create();
    else if (kind < 76) factors.destroy();
    else if (!factors.has_numeric()) factors.numeric();
    if (factors.has_numeric())
      for (int k = draw.from(1, 3); k > 0; --k) factors.operate();
    else if (factors.exists() && draw.chance(10)) factors.look();
  }
}

}  // namespace fuzz
