// SPDX-License-Identifier: Apache-2.0
#include "manual_pages.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <ostream>
#include <sptrsv/solver.hpp>
#include <sstream>
#include <stdexcept>

#include "options/option_list.hpp"

namespace {

using Item = std::pair<std::string, std::string>;  // what is described, its description

/// Manual page, without the marks of PETSc's format.
struct Page {
  std::string name, value, summary;
  std::vector<Item> options;
  std::string level;
  std::vector<std::string> notes;  ///< paragraphs
  std::vector<Item> types;         ///< list after the notes
  std::string reference;
  std::vector<std::string> see_also;
};

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}
std::string quoted(std::string const& text) { return "`" + text + "`"; }
std::string solver_name(std::string const& type) { return "MATSOLVER" + upper(type); }
std::string ordering_name(std::string const& ordering) { return "MATORDERING" + upper(ordering); }

// --- printing

/// Prints words in lines of up to 118 characters; `first` begins the first line, `next` the others.
void print_wrapped(std::ostream& out, std::string const& first, std::string const& next, std::string const& text) {
  std::size_t const longest = 118;
  std::istringstream words(text);
  std::string line = first, word;
  bool empty = true;
  while (words >> word) {
    if (!empty && line.size() + 1 + word.size() > longest) {
      out << line << "\n";
      line = next;
      empty = true;
    }
    line += (empty ? "" : " ") + word;
    empty = false;
  }
  out << line << "\n";
}

/// Prints a list with PETSc's marks: + for the first item, - for the last one, a period for all others or a single one.
void print_list(std::ostream& out, std::vector<Item> const& items) {
  for (std::size_t k = 0; k < items.size(); ++k) {
    bool const single = items.size() == 1;
    char const* const mark = single ? ". " : k == 0 ? "+ " : k + 1 == items.size() ? "- " : ". ";
    print_wrapped(out, mark, "    ", items[k].first + " - " + items[k].second);
  }
}

void print(std::ostream& out, Page const& page) {
  out << "\n/*MC\n";
  print_wrapped(out, "  ", "  ", page.name + " = \"" + page.value + "\" - " + page.summary);
  out << "\n  Options Database Key" << (page.options.size() > 1 ? "s" : "") << ":\n";
  print_list(out, page.options);
  out << "\n  Level: " << page.level << "\n\n  Note" << (page.notes.size() > 1 ? "s" : "") << ":\n";
  for (auto const& note : page.notes) {
    print_wrapped(out, "  ", "  ", note);
    if (&note != &page.notes.back()) out << "\n";
  }
  print_list(out, page.types);
  if (!page.reference.empty()) {
    out << "\n  Reference:\n";
    print_wrapped(out, ". * - ", "    ", page.reference);
  }
  std::string names;
  for (auto const& name : page.see_also) names += (names.empty() ? "" : ", ") + name;
  out << "\n";
  print_wrapped(out, ".seealso: ", "          ", "[](ch_matrices), [](sec_matfactor), " + names);
  out << "M*/\n";
}

// --- options

/// Returns an option and its values in the form of PETSc's pages.
/// @param start  beginning of the option's name, without the hyphen
Item item(sptrsv::OptionInfo const& info, std::string const& start) {
  bool const word = info.kind == sptrsv::OptionInfo::Kind::word;
  std::string words, limits = info.is_number() ? accepted_numbers(info) : word ? info.choices.front() : "";
  if (!word)
    for (auto const& choice : info.choices) words += (words.empty() ? "(" : "|") + choice;
  words += words.empty() ? (word ? "name" : "n") : ")";
  auto const preset = info.text(info.value);
  if (!preset.empty()) limits += (limits.empty() ? "default " : ", default ") + preset;
  return {"-" + start + info.name + " " + words, info.help + (limits.empty() ? "" : "; " + limits)};
}

std::vector<Item> items(std::vector<sptrsv::OptionInfo> const& options, std::string const& start) {
  std::vector<Item> out;
  for (auto const& info : options) out.push_back(item(info, start));
  return out;
}

/// Returns the option that chooses a type.
Item choice_of(std::string const& type) { return {"-pc_factor_mat_solver_type " + type, "solves with this type"}; }

// --- pages

char const* const thread_and_warp_level =
    "F. Zhang, J. Su, W. Liu, B. He, R. Wu, X. Du, R. Wang, YuenyeungSpTRSV: A Thread-Level and Warp-Level Fusion "
    "Synchronization-Free Sparse Triangular Solve, IEEE Transactions on Parallel and Distributed Systems, 2021";

