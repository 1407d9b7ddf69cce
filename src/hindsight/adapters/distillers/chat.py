"""One question to a language model, through `pydantic-ai`, with everything that may go wrong on the way.

The library is an extra and takes seconds to import, so it is loaded at the first question. Its agent
is not used: it asks again by showing the model its own broken answer, which small models copy.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from threading import BoundedSemaphore
from typing import Any, Final, Literal
from urllib.parse import urlsplit

from hindsight.adapters.distillers.spending import DaySpending
from hindsight.domain.budget import tokens_at_most
from hindsight.domain.errors import BackendUnavailable, InvalidRequest, LimitExceeded, ModelOutputInvalid

INSTALL: Final = "pip install 'hindsight-agent-memory[llm]'"
ANTHROPIC: Final = "anthropic:"
OPENAI: Final = "openai:"
# Waits between tries double from here; an endpoint that asks for longer is waited for up to the most.
BACKOFF_S: Final = 0.5
BACKOFF_S_MAX: Final = 8.0
# Local servers want no key, and clients refuse to be made without one.
_NO_KEY: Final = "none"
# Beyond the time-out of one request: connecting, and closing the client.
_GRACE_S: Final = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Which model is asked, and where.

    ``model`` is a name such as ``qwen3``, or one with its service before it: ``openai:…``, ``anthropic:…``.
    With ``base_url`` any OpenAI-compatible service is meant, unless ``anthropic:`` says otherwise.
    """

    model: str
    base_url: str = ""
    api_key: str = ""
    answer: Literal["text", "schema"] = "text"

    @property
    def name(self) -> str:
        """The model's bare name."""
        return self.model.removeprefix(ANTHROPIC).removeprefix(OPENAI)


