# SPDX-License-Identifier: Apache-2.0
"""The exception of this package."""


class Error(RuntimeError):
    """Error of the plugin or of PETSc. The message says what is wrong and what to do about it."""
