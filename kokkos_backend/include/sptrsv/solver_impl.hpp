// SPDX-License-Identifier: Apache-2.0
// Definitions of TriangularSolver, for the files that instantiate it.
#pragma once

#include <utility>

#include "sptrsv/device/small_range.hpp"
#include "sptrsv/planner/algorithm_list.hpp"
#include "sptrsv/planner/held_algorithm.hpp"
#include "sptrsv/planner/plan_key.hpp"
#include "sptrsv/planner/plan_measure.hpp"
#include "sptrsv/planner/planner.hpp"
#include "sptrsv/planner/runtime_tuning.hpp"
#include "sptrsv/solver.hpp"
#include "sptrsv/triangle/check_views.hpp"
#include "sptrsv/triangle/stored_values.hpp"

namespace sptrsv {

namespace detail {

template <class T>
struct Chosen {
  std::string name;
  Capabilities capabilities;
  std::unique_ptr<AnyAlgorithm<T>> algorithm;
};

template <class T, class... A>
Chosen<T> make_algorithm(TypeList<A...>, std::string const& name, typename T::exec_space const& exec,
                         Analysis<T> const& analysis, Options const& options) {
  Chosen<T> made{name, {}, nullptr};
  auto const attempt = [&](auto* type) {
    using algorithm = std::remove_pointer_t<decltype(type)>;
    if (made.algorithm || name != algorithm::name) return;
    require(algorithm::capabilities, name, analysis.shape().triangle == Triangle::upper, analysis.shape().transposed(),
            analysis.storage());
    made.capabilities = algorithm::capabilities;
    made.algorithm = MakeAlgorithm<T, algorithm>::make(exec, analysis, options);
  };
  (attempt(static_cast<A*>(nullptr)), ...);
  return made;
}

/// Returns the planner's candidates in the order of the list: algorithms that solve exactly, support the shape, the
/// storage and any number of right-hand sides, and consider themselves worth planning.
template <class T, class... A>
std::vector<Candidate> candidates_of(TypeList<A...>, typename T::exec_space const& exec, Analysis<T> const& analysis) {
  std::vector<Candidate> candidates;
  auto const shape = analysis.shape();
  auto const look = [&](auto* type) {
    using algorithm = std::remove_pointer_t<decltype(type)>;
    constexpr Capabilities can = algorithm::capabilities;
    if (can.exact && (can.upper || shape.triangle == Triangle::lower) && (can.transpose || !shape.transposed()) &&
        can.multi_rhs && (can.single_storage || analysis.storage() == Storage::full))
      if (auto const candidate = MakeAlgorithm<T, algorithm>::candidate(exec, analysis))
        candidates.push_back(*candidate);
  };
  (look(static_cast<A*>(nullptr)), ...);
  return candidates;
}

/// Returns the first row whose stored diagonal is exactly zero, or n.
template <class T>
long long first_zero_pivot(typename T::exec_space const& exec, TriangleValues<T> const& numbers) {
  auto const is_zero = KOKKOS_LAMBDA(typename T::index i) {
    return numbers.stored_diagonal(i) == typename T::scalar(0);
  };
  return first_row_with<T>("sptrsv::update::pivots", exec, numbers.num_rows, numbers.num_rows, is_zero);
}

}  // namespace detail

template <class S, class I, class O, class E>
struct TriangularSolver<S, I, O, E>::Impl {
  using list = Algorithms<types>;
  Analysis<types> analysis;
  detail::Chosen<types> chosen;
  std::string reason;
  /// Reason why solve() must not be called yet, or nullptr.
  char const* not_ready = "solve() before update(); call update() with the values of T first";
  // for sptrsv_plan=measure
  bool to_measure = false;
  int reserved = 1;  // columns
  Options options;
  PlanOptions plan_options;
  std::vector<PlanTiming> timings;
  detail::PlanClock clock;
  int num_threads = 1;                                             ///< Kokkos' threads on a host
  std::string const one_thread = detail::one_thread_name(list{});  ///< substitution by one thread
  // for sptrsv on a host
  typename types::values values;      ///< the caller's values in the last update()
  detail::Chosen<types> alternative;  ///< substitution by one thread, as an alternative of the chosen algorithm
  detail::RuntimeTuning tuning;
  detail::DeferredPlan deferred;

