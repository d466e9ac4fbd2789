# SPDX-License-Identifier: Apache-2.0
"""Tests the rules of petsc_programs.py: how the comment /*TEST*/ is read, and which outputs count as the same."""
import unittest

from compare_outputs import compare
from test_blocks import cases_of, unmet

COMMENT = """
int main(void) { return 0; }
/*TEST

   build:
      requires: !complex

   # a plain test
   test:
      args: -pc_type lu

   testset:
      suffix: set
      args: -ksp_view
      requires: double
      test:
         suffix: a
         nsize: 2
         args: -pc_type {{ilu icc}shared output}
      test:
         suffix: b
         args: -one \\
               -two
         filter: grep -v 'x:y'

   testset:
      suffix: steps
      requires: !single
      args: -m 5
      test:
         args: -write
      test:
         args: -read
         nsize: 3
      test:
         args: -elsewhere
         requires: cuda
TEST*/
"""


class Blocks(unittest.TestCase):
    def setUp(self):
        self.cases = {case.name: case for case in cases_of("ex1.c", COMMENT)}

    def test_names(self):
        self.assertEqual(list(self.cases), ["1", "set_a[ilu]", "set_a[icc]", "set_b", "steps"])

    def test_steps(self):
        self.assertEqual(self.cases["1"].steps, [(1, "-pc_type lu")])
        self.assertEqual(self.cases["set_a[icc]"].steps, [(2, "-ksp_view -pc_type icc")])
        ((ranks, args),) = self.cases["set_b"].steps
        self.assertEqual((ranks, args.split()), (1, ["-ksp_view", "-one", "-two"]))
        self.assertIsNone(self.cases["steps"].unmet({"PETSC_USE_REAL_DOUBLE": "1"}))
        self.assertEqual(self.cases["steps"].steps, [(1, "-m 5 -write"), (3, "-m 5 -read")])

    def test_other_keys(self):
        self.assertEqual(self.cases["1"].requires, ["!complex"])
        self.assertEqual(self.cases["set_a[ilu]"].requires, ["!complex", "double"])
        self.assertEqual(self.cases["set_b"].filter, "grep -v 'x:y'")

    def test_requirements(self):
        conf = {"PETSC_USE_REAL_DOUBLE": "1", "PETSC_HAVE_MUMPS": "1", "PETSC_HAVE_X": "1"}
        for words in ["", "double !complex mumps", "!single int32", "defined(PETSC_HAVE_MUMPS)"]:
            self.assertIsNone(unmet(words.split(), conf), words)
        for word in ["complex", "!mumps", "!defined(PETSC_HAVE_MUMPS)", "int64", "cuda", "datafilespath", "x"]:
            self.assertEqual(unmet(["double", word], conf), word)


OWN = """  0 KSP Residual norm 2.51e+00
  1 KSP Residual norm 1.25e-02
  2 KSP Residual norm 3.1e-13
PC Object: 1 MPI process
  type: ilu
    Factored matrix follows:
      Mat Object: 1 MPI process
        type: seqaij
        package used to perform factorization: petsc
  linear system matrix = precond matrix:
Norm of error 0.00123456 iterations 2
"""


OUTPUTS = [
    ("same", "", ""), ("same", "0.00123456", "0.00123457"), ("same", "3.1e-13", "7.9e-13"),
    ("same", "type: seqaij\n", "type: sptrsv\n        L: 7 levels\n"),
    ("one iteration", "iterations 2", "iterations 3"),
    ("one iteration", "  2 KSP Residual norm 3.1e-13\n", ""),
    ("differs", "0.00123456", "0.00133456"), ("differs", "2.51e+00", "nan"),
    ("differs", "iterations 2", "iterations 4"), ("differs", "type: ilu", "type: lu"),
    ("differs", "Norm of error", "Norm of the error"),
    ("differs", "  1 KSP Residual norm 1.25e-02\n  2 KSP Residual norm 3.1e-13\n", ""),
    ("differs", "1 MPI process\n  type: ilu", "2 MPI process\n  type: ilu")]


class Outputs(unittest.TestCase):
    def test_verdicts(self):
        for outcome, old, new in OUTPUTS:
            with self.subTest(old=old, new=new):
                self.assertIn(old, OWN)
                self.assertEqual(compare(OWN.replace(old, new) if old else OWN, OWN)[0], outcome)
        newer = OWN.replace("matrix follows:", "matrix:")  # from 3.25 on
        self.assertEqual(compare(newer.replace("type: seqaij", "type: sptrsv"), newer)[0], "same")


if __name__ == "__main__":
    unittest.main()