std::map<std::string, std::string> const references = {
    {"levelset",
     "M. Naumov, Parallel Solution of Sparse Triangular Linear Systems in the Preconditioned Iterative Methods on the "
     "GPU, NVIDIA, NVR-2011-001, 2011"},
    {"syncfree",
     "W. Liu, A. Li, J. Hogg, I. Duff, B. Vinter, A Synchronization-Free Algorithm for Parallel Sparse Triangular "
     "Solves, Euro-Par 2016"},
    {"threadlevel", thread_and_warp_level},
    {"fused", thread_and_warp_level},
    {"tiled",
     "Z. Lu, W. Liu, TileSpTRSV: a tiled algorithm for parallel sparse triangular solve on GPUs, CCF Transactions on "
     "High Performance Computing, 2023"},
    {"colorset",
     "B. Suchoski, Adapting Sparse Triangular Solution to GPU, MSc thesis, The Pennsylvania State "
     "University, 2012"},
    {"iterated",
     "H. Anzt, E. Chow, J. Dongarra, Iterative Sparse Triangular Solves for Preconditioning, Euro-Par 2015"},
};

Page planner_page() {
  auto const& info = sptrsv::planner_info();
  Page page{
      solver_name(info.name),
      info.name,
      "Triangular solves with factors of LU, ILU, Cholesky and ICC in Kokkos kernels, on GPUs and CPUs. This type "
      "of the package sptrsv " +
          info.summary + ".",
      {choice_of(info.name)},
      "beginner",
      {},
      {},
      "",
      {}};
  for (auto const& option : items(info.options, "mat_sptrsv_")) page.options.push_back(option);
  for (auto const& [group, options] : sptrsv_petsc::OwnOptions())
    if (std::string(group.holder) != "matrix")
      for (auto const& option : items(options, group.start)) page.options.push_back(option);
  page.notes.emplace_back(
      "Configure PETSc with `--download-sptrsv`, or have an installed PETSc load the package by "
      "`-dll_append path/libsptrsv_petsc.so`.");
  page.notes.emplace_back(
      "Matrices are of type `MATSEQAIJ` or of a type derived from it, such as `MATSEQAIJKOKKOS` and "
      "`MATSEQAIJCUSPARSE`, of type `MATSEQBAIJ`, or for `PCCHOLESKY` and `PCICC` of type `MATSEQSBAIJ`. On several "
      "MPI processes a factor is that of a block, as in `PCBJACOBI` and `PCASM`; give the options with the prefix of "
      "the block, as in `-sub_pc_factor_mat_solver_type`.");
  page.notes.push_back("Fill, shifts, pivots and orderings are those of PETSc. The package adds the orderings " +
                       quoted(ordering_name("color")) + " and " + quoted(ordering_name("blockcolor")) + ".");
  page.notes.emplace_back(
      "`KSPView()` shows the type that was chosen for each triangle, and why. The options of the types below apply if "
      "they are chosen.");
  page.notes.emplace_back("A value 0 means that the type chooses.");
  page.notes.emplace_back("The types are");
  for (auto const& algorithm : sptrsv::algorithm_infos())
    page.types.emplace_back(quoted(solver_name(algorithm.name)), algorithm.summary);
  page.see_also = {"`Mat`",
                   "`PCLU`",
                   "`PCILU`",
                   "`PCCHOLESKY`",
                   "`PCICC`",
                   "`PCFactorSetMatSolverType()`",
                   "`MatSolverType`",
                   "`MatGetFactor()`",
                   "`MatSpTRSVGetInfo()`",
                   "`SpTRSVPCShellSetTriangles()`"};
  for (auto const& algorithm : sptrsv::algorithm_infos()) page.see_also.push_back(quoted(solver_name(algorithm.name)));
  return page;
}

/// Returns a sentence on what the type can do.
std::string abilities(sptrsv::Capabilities const& can) {
  std::string out = "Solves with L";
  if (can.upper) out += " and U";
  if (can.transpose) out += ", plain and transposed";
  if (can.multi_rhs) out += ", for one or several right-hand sides";
  if (!can.any_pattern) out += ", if they have the structure named above; other triangles are refused with an error";
  out += ".";
  if (!can.exact)
    out +=
        " The answer is approximate, also as `PCLU` or `PCCHOLESKY`; `MatView()` of the factor shows how many sweeps "
        "would be exact.";
  return out;
}

