// SPDX-License-Identifier: Apache-2.0
// Types of sptrsv as contenders.
#pragma once

#include <optional>
#include <sptrsv/solver.hpp>

#include "contender.hpp"

namespace sptrsv::bench {

template <class Space>
class OwnType final : public Contender<Space> {
 public:
  OwnType(std::string name, OptionValues options) : name_(std::move(name)), options_(std::move(options)) {}
  void analyze(Problem<Space> const& p) override {
    solver_.emplace(name_, p.exec, p.pattern(), p.system.shape, options_);
  }
  void forget() override { solver_.reset(); }
  void update(Problem<Space> const& p) override { solver_->update(p.exec, p.values); }
  void solve(Problem<Space> const& p) override { solver_->solve(p.exec, p.b, p.x); }
  std::string used() const override { return solver_->algorithm(); }
  std::string parameters() const override { return solver_->parameters(); }
  std::string reason() const override { return solver_->reason(); }
  bool exact() const override { return solves_exactly(name_); }
  double rounding() const override {
    auto const storage = options_.find("sptrsv_storage");
    return storage != options_.end() && storage->second == "single" ? 0x1p-24 : 0;
  }
  std::size_t memory_bytes() const override { return solver_->memory_bytes(); }

 private:
  std::string name_;
  OptionValues options_;
  std::optional<TriangularSolver<double, int, int, Space>> solver_;
};

}  // namespace sptrsv::bench
