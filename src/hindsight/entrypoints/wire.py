"""Keeping standard output for a protocol.

It imports nothing that could print, since it must have run before such things are imported.
"""

from __future__ import annotations

import os
import sys
from typing import BinaryIO


def take_standard_output() -> BinaryIO:
    """The wire to the client. From here on, whatever is printed in this process goes to standard error."""
    sys.stdout.flush()
    wire = os.dup(1)
    os.dup2(2, 1)
    return os.fdopen(wire, "wb")