  Impl(std::string const& asked, E const& exec, typename types::pattern const& pattern, Shape shape,
       Options const& given)
      : analysis((detail::require_algorithm(asked), exec), pattern, shape),
        reason("asked for"),
        options(given),
        plan_options(given.of<PlanOptions>("sptrsv")),
        num_threads(is_host_space<E> ? exec.concurrency() : 1) {
    if (!detail::is_single<S>) analysis.set_storage(plan_options.common.storage);
    std::string const name = asked == "sptrsv" ? plan(exec) : asked;
    if (!chosen.algorithm) chosen = detail::make_algorithm<types>(list{}, name, exec, analysis, options);
    if (asked == "sptrsv" && !deferred.waits()) admit_alternative(exec);
    exec.fence("sptrsv::analyze: done");
    analysis.drop_kept(exec);
  }

  /// Returns the chosen algorithm, which the first update or a later solve may replace; may already make it.
  std::string plan(E const& exec) {
    PlanMethod const method = plan_options.plan;
    bool const measure = method == PlanMethod::measure;
    std::string failed;
    if (is_host_space<E> && method == PlanMethod::automatic && analysis.storage() == Storage::full) {
      bool const large = static_cast<double>(analysis.num_rows()) >= detail::HostTimes::least_rows;
      deferred.start(large);
      reason = large ? "no other type is considered before solves have taken as long as its analysis"
                     : "fewer than 500 rows";
      return one_thread;
    }
    if (measure && analysis.num_rows() > 0) {
      if (recall(exec, failed)) return chosen.name;
      to_measure = true;
    }
    Plan estimate;
    if constexpr (is_host_space<E>) estimate = detail::choose_on_host<types>(exec, analysis);
    else estimate = choose_on_device<types>(exec, analysis, detail::candidates_of<types>(list{}, exec, analysis));
    reason = estimate.reason + failed + (to_measure ? "; to be measured at the first update" : "");
    return estimate.algorithm;
  }

  /// If choose_on_host() could have chosen the algorithm, makes the alternative, which gives the same bits.
  void admit_alternative([[maybe_unused]] E const& exec) {
    tuning.start();
    alternative = {};
    if constexpr (is_host_space<E>)
      for (auto const& candidate : detail::host_candidates<types>(list{}))
        if (candidate.name == chosen.name && analysis.storage() == Storage::full)
          alternative = detail::make_algorithm<types>(list{}, one_thread, exec, analysis, options);
  }

  double seconds_now() const { return clock ? clock() : detail::steady_seconds(); }

  /// Solves by the chosen algorithm or, on a host, by its alternative. Compares only solves of one column.
  void solve(E const& exec, typename types::rhs const& b, typename types::solution const& x,
             PermuteScale<types> const& permute_scale) {
    if (!deferred.waits() && !alternative.algorithm) {
      require_kernels();
      return chosen.algorithm->solve(exec, b, x, permute_scale);
    }
    bool const nested = detail::inside_parallel_region<E>(), one_column = b.extent(1) == 1;
    auto const who = one_column ? tuning.next() : tuning.preferred();
    bool const of_alternative = alternative.algorithm && (nested || who == detail::RuntimeTuning::alternative);
    double const begin = seconds_now();
    (of_alternative ? alternative : chosen).algorithm->solve(exec, b, x, permute_scale);
    if (nested) return;  // no kernel can be launched here, and the time is not representative
    double const seconds = seconds_now() - begin;
    if (alternative.algorithm && one_column) tuning.record(seconds);
    if (!deferred.waits()) return;
    deferred.record(seconds, static_cast<long long>(b.extent(1)));
    try {
      if (deferred.must_look()) look_for_gain(exec);
      else if (deferred.must_analyze()) analyze_now(exec);
    } catch (...) {  // for example without memory for a text; x has been computed
      deferred.end();
    }
  }

