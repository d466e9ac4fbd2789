# SPDX-License-Identifier: Apache-2.0
"""Executes the notebook in examples/notebook with a small grid, in the environment that test_pip_install.py has made. A
cell that fails, fails the test."""
import os
import subprocess
import sys
import tempfile

from petsc_runs import skip

NOTEBOOK = os.path.join(os.environ["SPTRSV_TEST_SOURCE"], "examples", "notebook", "sptrsv.ipynb")
PYTHON = os.path.join(os.environ["SPTRSV_TEST_VENV"], "bin", "python")


def execute(folder):
    """Executes the notebook and returns (text, number of pictures) of its outputs."""
    import nbclient  # these are in the virtual environment alone
    import nbformat
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    assert not any(cell.get("outputs") for cell in notebook.cells), "the notebook in the repository has outputs"
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3",
                            resources={"metadata": {"path": folder}}).execute()
    nbformat.write(notebook, os.environ["SPTRSV_TEST_VENV"] + ".executed.ipynb")
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    text = "".join(output.text for output in outputs if output.output_type == "stream")
    return text, sum("image/png" in output.get("data", {}) for output in outputs)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(IPYTHONDIR=folder, JUPYTER_RUNTIME_DIR=folder)
        text, pictures = execute(folder)
    print(text)
    for words in ("sptrsv 0.", "blockcolor", "levels, rows per level"):
        assert words in text, f"no '{words}' in the outputs"
    assert pictures == 2, f"{pictures} pictures"


if __name__ == "__main__":
    if sys.argv[1:] == ["--execute"]:
        main()
    elif not os.path.exists(PYTHON):
        skip("there is no virtual environment; the test python.pip_install, which makes it, was skipped")
    elif subprocess.run([PYTHON, "-c", "import matplotlib"], stderr=subprocess.DEVNULL).returncode:
        skip("the notebook needs matplotlib (Debian: python3-matplotlib)")
    else:
        os.execve(PYTHON, [PYTHON, os.path.abspath(__file__), "--execute"],
                  dict(os.environ, SPTRSV_NOTEBOOK_GRID="16"))
