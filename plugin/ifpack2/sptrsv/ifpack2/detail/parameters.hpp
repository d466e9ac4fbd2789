// SPDX-License-Identifier: Apache-2.0
// The library's own lists of algorithms and options as a Teuchos::ParameterList, and back.
#pragma once

#include <Teuchos_ParameterList.hpp>
#include <string>

#include "sptrsv/options.hpp"

namespace sptrsv::ifpack2::detail {

/// Who computes the values of factors.
enum class FactorBy {
  automatic,  ///< the library, where it can
  library,    ///< the library, or it is an error
  ifpack2     ///< Ifpack2
};

/// What a parameter list asks of the library.
struct Request {
  std::string algorithm = "sptrsv";
  OptionValues options;  ///< those that were set, by the library's keys
  FactorBy factor_by = FactorBy::automatic;

  bool operator==(Request const& other) const {
    return algorithm == other.algorithm && options == other.options && factor_by == other.factor_by;
  }
};

/// All parameters named "sptrsv: ...", each with default, validator and documentation. Made from the algorithms' own
/// lists.
Teuchos::RCP<Teuchos::ParameterList const> valid_parameters();

/// Reads the parameters of `list` whose names begin with "sptrsv"; others are not looked at.
/// @throws Teuchos::Exceptions::InvalidParameterName, InvalidParameterType, InvalidParameterValue naming the parameter.
Request read_parameters(Teuchos::ParameterList const& list);

/// The parameters of `list` whose names begin with neither "sptrsv" nor "trisolver:".
Teuchos::ParameterList foreign_parameters(Teuchos::ParameterList const& list);

}  // namespace sptrsv::ifpack2::detail
