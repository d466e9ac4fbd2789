# SPDX-License-Identifier: Apache-2.0
"""Tests scripts/release in a repository of its own, made from a copy of this one: each refusal, the archive, the tag.

    release_test.py ROOT
"""
import datetime
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else ".").resolve()
VERSION, DATE = "9.8.7", "2031-02-03"
CLUSTER = "examples/cluster"
HEADERS = ["plugin/petsc/sptrsv_petsc.h", "kokkos_backend/include/sptrsv/version.hpp"]
RECIPE, SPACK = f"{CLUSTER}/sptrsv-{VERSION}.eb", f"{CLUSTER}/spack/packages/sptrsv/package.py"
FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="sptrsv-release-test."))
COPY, TMP = FOLDER / "checkout", FOLDER / "tmp"
ENVIRONMENT = {**{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
               "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "TMPDIR": str(TMP)}
for role in ("AUTHOR", "COMMITTER"):
    ENVIRONMENT |= {f"GIT_{role}_NAME": "Test", f"GIT_{role}_EMAIL": "test@example.org"}


def git(*arguments):
    return subprocess.run(["git", "-C", COPY, *arguments], env=ENVIRONMENT, capture_output=True, text=True,
                          check=True).stdout


def commit():
    git("add", "-A")
    git("commit", "-q", "-m", "Change")


def edit(name, pattern, text, count=1):
    """Replaces matches of a pattern, at most `count` unless that is 0; fails if there is none. Returns the line."""
    before = (COPY / name).read_text()
    after, found = re.subn(pattern, lambda _: text, before, count=count, flags=re.M)
    assert found, f"{name} has no {pattern}"
    (COPY / name).write_text(after)
    return before.count("\n", 0, re.search(pattern, before, re.M).start()) + 1


def script(*arguments):
    return subprocess.run([COPY / "scripts/release", *arguments], env=ENVIRONMENT, capture_output=True, text=True,
                          check=False)


def release(*options):
    done = script(VERSION, "--date", DATE, *options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def state():
    return git("status", "--porcelain", "--ignored"), git("tag"), git("rev-parse", "HEAD"), os.listdir(TMP)


class ReleaseTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.addClassCleanup(shutil.rmtree, FOLDER)
        if not list(ROOT.glob(f"{CLUSTER}/sptrsv-*.eb")):
            raise unittest.SkipTest("the archive of a release has no recipes, and makes no release")
        shutil.copytree(ROOT, COPY, symlinks=True, ignore=shutil.ignore_patterns("build*", ".git", ".stack", "*cache*"))
        TMP.mkdir()
        git("init", "-q", "-b", "main")
        next(COPY.glob(f"{CLUSTER}/sptrsv-*.eb")).rename(COPY / RECIPE)
        for name, pattern, text in [
                ("CMakeLists.txt", r"(?<=project\(sptrsv VERSION )[0-9.]+", VERSION),
                ("CITATION.cff", r"(?<=^version: ).*", VERSION), ("CITATION.cff", r"(?<=^date-released: ).*", DATE),
                ("CHANGELOG.md", r"^## .*", f"## {VERSION}, {DATE}\n\n- It is released."),
                (RECIPE, r"(?<=^version = ).*", f"'{VERSION}'"), (RECIPE, r"eb sptrsv-\S*\.eb", f"eb {RECIPE[17:]}"),
                (SPACK, r'version\("[0-9][^"]*"', f'version("{VERSION}"'),
                ("plugin/petsc/upstream/sptrsv.py", r"(?<=self\.version         = )'.*'", f"'{VERSION}'")]:
            edit(name, pattern, text)
        for header in HEADERS:
            for part, number in zip(("MAJOR", "MINOR", "SUBMINOR"), VERSION.split(".")):
                edit(header, rf"(?<=^#define SPTRSV_VERSION_{part} ).*", number)
        edit("docs/first_steps.md", r"sptrsv-[0-9]+\.[0-9]+\.[0-9]+", f"sptrsv-{VERSION}", count=0)
        commit()
        for name in git("grep", "-lE", r"find_package\(sptrsv [0-9]").split():
            edit(name, r"find_package\(sptrsv [0-9.]+", "find_package" "(sptrsv 9.8", count=0)
        commit()
        release("--checksums")
        commit()
        cls.good = git("rev-parse", "HEAD").strip()

    def tearDown(self):
        git("reset", "-q", "--hard", self.good)
        git("clean", "-qfdx")
        for tag in git("tag").split():
            git("tag", "-d", tag)

    def refused(self, *texts, date=DATE):
        """Checks that a release is refused by these texts, and leaves nothing behind."""
        before = state()
        done = script(VERSION, "--date", date)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        for text in texts + ("remedy",):
            self.assertIn(text, done.stderr)
        self.assertEqual(state(), before)

    def test_arguments(self):
        for arguments, text in [([], "no version"), (["1.2"], "no version"), (["v1.2.3"], "no version"),
                                ([VERSION, "1.2.3"], "two versions"), ([VERSION, "--date"], "needs a value"),
                                ([VERSION, "--date", "2026-02-30"], "no date"), ([VERSION, "--new"], "--new"),
                                ([VERSION, "--dry-run", "--checksums"], "give one of both")]:
            done = script(*arguments)
            self.assertEqual(done.returncode, 1)
            self.assertIn(text, done.stderr)
        self.assertIn("--dry-run", script("--help").stdout)

    def test_changes(self):
        """Checks that a release is refused after each change of one file, {} being the line that is changed."""
        for name, pattern, text, *messages in [
                ("CMakeLists.txt", r"(?<=project\(sptrsv VERSION )" + VERSION, "9.8.6", "{}: it says", "9.8.6"),
                ("CITATION.cff", "(?<=version: )" + VERSION, "9", "{}: it says"),
                (HEADERS[0], r"(?<=^#define SPTRSV_VERSION_MINOR ).*", "77", "{}: it says"),
                (HEADERS[1], r"(?<=^#define SPTRSV_VERSION_SUBMINOR ).*", "77", "{}: it says"),
                ("CITATION.cff", "(?<=date-released: )" + DATE, "2031-02-04", "{}: it says"),
                ("CITATION.cff", "date-released", "released", "CITATION.cff:1: there is no"),
                ("docs/cpp.md", r"(?<=find_package\(sptrsv )9\.8", "9.7", "{}: it says", "find_package" "(sptrsv 9.8"),
                ("CHANGELOG.md", "^## ", "## Unreleased\n\n- More.\n\n## ", "{}: it says"),
                ("CHANGELOG.md", VERSION, "9.8.6", "{}: it says", f"'## {VERSION}, {DATE}'"),
                ("CHANGELOG.md", rf"{DATE}\n", f"{DATE}\n\n## 9.8.6, 2030-01-01\n", "{}: the section", "no entries"),
                (RECIPE, f"(?<=^version = '){VERSION}", "9", "{}: it says"),
                (SPACK, f'(?<=version\\("){VERSION}(?=", sha)', "9", "{}: it says"),
                ("README.md", "sptrsv", "other", f"{RECIPE}:", "it says 'checksums", SPACK, "above: 2;",
                 "--checksums, and commit"),
                ("scripts/lib.sh", "SPDX-License-Identifier", "License", "scripts/lib.sh:1", "SPDX")]:
            line = edit(name, pattern, text)
            commit()
            with self.subTest(name=name, pattern=pattern):
                self.refused(*(message.replace("{}", f"{name}:{line}") for message in messages))
            self.tearDown()

    def test_tree(self):
        edit("README.md", "sptrsv", "other")
        self.refused("README.md:1: is changed", "commit it")
        (COPY / "docs/new.md").write_text("new\n")
        self.refused("docs/new.md:1: is changed or unknown")
        self.tearDown()
        git("tag", "v" + VERSION)
        self.refused(f"tag v{VERSION}: exists")
        self.refused("CITATION.cff:", "CHANGELOG.md:3: it says", "above: 3;", date="2031-02-05")

    def test_no_repository(self):
        (COPY / ".git").rename(FOLDER / "git")
        done = script(VERSION)
        (FOLDER / "git").rename(COPY / ".git")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no checkout of git", done.stderr)

    def test_recipe(self):
        git("mv", RECIPE, f"{CLUSTER}/sptrsv-9.8.6.eb")
        commit()
        self.refused("sptrsv-9.8.6.eb:1: the recipe is of another version", "git mv")
        git("rm", "-q", f"{CLUSTER}/sptrsv-9.8.6.eb")
        commit()
        self.refused(f"{RECIPE}:1: there is no recipe")

    def test_release(self):
        before = state()
        self.assertIn("nothing was made", release("--dry-run"))
        self.assertEqual(state(), before)
        output = release()
        self.assertEqual(git("cat-file", "-t", "v" + VERSION).strip(), "tag")
        self.assertEqual(git("rev-parse", f"v{VERSION}^{{commit}}").strip(), self.good)
        self.assertEqual(git("status", "--porcelain"), "")
        archive = COPY / f"build/release/sptrsv-{VERSION}.tar.gz"
        checksum = hashlib.sha256(archive.read_bytes()).hexdigest()
        for text in (output, (COPY / RECIPE).read_text(), (COPY / SPACK).read_text()):
            self.assertIn(checksum, text)
        self.assertIn("git push", output)
        self.check_members(archive)
        self.assertIn("exists already", script(VERSION, "--date", DATE).stderr)

    def check_members(self, archive):
        top = f"sptrsv-{VERSION}"
        with tarfile.open(archive) as file:
            members = file.getmembers()
            self.assertIn(VERSION, file.extractfile(f"{top}/CMakeLists.txt").read().decode())
        tracked = set(git("ls-files").split("\n")) - {""}
        left_out = {name for name in tracked if name.endswith(".eb") or name.startswith(f"{CLUSTER}/spack/")}
        self.assertEqual({member.name for member in members if not member.isdir()},
                         {f"{top}/{name}" for name in tracked - left_out})
        self.assertEqual(len(left_out), 3)
        day = datetime.datetime.fromisoformat(DATE).replace(tzinfo=datetime.timezone.utc).timestamp()
        for member in members:
            self.assertEqual((member.uid, member.gid, member.uname, member.gname, member.mtime), (0, 0, "", "", day))
            self.assertIn(member.mode, (0o644, 0o755, 0o777), member.name)

    def test_same_bytes_of_another_commit(self):
        """Checks that neither the commit nor the recipes change the archive."""
        edit(RECIPE, "moduleclass", "# a comment\nmoduleclass")
        commit()
        self.assertIn("all is ready", release("--dry-run"))


if __name__ == "__main__":
    unittest.main()
