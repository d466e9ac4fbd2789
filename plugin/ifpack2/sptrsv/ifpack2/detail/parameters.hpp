// SPDX-License-Identifier: Apache-2.0
// Converts the library's lists of algorithms and options to a Teuchos::ParameterList and back.
#pragma once

#include <Teuchos_ParameterList.hpp>
#include <string>

#include "sptrsv/options.hpp"
#include "sptrsv/sweeps.hpp"

namespace sptrsv::ifpack2::detail {

/// Choice of the code that computes the values of factors.
enum class FactorBy {
  automatic,  ///< the library if it can, otherwise Ifpack2
  library,    ///< the library; an error if it cannot
  ifpack2
};

/// Settings of the library in a parameter list.
struct Request {
  std::string algorithm = "sptrsv";
  Options options;  ///< options that were set
  FactorBy factor_by = FactorBy::automatic;

  bool operator==(Request const& other) const {
    return algorithm == other.algorithm && options == other.options && factor_by == other.factor_by;
  }
};

/// Returns all parameters named "sptrsv: ...", each with default, validator and documentation, made from the
/// algorithms' lists of options.
Teuchos::RCP<Teuchos::ParameterList const> valid_parameters();

/// Reads the parameters of `list` whose names begin with "sptrsv" and ignores others.
/// @throws Teuchos::Exceptions::InvalidParameterName, InvalidParameterType, InvalidParameterValue naming the parameter.
Request read_parameters(Teuchos::ParameterList const& list);

/// Values of the parameters "relaxation: ...".
struct RelaxationParameters {
  Sweep sweep = Sweep::forward;
  int times = 1;
  double damping = 1;
  bool zero_guess = true;
};

/// Returns the parameters "relaxation: ..." that SPTRSV_RELAXATION has, with defaults and documentation.
Teuchos::ParameterList valid_relaxation_parameters();

/// Reads the parameters of `list` whose names begin with "relaxation"; ignores all others, and Ifpack2's defaults.
/// @throws as read_parameters(); the message recommends RELAXATION for what only Ifpack2 has.
RelaxationParameters read_relaxation(Teuchos::ParameterList const& list);

/// Returns the parameters of `list` whose names begin with neither "sptrsv" nor "trisolver:".
Teuchos::ParameterList foreign_parameters(Teuchos::ParameterList const& list);

}  // namespace sptrsv::ifpack2::detail
