// SPDX-License-Identifier: Apache-2.0
// Definitions of TriangularSolver, for the files that instantiate it.
#pragma once

#include "sptrsv/algorithm_list.hpp"
#include "sptrsv/planner.hpp"
#include "sptrsv/solver.hpp"

namespace sptrsv {

namespace detail {

/// An algorithm behind virtual calls, so that it can be chosen by name.
template <class T>
struct AnyAlgorithm {
  virtual ~AnyAlgorithm() = default;
  virtual void update(typename T::exec_space const&, Analysis<T> const&, typename T::values const&) = 0;
  virtual void solve(typename T::exec_space const&, typename T::rhs const&, typename T::solution const&,
                     Fold<T> const&) const = 0;
  virtual void reserve(typename T::exec_space const&, int columns) = 0;
  virtual std::string parameters() const = 0;
  virtual std::size_t memory_bytes() const = 0;
};

template <class T, class A>
struct HoldAlgorithm final : AnyAlgorithm<T> {
  static_assert(is_algorithm<A>::value, "an entry of the list of algorithms lacks a member that algorithm_list.hpp asks for");
  A algorithm;
  HoldAlgorithm(typename T::exec_space const& exec, Analysis<T> const& analysis, OptionValues const& options)
      : algorithm(exec, analysis, make_options<typename A::Options>(options, std::string(A::name) + "_")) {}
  void update(typename T::exec_space const& exec, Analysis<T> const& analysis, typename T::values const& values) override {
    algorithm.update(exec, analysis, values);
  }
  void solve(typename T::exec_space const& exec, typename T::rhs const& b, typename T::solution const& x,
             Fold<T> const& fold) const override {
    algorithm.solve(exec, b, x, fold);
  }
  void reserve(typename T::exec_space const& exec, int columns) override { algorithm.reserve(exec, columns); }
  std::string parameters() const override { return algorithm.parameters(); }
  std::size_t memory_bytes() const override { return algorithm.memory_bytes(); }
};

/// The options named "<algorithm>_...", without that prefix.
inline OptionValues options_of(std::string const& algorithm, OptionValues const& all) {
  OptionValues out;
  for (auto const& [key, value] : all)
    if (key.compare(0, algorithm.size() + 1, algorithm + "_") == 0) out[key.substr(algorithm.size() + 1)] = value;
  return out;
}

/// Refuses names and options that no algorithm has, whichever is used in the end.
template <class T, class... A>
void check_names(TypeList<A...>, std::string const& name, OptionValues const& options) {
  std::string known;
  ((known += std::string(A::name) + ", "), ...);
  if (name != "sptrsv" && !((name == A::name) || ...)) throw UnknownAlgorithm(name, known + "sptrsv");
  std::size_t matched = 0;
  auto const check = [&](std::string const& algorithm, auto make) {
    auto const own = options_of(algorithm, options);
    matched += own.size();
    make(own, algorithm + "_");
  };
  (check(std::string(A::name), [](OptionValues const& own, std::string const& prefix) { make_options<typename A::Options>(own, prefix); }), ...);
  if (matched == options.size()) return;
  for (auto const& [key, value] : options)
    if (!((key.compare(0, A::name.size() + 1, std::string(A::name) + "_") == 0) || ...))
      throw InvalidOption("unknown option " + key + "; options start with an algorithm's name: " + known);
}

template <class T, class... A>
std::unique_ptr<AnyAlgorithm<T>> make_algorithm(TypeList<A...>, std::string const& name, typename T::exec_space const& exec,
                                                Analysis<T> const& analysis, OptionValues const& options) {
  std::unique_ptr<AnyAlgorithm<T>> made;
  auto const attempt = [&](auto* type) {
    using algorithm = std::remove_pointer_t<decltype(type)>;
    if (made || name != algorithm::name) return;
    require(algorithm::capabilities, name, analysis.shape().triangle == Triangle::upper, analysis.shape().transposed());
    made = std::make_unique<HoldAlgorithm<T, algorithm>>(exec, analysis, options_of(name, options));
  };
  (attempt(static_cast<A*>(nullptr)), ...);
  return made;
}

template <class T, class... A>
Capabilities capabilities_of(TypeList<A...>, std::string const& name) {
  Capabilities found;
  ((name == A::name ? void(found = A::capabilities) : void()), ...);
  return found;
}

/// First row whose stored diagonal is exactly zero, or n.
template <class T>
long long first_zero_pivot(typename T::exec_space const& exec, Numbers<T> const& numbers) {
  using index = typename T::index;
  long long row = numbers.num_rows;
  Kokkos::parallel_reduce(
      "sptrsv::update::pivots", Kokkos::RangePolicy<typename T::exec_space, index>(exec, 0, numbers.num_rows),
      KOKKOS_LAMBDA(index i, long long& first) {
        if (numbers.stored_diagonal(i) == typename T::scalar(0) && i < first) first = i;
      },
      Kokkos::Min<long long>(row));  // fences, since the result is a host value
  return row;
}

}  // namespace detail

template <class S, class I, class O, class E>
struct TriangularSolver<S, I, O, E>::Impl {
  using list = Algorithms<types>;
  Analysis<types> analysis;
  std::string name, reason;
  Capabilities capabilities;
  std::unique_ptr<detail::AnyAlgorithm<types>> algorithm;
  bool updated = false;

