"""What a request over HTTP may not pass. What the settings can change stands there."""

from __future__ import annotations

from typing import Final

# Requests that wait for a thread beyond those that run. At 8 threads and 25 ms a search, the last of
# them waits for less than a second; more than that is better told to come back later.
WAITING_MAX: Final = 256
RETRY_AFTER_S: Final = 1
# A list is longer than that only by mistake; the lists of the services have their own bounds.
PROBLEM_ERRORS_MAX: Final = 20
# Open connections; uvicorn answers 503 beyond them.
CONNECTIONS_MAX: Final = 1_000
# How long a shutdown waits for requests in flight. The longest one is a look back in the foreground.
SHUTDOWN_S_MAX: Final = 120
# Wrong codes before another one is shown: with 40 random bits, five guesses are none.
WRONG_CODES_MAX: Final = 5
