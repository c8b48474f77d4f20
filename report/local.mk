# SPDX-License-Identifier: GPL-3.0-or-later
libisostress_a_SOURCES += report/auto_level.c report/badge.c report/document.c report/events_json.c report/events_words.c \
	report/advised.c report/durable.c report/excerpt.c report/explored.c report/model.c report/more_chances.c \
	report/own_scripts.c report/prospect.c report/question_members.c report/replayed.c \
	report/rank_lines.c report/report.c report/shortfall.c report/stored.c report/warning.c
libisostress_a_SOURCES += report/page/columns.c report/page/compare.c report/page/index.c \
	report/page/page.c report/page/page_auto_level.c report/page/page_chances.c \
	report/page/page_checked.c report/page/page_compare.c report/page/page_compare_course.c report/page/page_events.c report/page/page_example.c \
	report/page/page_advised.c report/page/page_advised_explored.c report/page/page_durable.c report/page/page_explored.c report/page/page_facts.c report/page/page_figures.c \
	report/page/page_frame.c report/page/page_guarantees.c report/page/page_hands.c \
	report/page/page_index.c report/page/page_kept.c report/page/page_lanes.c \
	report/page/page_latency.c report/page/page_model.c report/page/page_next.c \
	report/page/page_own.c report/page/page_plots.c report/page/page_settings.c \
	report/page/page_steps.c report/page/page_style.c report/page/page_verdict.c
libisostress_a_SOURCES += report/picture/multiples.c report/picture/picture.c \
	report/picture/picture_arrows.c report/picture/picture_columns.c \
	report/picture/picture_events.c report/picture/picture_layout.c \
	report/picture/picture_rows.c report/picture/picture_widths.c \
	report/picture/picture_words.c report/picture/plot.c
libisostress_a_SOURCES += report/tale/argue.c report/tale/argue_tell.c report/tale/example.c \
	report/tale/example_edges.c report/tale/example_json.c report/tale/example_order.c \
	report/tale/example_rows.c report/tale/example_tell.c report/tale/loss.c \
	report/tale/names.c report/tale/reread.c report/tale/row_label.c report/tale/sentence.c \
	report/tale/statements.c report/tale/story.c
libisostress_a_SOURCES += report/text/junit.c report/text/junit_report.c report/text/junit_scorecard.c \
	report/text/advised_text.c report/text/scored_text.c report/text/statistics.c report/text/text.c \
	report/text/text_example.c report/text/text_figures.c report/text/text_next.c report/text/text_picture.c \
	report/text/text_proof.c report/text/text_verdict.c
libisostress_a_SOURCES += report/words/advice.c report/words/found.c \
	report/words/guarantees.c report/words/html.c report/words/naming.c report/words/plain.c \
	report/words/promises.c report/words/quantity.c report/words/scored.c report/words/title.c \
	report/words/words.c

UNIT_TESTS += tests/unit/report/test_names tests/unit/report/test_naming \
	tests/unit/report/test_quantity tests/unit/report/test_story \
	tests/unit/report/test_example tests/unit/report/test_argue \
	tests/unit/report/test_example_rows tests/unit/report/test_scored
UNIT_TESTS += tests/unit/report/test_advice tests/unit/report/test_advised tests/unit/report/test_guarantees \
	tests/unit/report/test_example_json tests/unit/report/test_example_order tests/unit/report/test_page tests/unit/report/test_page_frame tests/unit/report/test_page_run \
	tests/unit/report/test_columns tests/unit/report/test_picture tests/unit/report/test_picture_drawn tests/unit/report/test_plot \
	tests/unit/report/test_promises tests/unit/report/test_report tests/unit/report/test_words
UNIT_TESTS += tests/unit/report/test_badge tests/unit/report/test_brief \
	tests/unit/report/test_document tests/unit/report/test_junit \
	tests/unit/report/test_durable tests/unit/report/test_prospect tests/unit/report/test_sections \
	tests/unit/report/test_shortfall tests/unit/report/test_stored
UNIT_TESTS += tests/unit/report/test_compare tests/unit/report/test_index
UNIT_TESTS += tests/unit/report/test_html
FUZZERS += report