  Impl(std::string const& asked, E const& exec, typename types::pattern const& pattern, Shape shape,
       OptionValues const& options)
      : analysis((detail::check_names<types>(list{}, asked, options), exec), pattern, shape), name(asked), reason("asked for") {
    if (name == "sptrsv") {
      Plan const plan = choose_algorithm<types>(exec, analysis);
      name = plan.algorithm;
      reason = plan.reason;
    }
    capabilities = detail::capabilities_of<types>(list{}, name);
    algorithm = detail::make_algorithm<types>(list{}, name, exec, analysis, options);
    exec.fence("sptrsv::analyze: done");
  }
};

template <class S, class I, class O, class E>
TriangularSolver<S, I, O, E>::TriangularSolver(std::string const& algorithm, E const& exec,
                                               typename types::pattern const& pattern, Shape shape,
                                               OptionValues const& options)
    : impl_(std::make_unique<Impl>(algorithm, exec, pattern, shape, options)) {}
template <class S, class I, class O, class E>
TriangularSolver<S, I, O, E>::~TriangularSolver() = default;
template <class S, class I, class O, class E>
TriangularSolver<S, I, O, E>::TriangularSolver(TriangularSolver&&) noexcept = default;
template <class S, class I, class O, class E>
TriangularSolver<S, I, O, E>& TriangularSolver<S, I, O, E>::operator=(TriangularSolver&&) noexcept = default;

template <class S, class I, class O, class E>
void TriangularSolver<S, I, O, E>::update(E const& exec, typename types::values const& values) {
  if (values.extent(0) < impl_->analysis.values_needed())
    throw PatternChanged(values.extent(0), impl_->analysis.values_needed());
  impl_->updated = false;
  if (impl_->analysis.shape().diagonal == Diagonal::stored) {
    auto const row = detail::first_zero_pivot<types>(exec, impl_->analysis.numbers(values, values));
    if (row < num_rows()) throw ZeroPivot(row);
  }
  impl_->algorithm->update(exec, impl_->analysis, values);
  impl_->updated = true;
}

template <class S, class I, class O, class E>
void TriangularSolver<S, I, O, E>::reserve(E const& exec, int columns) {
  impl_->algorithm->reserve(exec, columns);
}

template <class S, class I, class O, class E>
void TriangularSolver<S, I, O, E>::solve(E const& exec, typename types::rhs const& b, typename types::solution const& x,
                                         Fold<types> const& fold) const {
  if (!impl_->updated) throw NotReady("solve() before update(); call update() with the values of T first");
  auto const n = static_cast<std::size_t>(num_rows());
  if (b.extent(0) != n || x.extent(0) != n || b.extent(1) != x.extent(1))
    throw DimensionMismatch("T has " + std::to_string(n) + " rows, b is " + std::to_string(b.extent(0)) + " by " +
                            std::to_string(b.extent(1)) + " and x " + std::to_string(x.extent(0)) + " by " +
                            std::to_string(x.extent(1)) + "; give n-by-k views with the same k");
  if (b.extent(1) > 1 && !impl_->capabilities.multi_rhs) throw Unsupported(impl_->name, "several right-hand sides");
  if (n == 0) return;
  impl_->algorithm->solve(exec, b, x, fold);
}

template <class S, class I, class O, class E>
std::string const& TriangularSolver<S, I, O, E>::algorithm() const {
  return impl_->name;
}
template <class S, class I, class O, class E>
std::string const& TriangularSolver<S, I, O, E>::reason() const {
  return impl_->reason;
}
template <class S, class I, class O, class E>
std::string TriangularSolver<S, I, O, E>::parameters() const {
  return impl_->algorithm->parameters();
}
template <class S, class I, class O, class E>
std::size_t TriangularSolver<S, I, O, E>::memory_bytes() const {
  return impl_->algorithm->memory_bytes() + impl_->analysis.memory_bytes();
}
template <class S, class I, class O, class E>
long long TriangularSolver<S, I, O, E>::num_rows() const {
  return impl_->analysis.num_rows();
}
template <class S, class I, class O, class E>
Shape TriangularSolver<S, I, O, E>::shape() const {
  return impl_->analysis.shape();
}
template <class S, class I, class O, class E>
Structure TriangularSolver<S, I, O, E>::structure(E const& exec) const {
  return impl_->analysis.structure(exec);
}

}  // namespace sptrsv
