// SPDX-License-Identifier: Apache-2.0
// Passes the findings to plot.py in a file, and waits for it.
#include "plot.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "json.hpp"

extern char** environ;

namespace sptrsv::tools {
namespace {

namespace fs = std::filesystem;

constexpr int no_matplotlib = 3, no_such_program = 127;  // exit codes of plot.py and of a shell

/// Returns the path of plot.py in the build folder or the installation.
fs::path find_script() {
  fs::path const here = fs::read_symlink("/proc/self/exe").parent_path();
  fs::path const places[] = {here / "plot.py", here / "../share/sptrsv/plot.py"};
  for (auto const& place : places)
    if (fs::exists(place)) return place;
  throw std::runtime_error("--plot: there is neither " + places[0].string() + " nor " + places[1].string() +
                           "; install sptrsv with its tools, or copy tools/inspect/plot.py there");
}

/// File for the data, in its own folder with an unpredictable name, since others may put links into the folder for
/// temporary files. The destructor removes it.
class DataFile {
 public:
  explicit DataFile(Report const& report) : folder_(make_folder()) {
    std::ofstream out(path());
    write_json(out, report, true);
    if (out.flush()) return;
    remove();
    throw std::runtime_error("--plot: cannot write " + path() + "; make room there, or set TMPDIR");
  }
  ~DataFile() { remove(); }
  DataFile(DataFile const&) = delete;
  DataFile& operator=(DataFile const&) = delete;
  std::string path() const { return folder_ / "data.json"; }

 private:
  static fs::path make_folder() {
    std::string name = fs::temp_directory_path() / "sptrsv_inspect_XXXXXX";
    if (::mkdtemp(name.data())) return name;
    throw std::runtime_error("--plot: cannot make " + name + ": " + std::strerror(errno) +
                             "; set TMPDIR to a folder to write to");
  }
  void remove() const {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  fs::path folder_;
};

/// Runs a command. @return the exit code.
int run(std::vector<std::string> const& command) {
  std::vector<char*> arguments;
  for (auto const& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  if (int const error = posix_spawnp(&child, arguments[0], nullptr, nullptr, arguments.data(), environ)) {
    if (error == ENOENT) return no_such_program;
    throw std::runtime_error("--plot: cannot run " + command[0] + ": " + std::strerror(error) + "; check --python");
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

}  // namespace

void draw(std::string const& path, std::string const& python, Report const& report) {
  auto const script = find_script();
  DataFile const data(report);
  std::vector<std::string> const interpreters =
      python.empty() ? std::vector<std::string>{"python3", "/usr/bin/python3"} : std::vector<std::string>{python};
  std::string tried;
  for (auto const& interpreter : interpreters) {
    int const code = run({interpreter, script.string(), "--check"});
    if (code == 0) {
      if (run({interpreter, script.string(), data.path(), path}) == 0) return;
      throw std::runtime_error("--plot " + path + ": " + interpreter + " " + script.string() + " failed, see above");
    }
    if (code != no_matplotlib && code != no_such_program)
      throw std::runtime_error("--plot " + path + ": " + interpreter + " cannot run " + script.string() +
                               ", see above; check --python");
    tried +=
        (tried.empty() ? "" : ", ") + interpreter + (code == no_matplotlib ? " has no matplotlib" : " is not there");
  }
  throw std::runtime_error(
      "--plot " + path + ": " + tried +
      "; install it with `apt install python3-matplotlib`, or name an interpreter that has it with --python");
}

}  // namespace sptrsv::tools