  /// Throws Unsupported if the chosen algorithm launches kernels and Kokkos cannot launch any from this thread.
  void require_kernels() const {
    int const number = detail::number_in_parallel_region<E>();
    if (number < num_threads || chosen.capabilities.one_thread) return;
    throw Unsupported(chosen.name,
                      "solves by thread " + std::to_string(number) +
                          " of the program's own parallel region (Kokkos has " + std::to_string(num_threads) + ")",
                      "solve outside of the region, give Kokkos as many threads, or choose " + one_thread);
  }

  /// Bounds the gain of another algorithm over `sequential`, whose time is known.
  void look_for_gain([[maybe_unused]] E const& exec) {
    if constexpr (is_host_space<E>) {
      detail::HostTimes const times = detail::host_times<types>(detail::core_speed(exec), analysis);
      double const analyzing = detail::HostCost::analysis(times.rows, times.mean_row, analysis.shape().transposed());
      deferred.look(1e-9 * detail::least_on_host<types>(times), 1e-9 * analyzing, detail::HostTimes::pays);
      if (!deferred.waits()) reason = "no gain in another order";
    }
  }
  /// Switches to the algorithm with the least time by the structure and the measured time of `sequential`. If that
  /// fails, for lack of memory for example, `sequential` stays, and the reason tells what failed.
  void analyze_now(E const& exec) {
    double const measured = deferred.sequential_seconds();
    deferred.end();
    try {
      Plan plan;
      if constexpr (is_host_space<E>) plan = detail::choose_on_host<types>(exec, analysis, 1e9 * measured);
      if (plan.algorithm != chosen.name) {
        auto made = detail::make_algorithm<types>(list{}, plan.algorithm, exec, analysis, options);
        if (!made.algorithm) throw UnknownAlgorithm(plan.algorithm, "those of this build");
        made.algorithm->update(exec, analysis, values);
        made.algorithm->reserve(exec, reserved);
        std::swap(chosen, made);
        alternative = std::move(made);
        tuning.start(measured);
      }
      reason = plan.reason;
    } catch (std::exception const& e) {
      reason = std::string("another type cannot be analyzed here: ") + e.what();
    }
    exec.fence("sptrsv::analyze: done");
    analysis.drop_kept(exec);
  }

  std::string parameters() const {
    std::string const own = chosen.algorithm->parameters();
    auto const lost = tuning.solves(detail::RuntimeTuning::alternative);
    if (!alternative.algorithm || lost == 0) return own;
    return own + "; " + std::to_string(lost) + " of " +
           std::to_string(lost + tuning.solves(detail::RuntimeTuning::planned)) + " solves by " + alternative.name;
  }

  /// Makes the algorithm that an earlier solver of this pattern measured as fastest. If that fails here, for lack of
  /// memory for example, forgets the measurement.
  /// @param failed  out: the failure, for the reason
  bool recall(E const& exec, std::string& failed) {
    auto const key = detail::plan_key<types>(exec, analysis, options);
    auto const known = detail::recall_plan(key);
    if (!known) return false;
    std::string const name = known->front().algorithm;
    try {
      auto made = detail::make_algorithm<types>(list{}, name, exec, analysis, options);
      if (!made.algorithm) throw UnknownAlgorithm(name, "those of this build");
      reason = detail::reason_of(*known, true);
      timings = *known;
      chosen = std::move(made);
      return true;
    } catch (std::exception const& e) {
      failed = "; " + name + ", measured before, fails here: " + e.what();
    }
    detail::forget_plan(key);
    timings.clear();
    return false;
  }

