"""The two prompts: answer from what is remembered, and look back on a conversation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mcp_types import GetPromptResult, ListPromptsResult, Prompt, PromptArgument, PromptMessage, TextContent

from hindsight.domain.errors import InvalidRequest
from hindsight.entrypoints.mcp.words import Words
from hindsight.facade import Hindsight

# The smallest window in common use: a prompt does not know the client's.
WINDOW_TOKENS: Final = 32_000
THIS_SESSION: Final = "this-conversation"
# (name, required) of each prompt's arguments, apart from the namespace.
_ARGUMENTS: Final = {"recall": (("query", True),), "look_back": (("session_id", False),)}


def listed(words: Words) -> ListPromptsResult:
    """Both prompts with their arguments."""
    return ListPromptsResult(
        prompts=[
            Prompt(
                name=name,
                title=words.prompts[name].title,
                description=words.prompts[name].description,
                arguments=[
                    PromptArgument(name=argument, description=_meaning(words, argument), required=required)
                    for argument, required in (*arguments, ("namespace", False))
                ],
            )
            for name, arguments in _ARGUMENTS.items()
        ]
    )


def _meaning(words: Words, argument: str) -> str:
    return words.argument("memory_observe", argument)


def check(name: str, given: Mapping[str, str]) -> None:
    """Refuse a prompt that does not exist, and arguments it does not take.

    Raises:
        InvalidRequest: The message lists what there is.
    """
    if name not in _ARGUMENTS:
        raise InvalidRequest(f"there is no prompt {name!r}; there are {', '.join(_ARGUMENTS)}", code="unknown_prompt")
    known = [argument for argument, _ in _ARGUMENTS[name]] + ["namespace"]
    missing = [argument for argument, required in _ARGUMENTS[name] if required and not given.get(argument)]
    unknown = [argument for argument in given if argument not in known]
    if missing or unknown:
        said = [*(f"{one!r} is missing" for one in missing), *(f"{one!r} is unknown" for one in unknown)]
        raise InvalidRequest(f"prompt {name}: {'; '.join(said)}. It takes {', '.join(known)}", code="invalid_arguments")


def filled(service: Hindsight, namespace: str, name: str, given: Mapping[str, str], words: Words) -> GetPromptResult:
    """The prompt *name*, checked before, with what its arguments ask for."""
    if name == "recall":
        block = service.context(given["query"], namespace=namespace, window_tokens=WINDOW_TOKENS)
        said = words.recall.format(question=given["query"], block=block.text or words.recall_nothing)
    else:
        said = words.look_back.format(session_id=given.get("session_id") or THIS_SESSION)
    message = PromptMessage(role="user", content=TextContent(type="text", text=said))
    return GetPromptResult(description=words.prompts[name].description, messages=[message])
