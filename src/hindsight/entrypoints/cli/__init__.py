"""The command line: thin commands over the same services as every other surface.

What stands first in the Python call is an argument here, every keyword is an option of the same name,
and ``--json`` prints the answer's JSON form. Results go to standard output; progress and errors go to
standard error, so a pipe sees results only.
"""

from hindsight.entrypoints.cli import connecting, conversations, judging, memories, searching, serving, upkeep
from hindsight.entrypoints.cli.app import app, main, run

# Importing a command module puts its commands on `app`; naming them keeps the list in one place.
COMMAND_MODULES = (conversations, memories, searching, judging, upkeep, connecting, serving)

__all__ = ["COMMAND_MODULES", "app", "main", "run"]