  /// Times the estimate's algorithm, which already has the values, and all other candidates, and keeps the fastest. If
  /// this throws, the solver keeps the fastest candidate so far, and the next update measures again.
  void measure(E const& exec, typename types::values const& values) {
    analysis.levels(exec);  // makes the candidates independent of earlier calls
    std::vector<std::string> names{chosen.name};
    for (auto const& candidate : detail::candidates_of<types>(list{}, exec, analysis))
      if (candidate.algorithm != chosen.name) names.push_back(candidate.algorithm);
    auto const n = static_cast<std::size_t>(analysis.num_rows());
    Kokkos::View<S**, Kokkos::LayoutLeft, typename types::device> b("sptrsv::planner::b", n, 1),
        x("sptrsv::planner::x", n, 1);
    Kokkos::deep_copy(exec, b, S(1));
    auto const make = [&](std::string const& other) {
      auto made = detail::make_algorithm<types>(list{}, other, exec, analysis, options);
      made.algorithm->update(exec, analysis, values);
      exec.fence("sptrsv::planner: a candidate is ready");
      return made;
    };
    auto const solve = [&](detail::Chosen<types> const& candidate, int times) {
      for (int k = 0; k < times; ++k) candidate.algorithm->solve(exec, b, x, {});
      exec.fence("sptrsv::planner: solves are timed");
    };
    exec.fence("sptrsv::planner: nothing else is timed");
    auto measured = detail::measure_candidates(names, chosen, make, solve, clock ? clock : detail::steady_seconds);
    auto why = detail::reason_of(measured, false);
    chosen.algorithm->reserve(exec, reserved);
    detail::remember_plan(detail::plan_key<types>(exec, analysis, options), measured);
    analysis.drop_kept(exec);
    timings = std::move(measured);
    reason = std::move(why);
    to_measure = false;
    admit_alternative(exec);
    if (alternative.algorithm) alternative.algorithm->update(exec, analysis, values);
  }
};

template <class S, class I, class O, class E>
TriangularSolver<S, I, O, E>::TriangularSolver(std::string const& algorithm, E const& exec,
                                               typename types::pattern const& pattern, Shape shape,
                                               Options const& options)
    : impl_(std::make_unique<Impl>(algorithm, exec, pattern, shape, options)) {}
template <class S, class I, class O, class E>
TriangularSolver<S, I, O, E>::~TriangularSolver() = default;
template <class S, class I, class O, class E>
TriangularSolver<S, I, O, E>::TriangularSolver(TriangularSolver&&) noexcept = default;
template <class S, class I, class O, class E>
TriangularSolver<S, I, O, E>& TriangularSolver<S, I, O, E>::operator=(TriangularSolver&&) noexcept = default;

template <class S, class I, class O, class E>
typename TriangularSolver<S, I, O, E>::Impl& TriangularSolver<S, I, O, E>::impl() const {
  if (!impl_)
    throw NotReady("this solver was moved from and has no pattern; use the one it was moved to, or assign another");
  return *impl_;
}

template <class S, class I, class O, class E>
void TriangularSolver<S, I, O, E>::update(E const& exec, typename types::values const& values) {
  Impl& own = impl();
  auto const needed = own.analysis.values_needed();
  if (values.extent(0) < needed) throw PatternChanged(values.extent(0), needed);
  own.not_ready = "solve() after an update() that threw; call update() again, with values that it takes";
  if (own.analysis.shape().diagonal == Diagonal::stored) {
    auto const row = detail::first_zero_pivot<types>(exec, own.analysis.numbers(values, values));
    if (row < num_rows()) throw ZeroPivot(row);
  }
  own.values = values;
  own.chosen.algorithm->update(exec, own.analysis, values);
  if (own.alternative.algorithm) own.alternative.algorithm->update(exec, own.analysis, values);
  if (own.to_measure) own.measure(exec, values);
  own.not_ready = nullptr;
}

template <class S, class I, class O, class E>
void TriangularSolver<S, I, O, E>::reserve(E const& exec, int columns) {
  Impl& own = impl();
  if (columns < 0)
    throw DimensionMismatch("reserve() was asked for " + std::to_string(columns) + " columns; give 0 or more");
  own.chosen.algorithm->reserve(exec, columns);
  own.reserved = std::max(own.reserved, columns);
}

template <class S, class I, class O, class E>
void TriangularSolver<S, I, O, E>::solve(E const& exec, typename types::rhs const& b, typename types::solution const& x,
                                         PermuteScale<types> const& permute_scale) const {
  Impl& own = impl();
  if (own.not_ready) throw NotReady(own.not_ready);
  if (b.extent(1) > static_cast<std::size_t>(detail::most_counted<int>()))
    throw DimensionMismatch("b has " + std::to_string(b.extent(1)) +
                            " columns; solve for fewer than 2^31 - 2^26 at once");
  detail::check_extents<types>(static_cast<std::size_t>(num_rows()), b, x, permute_scale);
  if (b.extent(1) > 1 && !own.chosen.capabilities.multi_rhs)
    throw Unsupported(own.chosen.name, "several right-hand sides");
  if (b.extent(0) == 0 || b.extent(1) == 0) return;
  detail::check_overlap<types>(b, x, permute_scale);
  own.solve(exec, b, x, permute_scale);
}

template <class S, class I, class O, class E>
std::string const& TriangularSolver<S, I, O, E>::algorithm() const {
  return impl().chosen.name;
}
template <class S, class I, class O, class E>
std::string const& TriangularSolver<S, I, O, E>::reason() const {
  return impl().reason;
}
template <class S, class I, class O, class E>
std::vector<PlanTiming> const& TriangularSolver<S, I, O, E>::timings() const {
  return impl().timings;
}
template <class S, class I, class O, class E>
void TriangularSolver<S, I, O, E>::set_clock(std::function<double()> seconds) {
  impl().clock = std::move(seconds);
}
template <class S, class I, class O, class E>
PlanInput TriangularSolver<S, I, O, E>::plan_input(E const& exec) const {
  PlanFeatures<types> features(exec, impl().analysis, exec.concurrency());
  PlanInput out;
  for (std::size_t f = 1; f < detail::num_features; ++f) {
    detail::Feature const feature(f);
    features.find(feature);
    out.features.emplace_back(feature.name(), features.value(feature));
  }
  auto const candidates = detail::candidates_of<types>(typename Impl::list{}, exec, impl().analysis);
  for (auto const& candidate : candidates) out.candidates.push_back(candidate.algorithm);
  out.predicted = predict<types>(exec, impl().analysis, candidates);
  impl().analysis.drop_kept(exec);
  return out;
}
template <class S, class I, class O, class E>
long long TriangularSolver<S, I, O, E>::num_passes() const {
  return impl().chosen.algorithm->num_passes();
}
template <class S, class I, class O, class E>
std::string TriangularSolver<S, I, O, E>::parameters() const {
  return impl().parameters();
}
template <class S, class I, class O, class E>
std::size_t TriangularSolver<S, I, O, E>::memory_bytes() const {
  auto const& alternative = impl().alternative.algorithm;
  return impl().chosen.algorithm->memory_bytes() + (alternative ? alternative->memory_bytes() : 0) +
         impl().analysis.memory_bytes();
}
template <class S, class I, class O, class E>
long long TriangularSolver<S, I, O, E>::num_rows() const {
  return impl().analysis.num_rows();
}
template <class S, class I, class O, class E>
Shape TriangularSolver<S, I, O, E>::shape() const {
  return impl().analysis.shape();
}
template <class S, class I, class O, class E>
Analysis<typename TriangularSolver<S, I, O, E>::types> const& TriangularSolver<S, I, O, E>::analysis() const {
  return impl().analysis;
}
template <class S, class I, class O, class E>
Structure TriangularSolver<S, I, O, E>::structure(E const& exec) const {
  Structure const found = impl().analysis.structure(exec);
  impl().analysis.drop_kept(exec);
  return found;
}

}  // namespace sptrsv
