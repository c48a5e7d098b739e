# ruff: noqa: E501
"""Each collected case has a test with its right value, and tests of neighbours made for it.

The cases are in `../shared/cases`; the tests run without them, but for `documents/test_cases.py`.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
CASES = TESTS.parents[1] / "shared" / "cases"
READERS = "indexes/documents/readers"
EACH_FILE = "indexes/documents/test_cases.py::test_each_file_gives_the_right_words"
KINDS = "models/calls/test_reply_kinds.py"

NEIGHBOURS = {"documents": 1, "agents": 3}
TESTED: dict[str, dict[str, tuple[str, ...]]] = {
    "documents": {
        "01-xml-mixed-content": (EACH_FILE, f"{READERS}/test_data.py::test_xml_keeps_all_text_in_order"),
        "02-json-nested-objects": (EACH_FILE, f"{READERS}/test_data.py::test_objects_of_a_json_list_stay_whole"),
        "03-search-identifiers": (
            "indexes/documents/test_cases.py::test_the_passage_with_the_identifier_is_first",
            "indexes/kinds/sparse/test_spellings.py::test_names_of_files_are_not_cut",
        ),
        "04-pdf-running-lines": (EACH_FILE, f"{READERS}/pdf/test_pdf_pages.py::test_a_line_whose_number_is_its_content_stays"),
        "06-xlsx-numbers": (EACH_FILE, f"{READERS}/test_sheets.py::test_numbers_are_as_the_spreadsheet_shows_them"),
        "07-merged-cells": (EACH_FILE, f"{READERS}/test_word_cases.py::test_kinds"),
        "08-eml-nested-parts": (EACH_FILE, f"{READERS}/mail/test_mail.py::test_all_parts_are_read"),
        "10-pdf-form-xobject": (EACH_FILE, f"{READERS}/pdf/test_pdf_objects.py::test_a_page_that_is_one_form_in_another"),
        "11-pdf-form-fields": (EACH_FILE, f"{READERS}/pdf/test_pdf_pages.py::test_values_of_a_form_stand_beside_their_labels"),
        "13-text-one-bad-byte": (EACH_FILE, f"{READERS}/test_text.py::test_one_wrong_byte_changes_no_other_letter"),
        "14-same-folder-name": (
            "indexes/documents/test_cases.py::test_two_folders_of_one_name_lose_no_file",
            "indexes/documents/test_folders.py::test_a_second_folder_of_the_name_is_added_beside_the_first",
        ),
        "16-docx-checkboxes": (EACH_FILE, f"{READERS}/test_word_cases.py::test_kinds"),
        "17-docx-numbering": (EACH_FILE, f"{READERS}/test_word_cases.py::test_kinds"),
        "18-pdf-right-to-left": (EACH_FILE, f"{READERS}/pdf/test_pdf_scripts.py::test_pages_of_seven_scripts"),
        "19-pdf-rotated-text": (EACH_FILE, f"{READERS}/pdf/test_pdf_pages.py::test_slanted_text_does_not_mix_with_the_lines_below_it"),
        "21-zip-names": (EACH_FILE, f"{READERS}/test_files_in_files.py::test_a_name_in_unicode_beside_the_other_counts"),
        "23-front-matter": (EACH_FILE, f"{READERS}/test_text.py::test_front_matter_that_is_no_valid_yaml"),
        "25-docx-lost-parts": (EACH_FILE, f"{READERS}/test_word_cases.py::test_kinds"),
        "26-superscripts": (EACH_FILE, f"{READERS}/pdf/test_pdf_pages.py::test_raised_and_lowered_characters"),
        "28-xml-encodings": (EACH_FILE, f"{READERS}/test_data.py::test_xml_in_the_encoding_that_it_declares"),
        "30-names-and-dates": (EACH_FILE, "indexes/filters/test_allowed.py::test_documents_without_a_date_are_counted"),
        "32-encoding-guess": (EACH_FILE, f"{READERS}/test_text.py::test_an_encoding_is_recognised"),
    },
    "agents": {
        "cut-answer": (
            f"{KINDS}::test_a_stream_that_breaks_off_is_asked_for_again_and_not_kept",
            f"{KINDS}::test_half_an_object_is_not_finished_although_its_mark_says_so",
            f"{KINDS}::test_a_filtered_reply_is_said_to_be_one",
            "models/calls/test_reported_streams.py::test_half_a_character_at_the_end_is_no_end",
        ),
        "deadline-exceeded": (
            f"{KINDS}::test_a_timeout_of_the_servers_own_is_tried_again",
            "models/test_failures.py::test_an_exception_is_sorted",
            "models/calls/test_reports.py::test_ollama_stopped_by_a_change_of_models_is_asked_again",
            "models/calls/test_reports.py::test_every_client_tells_what_an_error_with_http_200_says",
        ),
        "event-loop-closed": (
            "models/calls/test_call_failures.py::test_connections_kept_alive_do_not_outlive_their_loop",
            "models/calls/test_call_failures.py::test_a_process_may_run_several_event_loops",
            "models/test_turns.py::test_an_event_loop_that_ends_holds_nothing",
            "agent/test_hopyard.py::test_in_several_threads_and_loops",
        ),
        "failed-call-says-unknown": (
            f"{KINDS}::test_a_refusal_costs_one_call",
            "agent/test_tool.py::test_alone_a_fault_is_one_sentence",
            "models/calls/test_call_failures.py::test_a_prompt_beyond_the_window_is_not_asked_again",
            "nodes/test_attempt.py::test_what_each_error_means",
        ),
        "no-json-schema": (
            "models/calls/test_refused_options.py::test_what_a_server_refuses_is_left_out_from_then_on",
            "models/calls/test_reports.py::test_a_grammar_that_a_server_cannot_make_is_a_refused_schema",
            "models/calls/test_refused_options.py::test_a_server_that_knows_no_schemas_is_shown_them_in_the_prompt",
            "models/test_abilities.py::test_schemas_are_refused_in_several_spellings",
        ),
        "ollama-window": (
            "models/test_ollama.py::test_the_window_holds_prompt_and_answer",
            "models/calls/test_reports.py::test_a_model_whose_tokens_are_denser_gets_fewer_passages",
            "models/test_ollama.py::test_an_older_server_that_cuts_a_prompt_is_found_out",
            "models/test_windows.py::test_what_servers_say_about_a_prompt_that_is_too_long",
        ),
        "removed-document": (
            "indexes/test_removed_text.py::test_vacuum_leaves_no_byte_of_it",
            "indexes/test_removed_text.py::test_vacuum_deletes_vectors_and_gives_back_the_space",
            "indexes/test_removed_text.py::test_two_later_builds_leave_no_byte_of_it",
            "indexes/test_removed_text.py::test_rows_of_a_killed_build_count_as_unused",
        ),
        "rollback-500": (
            "server/test_runs.py::test_a_second_message_rolls_the_first_back",
            "server/test_runs.py::test_a_cancelled_run_is_rolled_back_and_a_run_can_be_deleted",
            "server/test_runs.py::test_a_pruned_thread_leaves_the_store",
            "server/test_server.py::test_an_error_reaches_the_client_in_its_own_words",
        ),
        "same-name-other-server": (
            f"{KINDS}::test_two_servers_of_one_model_name_share_no_answers",
            "models/test_addresses.py::test_a_server_of_the_users_own",
            "models/test_addresses.py::test_the_address_is_taken_off_again",
            "models/test_instances.py::test_every_parameter_is_a_part_of_it",
        ),
        "thoughts-taken-as-answer": (
            f"{KINDS}::test_a_draft_is_neither_the_answer_nor_shown_nor_kept",
            "models/calls/test_reports.py::test_an_answer_in_another_form_is_read",
            f"{KINDS}::test_thoughts_alone_are_no_answer",
            "models/calls/test_parse.py::test_a_tag_in_the_answer_is_text",
        ),
    },
}  # fmt: skip


@cache
def named_in(path: str) -> frozenset[str]:
    tree = ast.parse((TESTS / path).read_text())
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return frozenset(each.name for each in ast.walk(tree) if isinstance(each, functions))


@pytest.mark.parametrize("kind", TESTED)
def test_the_tests_of_each_case_and_its_neighbours_are_there(kind: str) -> None:
    for case, tests in TESTED[kind].items():
        assert len(set(tests)) == 1 + NEIGHBOURS[kind], case
        for path, _, name in (each.partition("::") for each in tests):
            assert name in named_in(path), case


@pytest.mark.skipif(not CASES.exists(), reason="the folder ../shared is not there")
@pytest.mark.parametrize("kind", TESTED)
def test_each_case_is_in_the_table(kind: str) -> None:
    assert {each.name for each in (CASES / kind).iterdir() if (each / "README.md").exists()} == {
        *TESTED[kind]
    }