@dataclass(frozen=True, slots=True, kw_only=True)
class AskLimits:
    """How long, how often and how much one question may take."""

    timeout_s: float = 60.0
    attempts: int = 3
    concurrency: int = 2
    answer_tokens: int = 4_000


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model answered. ``cut`` says that it ran out of tokens."""

    text: str
    cut: bool


class ChatModel:
    """Asks one model. Safe to share between threads; at most ``concurrency`` questions run at once."""

    def __init__(
        self,
        open_model: Callable[[], Any],
        *,
        name: str,
        spending: DaySpending,
        limits: AskLimits,
        answer: Literal["text", "schema"] = "text",
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.name = name
        self.concurrency = limits.concurrency
        self._open = open_model
        self._spending = spending
        self._limits = limits
        self._answer = answer
        self._sleep = sleep
        self._turn = BoundedSemaphore(limits.concurrency)

    def ask(
        self, instructions: str, question: str, *, schema: Mapping[str, Any], readable: Callable[[str], bool]
    ) -> Reply:
        """The model's answer, tried again where that may help. The calling thread must run no event loop.

        Args:
            schema: What the answer must look like, for endpoints that can be held to it.
            readable: Whether an answer can be used; a refusal or rubbish is asked for once more.

        Raises:
            LimitExceeded: ``model_day_spent``, or ``model_context_exceeded`` where the question is too long.
            BackendUnavailable: The endpoint was not there, too slow or refused; the code says which.
            ModelOutputInvalid: It answered with what no client can read.
        """
        tries = self._limits.attempts
        for number in range(1, tries + 1):
            try:
                reply = self._once(instructions, question, schema)
                if not readable(reply.text):
                    raise ModelOutputInvalid(
                        f"model {self.name!r} answered with something else than was asked for",
                        code="model_output_invalid",
                    )
                return reply
            except (BackendUnavailable, ModelOutputInvalid) as exc:
                if number == tries or exc.code in _HOPELESS:
                    raise
                asked_for = getattr(exc.__cause__, "retry_after", None) or 0.0
                self._sleep(min(BACKOFF_S_MAX, max(asked_for, BACKOFF_S * 2 ** (number - 1))))
        raise AssertionError("the last try returns or raises")

    def _once(self, instructions: str, question: str, schema: Mapping[str, Any]) -> Reply:
        reserved = tokens_at_most(instructions) + tokens_at_most(question) + self._limits.answer_tokens
        with self._turn:
            self._spending.reserve(reserved)
            spent = reserved
            try:
                response = self._request(instructions, question, schema)
                # Endpoints that report no usage are counted by our own bound.
                spent = response.usage.input_tokens + response.usage.output_tokens or reserved
            except (BackendUnavailable, LimitExceeded) as exc:
                # Only what reached a model is charged for; a time-out may have.
                spent = reserved if exc.code == "model_timed_out" else 0
                raise
            finally:
                self._spending.settle(reserved, spent)
        return Reply(response.text or "", response.finish_reason == "length")

    def _request(self, instructions: str, question: str, schema: Mapping[str, Any]) -> Any:
        errors = import_module("pydantic_ai.exceptions")
        try:
            return asyncio.run(self._send(instructions, question, schema))
        except (errors.ModelTimeoutError, errors.ModelRequestTimeout, TimeoutError) as exc:
            raise BackendUnavailable(
                f"model {self.name!r} did not answer within {self._limits.timeout_s:g} s", code="model_timed_out"
            ) from exc
        except errors.ModelContextWindowExceededError as exc:
            raise LimitExceeded(f"model {self.name!r} takes no text this long", code="model_context_exceeded") from exc
        except errors.ModelAPIError as exc:
            raise BackendUnavailable(
                f"model {self.name!r} failed: {_first_line(exc)}", code=_code_of(errors, exc)
            ) from exc
        except (errors.UserError, ImportError) as exc:
            raise BackendUnavailable(
                f"model {self.name!r} cannot be used: {_first_line(exc)}", code="model_misconfigured"
            ) from exc
        except (errors.AgentRunError, OSError, ValueError, TypeError, LookupError, AttributeError) as exc:
            # What a client raises at an answer of another shape is whatever its code stumbled over.
            raise ModelOutputInvalid(
                f"model {self.name!r} answered with what cannot be read ({type(exc).__name__})",
                code="model_output_invalid",
            ) from exc

    async def _send(self, instructions: str, question: str, schema: Mapping[str, Any]) -> Any:
        direct = import_module("pydantic_ai.direct")
        messages = import_module("pydantic_ai.messages")
        # A client belongs to the event loop it was made in; making one costs little beside an answer.
        async with self._open() as model:
            asked = direct.model_request(
                model,
                [messages.ModelRequest(parts=[messages.UserPromptPart(content=question)], instructions=instructions)],
                model_settings={
                    "max_tokens": self._limits.answer_tokens,
                    "timeout": self._limits.timeout_s,
                    "max_retries": 0,
                    "temperature": 0.0,
                },
                model_request_parameters=self._parameters(schema),
            )
            return await asyncio.wait_for(asked, self._limits.timeout_s + _GRACE_S)

    def _parameters(self, schema: Mapping[str, Any]) -> Any:
        if self._answer == "text":
            return None
        models = import_module("pydantic_ai.models")
        output = import_module("pydantic_ai.output")
        described = output.OutputObjectDefinition(json_schema=dict(schema), name="memories", strict=True)
        return models.ModelRequestParameters(output_mode="native", output_object=described)


_HOPELESS: Final = frozenset({"model_key_refused", "model_quota_spent", "model_request_refused", "model_misconfigured"})


def _code_of(errors: Any, exc: Exception) -> str:
    kinds = (
        (errors.ModelAuthenticationError, "model_key_refused"),
        (errors.ModelQuotaExceededError, "model_quota_spent"),
        (errors.ModelRateLimitError, "model_busy"),
        (errors.ModelUnavailableError, "model_busy"),
        (errors.ModelServerError, "model_failed"),
        (errors.ModelRequestRejectedError, "model_request_refused"),
        (errors.ModelConnectionError, "model_unreachable"),
    )
    return next((code for kind, code in kinds if isinstance(exc, kind)), "model_failed")


def _first_line(exc: Exception) -> str:
    return (str(exc).splitlines() or [type(exc).__name__])[0][:200]


def require_llm(endpoint: Endpoint) -> None:
    """Check before anything is opened that *endpoint* can be asked at all.

    Raises:
        InvalidRequest: The extra is not installed, or the base URL is none.
    """
    needed = ("pydantic_ai", "anthropic" if endpoint.model.startswith(ANTHROPIC) else "openai")
    if any(find_spec(module) is None for module in needed):
        raise InvalidRequest(
            f"llm.model = {endpoint.model!r} needs the extra 'llm'; run {INSTALL}, or leave llm.model empty "
            "to go on with rules",
            code="llm_missing",
        )
    url = urlsplit(endpoint.base_url)
    if endpoint.base_url and (url.scheme not in ("http", "https") or not url.netloc):
        raise InvalidRequest(
            f"llm.base_url = {endpoint.base_url!r} must be an address such as http://127.0.0.1:11434/v1",
            code="invalid_setting",
        )


def open_model(endpoint: Endpoint) -> Any:
    """A fresh client of *endpoint*, in the form `pydantic-ai` has for it."""
    if endpoint.model.startswith(ANTHROPIC):
        provider = import_module("pydantic_ai.providers.anthropic").AnthropicProvider(
            api_key=endpoint.api_key or (_NO_KEY if endpoint.base_url else None), base_url=endpoint.base_url or None
        )
        return import_module("pydantic_ai.models.anthropic").AnthropicModel(endpoint.name, provider=provider)
    chat = import_module("pydantic_ai.models.openai").OpenAIChatModel
    if not endpoint.base_url:
        provider = import_module("pydantic_ai.providers.openai").OpenAIProvider(api_key=endpoint.api_key or None)
        return chat(endpoint.name, provider=provider)
    provider = import_module("pydantic_ai.providers.openai_compatible").OpenAICompatibleProvider(
        "hindsight", base_url=endpoint.base_url, api_key=endpoint.api_key or _NO_KEY
    )
    # Compatible services take the older name of this field; most refuse or ignore the newer one.
    return chat(endpoint.name, provider=provider, profile={"openai_chat_supports_max_completion_tokens": False})