Page type_page(sptrsv::AlgorithmInfo const& info) {
  auto const planner = solver_name(sptrsv::planner_info().name);
  Page page{solver_name(info.name),
            info.name,
            "Triangular solves by the package sptrsv: " + info.summary,
            {choice_of(info.name)},
            "intermediate",
            {},
            {},
            "",
            {}};
  bool chooses = false;
  for (auto const& option : info.options) {
    page.options.push_back(item(option, "mat_sptrsv_" + info.name + "_"));
    chooses = chooses || (option.is_number() && option.value == 0);
  }
  if (info.capabilities.single_storage)
    for (auto const& option : sptrsv::common_options()) page.options.push_back(item(option, "mat_sptrsv_"));
  page.notes = {abilities(info.capabilities)};
  if (!info.ordering.empty())
    page.notes.push_back("It is made for matrices in the ordering " + quoted(ordering_name(info.ordering)) +
                         ", which `PCILU` and `PCICC` use with this type unless another one is given.");
  if (chooses) page.notes.emplace_back("A value 0 means that the type chooses.");
  page.notes.push_back("The options of " + quoted(planner) + " for all types apply, such as `-mat_sptrsv_backend`.");
  auto const reference = references.find(info.name);
  if (reference != references.end()) page.reference = reference->second;
  page.see_also = {"`Mat`",         "`PCFactorSetMatSolverType()`", "`MatSolverType`", "`MatGetFactor()`",
                   quoted(planner), "`MatSpTRSVGetInfo()`"};
  if (!info.ordering.empty()) page.see_also.push_back(quoted(ordering_name(info.ordering)));
  return page;
}

Page ordering_page(std::string const& ordering, std::string const& summary, std::vector<std::string> const& notes,
                   std::string const& other) {
  Page page{ordering_name(ordering),
            ordering,
            summary,
            {{"-pc_factor_mat_ordering_type " + ordering, "orders a factor's matrix"}},
            "intermediate",
            notes,
            {},
            "",
            {}};
  for (auto const& [group, options] : sptrsv_petsc::OwnOptions())
    if (group.start == "mat_ordering_" + ordering + "_")
      for (auto const& option : items(options, group.start)) page.options.push_back(option);
  page.see_also = {"`Mat`",
                   "`PCFactorSetMatOrderingType()`",
                   "`MatOrderingType`",
                   "`MatGetOrdering()`",
                   quoted(ordering_name(other)),
                   quoted(solver_name(sptrsv::planner_info().name))};
  for (auto const& info : sptrsv::algorithm_infos())
    if (info.ordering == ordering) page.see_also.push_back(quoted(solver_name(info.name)));
  return page;
}

std::vector<Page> ordering_pages() {
  std::string const whom =
      "PETSc knows the ordering once the package sptrsv is loaded, for each `MatSolverType` that takes PETSc's "
      "orderings.";
  return {ordering_page("color",
                        "Orders the rows by color, so that a factor without fill has a set of independent rows per "
                        "color",
                        {"Solves have few steps, and a Krylov method may need more iterations.",
                         "Inodes of `MATSEQAIJ` and blocks of `MATSEQBAIJ` stay together.", whom},
                        "blockcolor"),
          ordering_page("blockcolor", "Orders blocks of rows by color, with the rows of a block in their natural order",
                        {"Solves have more steps than with " + quoted(ordering_name("color")) +
                             ", and a Krylov method needs fewer iterations.",
                         whom},
                        "color")};
}

char const* const head = R"(/* SPDX-License-Identifier: Apache-2.0
   Manual pages of the solver types and orderings, in PETSc's format, printed by tools/options_page --manual-pages. The
   pages of the functions, and the names that these pages are of, are in sptrsv_petsc.h. */

/* SUBMANSEC = Mat */
)";

}  // namespace

std::string accepted_numbers(sptrsv::OptionInfo const& info) {
  if (info.kind == sptrsv::OptionInfo::Kind::power_of_two)
    return "0 or a power of two, to " + std::to_string(info.high);
  return info.high < 2147483647 ? std::to_string(info.low) + " to " + std::to_string(info.high)
                                : "from " + std::to_string(info.low) + " on";
}

void print_manual_pages(std::ostream& out) {
  auto const& algorithms = sptrsv::algorithm_infos();
  for (auto const& [name, text] : references)
    if (!sptrsv::find_algorithm(name))
      throw std::logic_error("manual_pages.cpp has a reference for " + name + ", which is no algorithm of the list");
  out << head;
  print(out, planner_page());
  for (auto const& info : algorithms) print(out, type_page(info));
  for (auto const& page : ordering_pages()) print(out, page);
}
