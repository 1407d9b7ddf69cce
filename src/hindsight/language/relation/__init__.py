"""How a new memory stands to an old one, and their merging, without a language model.

Both statements are parsed, aligned and turned into features; a small learned judge weighs them, and
vetoes keep it from merging what only looks alike. Cosine similarity is one feature among many:
alone it reached an accuracy of .23 on labelled pairs, and it cannot see a negation.
"""

from hindsight.language.relation.merging import merge
from hindsight.language.relation.relating import relate
from hindsight.language.relation.statement import JUDGED, Judged, Statement, Verdict

__all__ = ["JUDGED", "Judged", "Statement", "Verdict", "merge", "relate"]
