"""The demonstration: in half a minute and without a network, what the service does and refuses to do.

The conversations are data; everything shown is computed from them on the spot by the same calls that
anyone can make.
"""

from hindsight.entrypoints.demo.conversations import Conversation, read_conversations
from hindsight.entrypoints.demo.prompt import converse
from hindsight.entrypoints.demo.tour import Tour

__all__ = ["Conversation", "Tour", "converse", "read_conversations"]
