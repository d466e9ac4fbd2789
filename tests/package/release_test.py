# SPDX-License-Identifier: Apache-2.0
"""Tests scripts/release in a repository of its own, made from a copy of this one: each refusal, the archive, the tag.

    release_test.py ROOT
"""
import datetime
import glob
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

ROOT = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else os.getcwd()
VERSION, DATE = "9.8.7", "2031-02-03"
CLUSTER = "examples/cluster"
RECIPE, SPACK = f"{CLUSTER}/sptrsv-{VERSION}.eb", f"{CLUSTER}/spack/packages/sptrsv/package.py"
ENVIRONMENT = {**{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
               "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
for role in ("AUTHOR", "COMMITTER"):
    ENVIRONMENT |= {f"GIT_{role}_NAME": "Test", f"GIT_{role}_EMAIL": "test@example.org"}


def copy_sources(target):
    """Copies the files that git knows or would add; without git, as in an unpacked archive, all but build output."""
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            capture_output=True, check=False)
    if listed.returncode:
        shutil.copytree(ROOT, target, symlinks=True, ignore=shutil.ignore_patterns("build*", ".stack", "__pycache__"))
        return
    for name in listed.stdout.decode().split("\0"):
        source = os.path.join(ROOT, name)
        if name and os.path.isfile(source):
            os.makedirs(os.path.dirname(os.path.join(target, name)), exist_ok=True)
            shutil.copy2(source, os.path.join(target, name), follow_symlinks=False)


class ReleaseTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not glob.glob(f"{ROOT}/{CLUSTER}/sptrsv-*.eb"):
            raise unittest.SkipTest("the archive of a release has no recipes, and makes no release")
        cls.folder = tempfile.mkdtemp(prefix="sptrsv-release-test.")
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        ENVIRONMENT["TMPDIR"] = os.path.join(cls.folder, "tmp")
        os.mkdir(ENVIRONMENT["TMPDIR"])
        cls.root = os.path.join(cls.folder, "checkout")
        copy_sources(cls.root)
        cls.git("init", "-q", "-b", "main")
        cls.edit("CMakeLists.txt", r"project\(sptrsv VERSION [0-9.]+", f"project(sptrsv VERSION {VERSION}")
        cls.edit("CITATION.cff", r"(?m)^version: .*", f"version: {VERSION}")
        cls.edit("CITATION.cff", r"(?m)^date-released: .*", f"date-released: {DATE}")
        cls.edit("CHANGELOG.md", r"(?m)^## .*", f"## {VERSION}, {DATE}\n\n- It is released.")
        os.rename(glob.glob(f"{cls.root}/{CLUSTER}/sptrsv-*.eb")[0], cls.path(RECIPE))
        cls.edit(RECIPE, r"(?m)^version = .*", f"version = '{VERSION}'")
        cls.edit(RECIPE, r"eb sptrsv-\S*\.eb", f"eb sptrsv-{VERSION}.eb")
        cls.edit(SPACK, r'version\("[0-9][^"]*"', f'version("{VERSION}"')
        cls.edit("plugin/petsc/upstream/sptrsv.py", r"(?<=self\.version         = )'.*'", f"'{VERSION}'")
        cls.edit_all("docs/first_steps.md", r"sptrsv-[0-9]+\.[0-9]+\.[0-9]+", f"sptrsv-{VERSION}")
        cls.commit()
        for name in cls.git("grep", "-lE", r"find_package\(sptrsv [0-9]").split():
            cls.edit_all(name, r"find_package\(sptrsv [0-9.]+", "find_package" "(sptrsv 9.8")
        cls.commit()
        cls.release("--checksums")
        cls.commit()
        cls.good = cls.git("rev-parse", "HEAD").strip()

    def setUp(self):
        self.addCleanup(self.restore)

    def restore(self):
        self.git("reset", "-q", "--hard", self.good)
        self.git("clean", "-qfdx")
        for tag in self.git("tag").split():
            self.git("tag", "-d", tag)

    # --- the repository

    @classmethod
    def path(cls, name):
        return os.path.join(cls.root, name)

    @classmethod
    def git(cls, *arguments):
        return subprocess.run(["git", "-C", cls.root, *arguments], env=ENVIRONMENT, capture_output=True, text=True,
                              check=True).stdout

    @classmethod
    def edit(cls, name, pattern, text):
        cls.edit_all(name, pattern, text, count=1)

    @classmethod
    def edit_all(cls, name, pattern, text, count=0):
        """Replaces matches of a pattern, at most `count` unless that is 0; fails if there is none."""
        with open(cls.path(name), encoding="utf-8") as file:
            before = file.read()
        after, found = re.subn(pattern, lambda _: text, before, count=count)
        assert found, f"{name} has no {pattern}"
        with open(cls.path(name), "w", encoding="utf-8") as file:
            file.write(after)

    @classmethod
    def commit(cls):
        cls.git("add", "-A")
        cls.git("commit", "-q", "-m", "Change")

    @classmethod
    def run_script(cls, *arguments):
        return subprocess.run([cls.path("scripts/release"), *arguments], env=ENVIRONMENT, capture_output=True,
                              text=True, check=False)

    @classmethod
    def release(cls, *options):
        done = cls.run_script(VERSION, "--date", DATE, *options)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def state(self):
        return (self.git("status", "--porcelain", "--ignored"), self.git("tag"), self.git("rev-parse", "HEAD"),
                self.git("count-objects"), os.listdir(ENVIRONMENT["TMPDIR"]))

    def refused(self, *texts, date=DATE):
        """Checks that a release is refused by these texts, and leaves nothing behind."""
        before = self.state()
        done = self.run_script(VERSION, "--date", date)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        for text in texts + ("remedy",):
            self.assertIn(text, done.stderr)
        self.assertEqual(self.state(), before)
        return done.stderr

    def refused_after(self, name, pattern, text, *texts):
        self.edit(name, pattern, text)
        self.commit()
        return self.refused(*texts)

    def line_of(self, name, text):
        with open(self.path(name), encoding="utf-8") as file:
            return next(number for number, line in enumerate(file, 1) if text in line)

    # --- refusals

    def test_arguments(self):
        for arguments, text in [([], "no version"), (["1.2"], "no version"), (["v1.2.3"], "no version"),
                                ([VERSION, "1.2.3"], "two versions"), ([VERSION, "--date"], "needs a value"),
                                ([VERSION, "--date", "2026-02-30"], "no date"), ([VERSION, "--new"], "--new"),
                                ([VERSION, "--dry-run", "--checksums"], "give one of both")]:
            done = self.run_script(*arguments)
            self.assertEqual(done.returncode, 1)
            self.assertIn(text, done.stderr)
        self.assertIn("--dry-run", self.run_script("--help").stdout)

    def test_changed_file(self):
        self.edit("README.md", "sptrsv", "other")
        self.refused("README.md:1: is changed", "commit it")

    def test_unknown_file(self):
        with open(self.path("docs/new.md"), "w", encoding="utf-8") as file:
            file.write("new\n")
        self.refused("docs/new.md:1: is changed or unknown")

    def test_tag(self):
        self.git("tag", "v" + VERSION)
        self.refused(f"tag v{VERSION}: exists")

    def test_no_repository(self):
        os.rename(self.path(".git"), self.path("git"))
        self.addCleanup(os.rename, self.path("git"), self.path(".git"))
        done = self.run_script(VERSION)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no checkout of git", done.stderr)

    def test_version_of_build(self):
        line = self.line_of("CMakeLists.txt", "project(")
        self.refused_after("CMakeLists.txt", VERSION, "9.8.6", f"CMakeLists.txt:{line}: it says", "9.8.6", VERSION)

    def test_citation(self):
        line = self.line_of("CITATION.cff", "version: " + VERSION)
        self.refused_after("CITATION.cff", "version: " + VERSION, "version: 9", f"CITATION.cff:{line}: it says")

    def test_date_of_citation(self):
        line = self.line_of("CITATION.cff", "date-released")
        self.refused_after("CITATION.cff", DATE, "2031-02-04", f"CITATION.cff:{line}: it says")

    def test_users(self):
        line = self.line_of("docs/cpp.md", "find_package(sptrsv")
        self.refused_after("docs/cpp.md", r"sptrsv 9\.8", "sptrsv 9.7", f"docs/cpp.md:{line}: it says",
                           "find_package" "(sptrsv 9.8")

    def test_missing_line(self):
        self.refused_after("CITATION.cff", "date-released", "released", "CITATION.cff:1: there is no")

    def test_other_date(self):
        message = self.refused("CITATION.cff:", "CHANGELOG.md:3: it says", date="2031-02-05")
        self.assertIn("above: 2;", message)

    def test_unreleased(self):
        self.refused_after("CHANGELOG.md", "## ", "## Unreleased\n\n- More.\n\n## ", "CHANGELOG.md:3: it says")

    def test_no_section(self):
        self.refused_after("CHANGELOG.md", VERSION, "9.8.6", "CHANGELOG.md:3: it says", f"'## {VERSION}, {DATE}'")

    def test_empty_section(self):
        self.refused_after("CHANGELOG.md", rf"{DATE}\n", f"{DATE}\n\n## 9.8.6, 2030-01-01\n",
                           "CHANGELOG.md:3: the section", "no entries")

    def test_recipe_of_another_version(self):
        self.git("mv", RECIPE, f"{CLUSTER}/sptrsv-9.8.6.eb")
        self.commit()
        self.refused("sptrsv-9.8.6.eb:1: the recipe is of another version", "git mv")

    def test_no_recipe(self):
        self.git("rm", "-q", RECIPE)
        self.commit()
        self.refused(f"{RECIPE}:1: there is no recipe")

    def test_version_in_recipe(self):
        line = self.line_of(RECIPE, "version = ")
        self.refused_after(RECIPE, f"version = '{VERSION}'", "version = '9'", f"{RECIPE}:{line}: it says")

    def test_version_in_spack(self):
        line = self.line_of(SPACK, f'version("{VERSION}"')
        self.refused_after(SPACK, VERSION + '", sha', '9", sha', f"{SPACK}:{line}: it says")

    def test_checksums(self):
        line = self.line_of(RECIPE, "checksums")
        message = self.refused_after("README.md", "sptrsv", "other", f"{RECIPE}:{line}: it says 'checksums", SPACK,
                                     "--checksums, and commit")
        self.assertIn("above: 2;", message)

    def test_license(self):
        self.refused_after("scripts/lib.sh", "SPDX-License-Identifier", "License", "scripts/lib.sh", "SPDX")

    # --- what it makes

    def test_dry_run(self):
        before = self.state()
        self.assertIn("nothing was made", self.release("--dry-run"))
        self.assertEqual(self.state(), before)

    def test_release(self):
        output = self.release()
        self.assertEqual(self.git("cat-file", "-t", "v" + VERSION).strip(), "tag")
        self.assertEqual(self.git("rev-parse", f"v{VERSION}^{{commit}}").strip(), self.good)
        self.assertEqual(self.git("status", "--porcelain"), "")
        archive = self.path(f"build/release/sptrsv-{VERSION}.tar.gz")
        with open(archive, "rb") as file:
            checksum = hashlib.sha256(file.read()).hexdigest()
        for text in (checksum, "git push", "Unreleased"):
            self.assertIn(text, output)
        for recipe in (RECIPE, SPACK):
            self.line_of(recipe, checksum)
        self.check_members(archive)
        self.assertIn("exists already", self.run_script(VERSION, "--date", DATE).stderr)

    def check_members(self, archive):
        top = f"sptrsv-{VERSION}"
        with tarfile.open(archive) as file:
            members = file.getmembers()
            self.assertIn(VERSION, file.extractfile(f"{top}/CMakeLists.txt").read().decode())
        files = {member.name.removeprefix(top + "/") for member in members if not member.isdir()}
        tracked = set(self.git("ls-files").split("\n")) - {""}
        left_out = {name for name in tracked if name.endswith(".eb") or name.startswith(f"{CLUSTER}/spack/")}
        self.assertEqual(files, tracked - left_out)
        self.assertEqual(len(left_out), 3)
        for member in members:
            self.assertTrue(member.name == top or member.name.startswith(top + "/"), member.name)
            self.assertEqual((member.uid, member.gid, member.uname, member.gname), (0, 0, "", ""), member.name)
            self.assertIn(member.mode, (0o644, 0o755, 0o777), member.name)
        day = datetime.datetime.fromisoformat(DATE).replace(tzinfo=datetime.timezone.utc)
        self.assertEqual({member.mtime for member in members}, {day.timestamp()})

    def test_same_bytes_of_another_commit(self):
        """Checks that neither the commit nor the recipes change the archive."""
        self.edit(RECIPE, "moduleclass", "# a comment\nmoduleclass")
        self.commit()
        self.assertIn("all is ready", self.release("--dry-run"))


if __name__ == "__main__":
    unittest.main()
