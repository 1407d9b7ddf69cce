"""What every surface must do, as data: an id and a sentence.

`test_behaviours.py` has exactly one test for each, run through every surface of `drivers.py`.
"""

from __future__ import annotations

BEHAVIOURS: dict[str, str] = {
    "what_is_written_is_found": "A memory that was written is found by a question in its language, with its metadata.",
    "the_same_fact_twice_is_one_memory": "Writing a fact again reinforces the memory there is.",
    "a_vague_key_is_refused": "A key that tells nothing apart is refused with advice, and nothing is stored.",
    "a_secret_is_refused": "A write that holds a secret is refused, and nothing is stored.",
    "a_bad_namespace_is_refused": "A namespace that is empty or holds a space is refused, never normalised.",
    "an_empty_query_is_refused": "An empty query and a limit of none are errors, not empty answers.",
    "any_query_is_safe": "Quotes, operators, paths and tokens are words like any other; the exact one is found.",
    "an_unrelated_question_finds_nothing": "Search abstains where nothing relevant is stored.",
    "sending_a_session_again_appends_its_tail": "A session sent again from its start stores only what is new.",
    "a_changed_turn_is_refused": "A turn that is stored already cannot be changed by sending another.",
    "a_time_without_a_zone_is_refused": "A time without a zone is refused unless the call names one.",
    "a_look_back_keeps_what_is_stable": "A look back keeps stable facts with their quotes and says what it refused.",
    "a_look_back_again_changes_nothing": "Looking back twice on the same turns adds nothing.",
    "forgotten_is_not_served_and_can_be_restored": "A forgotten memory is not served; restored, it is served again.",
    "a_rejected_memory_is_archived": "Verifying a memory as rejected archives it.",
    "an_agent_only_proposes": "Below the user's origin, verify and forget propose and change no trusted memory.",
    "erased_is_gone": "An erased memory is gone from every read, and the receipt says so.",
    "erasing_what_is_not_there_is_an_error": "Erasing an unknown memory is not reported as done.",
    "another_namespace_sees_nothing": "What one namespace holds is not found, listed or shown in another.",
    "a_change_supersedes": "A text that says that something changed archives the old memory and names its successor.",
    "a_contradiction_asks": "A contradiction keeps both sides, and search brings the question until it is settled.",
    "the_same_source_adds_no_confidence": "Confidence rises for evidence from elsewhere, never for the same source.",
    "an_echo_adds_nothing": "What an agent says back after it was served raises no confidence and verifies nothing.",
    "a_merge_keeps_its_parts": "A refinement makes one memory with both details; its parts stay readable by lineage.",
    "verifying_settles_a_conflict": "Confirmed, rejected or changed: the loser is archived, with who and when.",
    "what_was_rejected_is_not_learned_again": "A rejected memory leaves a lesson that its source's near-copies meet.",
    "the_users_fresh_word_overrides_a_lesson": "What was rejected is learned again once the user says it afresh.",
    "a_fact_that_held_twice_keeps_both_times": "Spans apart in time neither merge nor replace each other.",
    "a_read_as_of_then_gives_what_was_believed_then": "A search as of a moment answers as was known at that moment.",
    "review_lists_what_most_needs_a_look": "Review lists disputed memories first, then doubtful ones in use, in pages.",
    "a_retried_request_gets_the_first_answer": "A write under one request id is made once and answered the same.",
    "tool_text_is_never_the_users": "What a tool's result says about the user is served on no read path.",
    "an_agent_cannot_launder_what_it_read": "What an agent writes after reading a tool's result is held in quarantine.",
    "a_context_stays_in_its_budget": "A context names its memories and never passes its budget.",
    "a_search_can_be_explained": "A trace says what was considered, and keeps what was decided on it.",
    "a_memory_says_why_it_is_there": "A memory names the words it came from, what made it, and who stayed apart.",
    "lists_are_paged": "A list gives a page and the cursor of the next; the pages make the whole, once each.",
    "conversations_are_listed": "Sessions, episodes and jobs are listed with where they stand.",
}
