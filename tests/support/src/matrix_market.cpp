// SPDX-License-Identifier: Apache-2.0
// Reader for Matrix Market coordinate files: banner, size line, entries, each with its own checks.
#include "sptrsv_support/matrix_market.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <new>
#include <string_view>

#include "text_source.hpp"

namespace sptrsv::support {
namespace {

using detail::TextSource;

enum class Field { real, integer, pattern };
enum class Symmetry { general, symmetric, skew };

struct Header {
  Field field = Field::real;
  Symmetry symmetry = Symmetry::general;
  std::int64_t num_rows = 0;
  std::int64_t num_cols = 0;
  std::int64_t num_entries = 0;
};

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

/// Removes the next word from the front of `line` and returns it; empty if there is none.
std::string_view take_word(std::string_view& line) {
  std::size_t begin = 0;
  while (begin < line.size() && is_blank(line[begin])) ++begin;
  std::size_t end = begin;
  while (end < line.size() && !is_blank(line[end])) ++end;
  const std::string_view word = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return word;
}

bool is_comment_or_blank(std::string_view line) {
  const std::string_view word = take_word(line);
  return word.empty() || word.front() == '%';
}

std::string lower_case(std::string_view word) {
  std::string result(word);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return result;
}

/// Returns text of a file in a form fit for a message.
std::string quoted(std::string_view text) {
  std::string result = "'";
  for (char c : text.substr(0, 40)) result += (c >= ' ' && c <= '~') ? c : '?';
  return result + (text.size() > 40 ? "...'" : "'");
}

Field parse_field(const TextSource& source, const std::string& word) {
  if (word == "real" || word == "double") return Field::real;
  if (word == "integer") return Field::integer;
  if (word == "pattern") return Field::pattern;
  if (word == "complex") source.fail("complex matrices are not read", "write the real part as a `real` file");
  source.fail("unknown kind of value " + quoted(word), "use real, integer or pattern");
}

Symmetry parse_symmetry(const TextSource& source, const std::string& word) {
  if (word == "general") return Symmetry::general;
  if (word == "symmetric") return Symmetry::symmetric;
  if (word == "skew-symmetric") return Symmetry::skew;
  if (word == "hermitian") source.fail("hermitian matrices are not read", "write the real part as a `symmetric` file");
  source.fail("unknown symmetry " + quoted(word), "use general, symmetric or skew-symmetric");
}

void parse_banner(TextSource& source, Header& header) {
  std::string_view line;
  if (!source.next_line(line)) source.fail("the file is empty", "download or write it again");
  std::string_view rest = line;
  if (lower_case(take_word(rest)) != "%%matrixmarket") {
    source.fail("not a Matrix Market file: it starts with " + quoted(line),
                "its first line must be `%%MatrixMarket matrix coordinate real general` or the like");
  }
  const std::string object = lower_case(take_word(rest)), format = lower_case(take_word(rest));
  const std::string field = lower_case(take_word(rest)), symmetry = lower_case(take_word(rest));
  if (object != "matrix") source.fail("a Matrix Market " + quoted(object) + " is not read", "give a `matrix`");
  if (format == "array") source.fail("a dense `array` file is not read", "write it in `coordinate` format");
  if (format != "coordinate") source.fail("unknown format " + quoted(format), "use `coordinate`");
  header.field = parse_field(source, field);
  header.symmetry = parse_symmetry(source, symmetry);
  if (header.field == Field::pattern && header.symmetry == Symmetry::skew)
    source.fail("a pattern cannot be skew-symmetric", "write the signs as integer values");
  if (!take_word(rest).empty()) source.fail("more than five words in the first line", "end it after the symmetry");
}

/// Removes an integer from the front of `line` and returns it.
std::int64_t take_integer(const TextSource& source, std::string_view& line, const char* what) {
  const std::string_view word = take_word(line);
  if (word.empty()) source.fail(std::string("no ") + what, "the line is cut short: write the file again");
  const char* first = word.data() + (word.front() == '+' && word.size() > 1 && word[1] != '-' ? 1 : 0);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(first, word.data() + word.size(), value);
  if (error == std::errc::result_out_of_range)
    source.fail(std::string(what) + " " + quoted(word) + " does not fit 64 bits", "correct the file");
  if (error != std::errc() || end != word.data() + word.size())
    source.fail(std::string(what) + " " + quoted(word) + " is not an integer", "correct the line");
  return value;
}

/// Removes a real number from the front of `line` and returns it; NaN and infinity included.
double take_real(const TextSource& source, std::string_view& line) {
  const std::string_view word = take_word(line);
  if (word.empty()) source.fail("no value", "write a value on each line, or declare the file `pattern`");
  const char* first = word.data() + (word.front() == '+' && word.size() > 1 && word[1] != '-' ? 1 : 0);
  double value = 0;
  const auto [end, error] = std::from_chars(first, word.data() + word.size(), value);
  if (error == std::errc::invalid_argument || end != word.data() + word.size())
    source.fail("value " + quoted(word) + " is not a number", "correct the line (exponents are written with e)");
  // A value too large or too small for a double is rounded to infinity or zero, as arithmetic would.
  if (error == std::errc::result_out_of_range) value = std::strtod(std::string(word).c_str(), nullptr);
  return value;
}

void check_no_more(const TextSource& source, std::string_view line) {
  const std::string_view word = take_word(line);
  if (!word.empty()) source.fail("unexpected " + quoted(word) + " at the end of the line", "remove it");
}

/// Refuses counts that the file cannot hold, or that would take far more memory than the file has data.
void check_counts(const TextSource& source, const Header& header) {
  if (header.num_rows < 0 || header.num_cols < 0 || header.num_entries < 0)
    source.fail("a negative count in the size line", "write rows, columns and entries, each 0 or more");
  const std::int64_t largest = std::numeric_limits<std::int64_t>::max() / 16;
  if (header.num_rows > largest || header.num_cols > largest)
    source.fail("more rows or columns than can be counted", "correct the size line");
  if (header.symmetry != Symmetry::general && header.num_rows != header.num_cols)
    source.fail("a symmetric matrix must be square", "correct the size line or declare the file `general`");
  // The shortest entries are `1 1` and `1 1 1`, with a line end after all but the last entry.
  const std::int64_t entry_bytes = header.field == Field::pattern ? 4 : 6;
  if (header.num_entries > (source.most_bytes() + 1) / entry_bytes) {
    source.fail("the size line announces " + std::to_string(header.num_entries) +
                    " entries, more than a file of this size can hold",
                "the file is cut short or the size line is wrong");
  }
  constexpr std::int64_t always_fine = std::int64_t{1} << 20;
  if (header.num_rows > always_fine && header.num_rows / 16 > header.num_entries) {
    source.fail("the size line announces " + std::to_string(header.num_rows) + " rows, nearly all of them empty",
                "remove the empty rows or correct the size line");
  }
}

void parse_sizes(TextSource& source, Header& header) {
  std::string_view line;
  do {
    if (!source.next_line(line)) source.fail("the file ends before the size line", "it is cut short: write it again");
  } while (is_comment_or_blank(line));
  header.num_rows = take_integer(source, line, "number of rows");
  header.num_cols = take_integer(source, line, "number of columns");
  header.num_entries = take_integer(source, line, "number of entries");
  check_no_more(source, line);
  check_counts(source, header);
}

Triplet parse_entry(const TextSource& source, const Header& header, std::string_view line) {
  Triplet entry{};
  entry.row = take_integer(source, line, "row");
  entry.col = take_integer(source, line, "column");
  if (entry.row < 1 || entry.row > header.num_rows || entry.col < 1 || entry.col > header.num_cols) {
    source.fail("entry (" + std::to_string(entry.row) + ", " + std::to_string(entry.col) + ") lies outside of the " +
                    std::to_string(header.num_rows) + " by " + std::to_string(header.num_cols) + " matrix",
                "indices start at 1: correct the entry or the size line");
  }
  if (header.symmetry != Symmetry::general && entry.row < entry.col)
    source.fail("an entry above the diagonal in a symmetric file", "store the lower triangle only, or use `general`");
  if (header.symmetry == Symmetry::skew && entry.row == entry.col)
    source.fail("a diagonal entry in a skew-symmetric file", "remove it: that diagonal is zero");
  if (header.field == Field::real) entry.value = take_real(source, line);
  if (header.field == Field::integer) entry.value = static_cast<double>(take_integer(source, line, "value"));
  if (header.field == Field::pattern) entry.value = 1;
  check_no_more(source, line);
  --entry.row;
  --entry.col;
  return entry;
}

std::vector<Triplet> parse_entries(TextSource& source, const Header& header) {
  std::vector<Triplet> entries;
  // A size line within the checked bound can still be wrong, above all for gzip, so growth follows the data: each entry
  // takes at least about a byte on disk.
  entries.reserve(std::min(header.num_entries, source.bytes_on_disk()));
  std::string_view line;
  while (source.next_line(line)) {
    if (is_comment_or_blank(line)) continue;
    if (static_cast<std::int64_t>(entries.size()) == header.num_entries) {
      source.fail("more lines than the " + std::to_string(header.num_entries) + " entries that the size line announces",
                  "correct the size line or remove what follows the last entry");
    }
    entries.push_back(parse_entry(source, header, line));
  }
  if (static_cast<std::int64_t>(entries.size()) < header.num_entries) {
    source.fail("the file ends after " + std::to_string(entries.size()) + " of " + std::to_string(header.num_entries) +
                    " entries",
                "it is cut short: download or write it again");
  }
  return entries;
}

}  // namespace

CsrMatrix read_matrix_market(const std::string& path) {
  try {
    TextSource source(path);
    Header header;
    parse_banner(source, header);
    parse_sizes(source, header);
    const std::vector<Triplet> entries = parse_entries(source, header);
    const Mirror mirror = header.symmetry == Symmetry::general     ? Mirror::none
                          : header.symmetry == Symmetry::symmetric ? Mirror::same
                                                                   : Mirror::negative;
    return csr_from_triplets(header.num_rows, header.num_cols, entries, mirror);
  } catch (const std::bad_alloc&) {
    throw ReadError(path + ": not enough memory for this matrix; use a machine with more, or a smaller matrix");
  }
}

}  // namespace sptrsv::support
