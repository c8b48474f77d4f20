# SPDX-License-Identifier: GPL-3.0-or-later
libisostress_a_SOURCES += report/advice.c report/argue.c report/argue_tell.c \
	report/auto_level.c report/badge.c report/brief.c report/brief_picture.c report/columns.c \
	report/compare.c report/document.c report/example.c report/example_json.c report/example_rows.c \
	report/example_order.c report/example_tell.c report/excerpt.c report/explored.c report/guarantees.c \
	report/index.c report/junit.c report/junit_report.c report/junit_scorecard.c report/loss.c report/model.c report/more_chances.c report/multiples.c \
	report/names.c report/naming.c report/own_scripts.c report/page.c report/page_auto_level.c \
	report/page_chances.c report/page_checked.c report/page_compare.c report/page_example.c report/page_explored.c \
	report/page_facts.c report/page_figures.c report/page_frame.c report/page_guarantees.c \
	report/page_hands.c report/page_index.c report/page_kept.c report/page_lanes.c \
	report/page_latency.c report/page_model.c report/page_next.c report/page_own.c report/page_plots.c report/page_settings.c \
	report/page_steps.c report/page_style.c report/page_verdict.c report/picture.c \
	report/picture_arrows.c report/picture_columns.c report/picture_events.c \
	report/picture_layout.c report/plain.c report/picture_rows.c report/picture_widths.c report/picture_words.c \
	report/plot.c report/promises.c report/report.c report/prospect.c report/quantity.c report/replayed.c \
	report/reread.c report/row_label.c report/scored.c report/scored_text.c report/shortfall.c \
	report/statements.c report/statistics.c report/stored.c report/story.c report/text.c \
	report/text_figures.c report/text_proof.c report/question_members.c report/title.c report/warning.c report/words.c

UNIT_TESTS += tests/unit/report/test_advice tests/unit/report/test_guarantees \
	tests/unit/report/test_example_order tests/unit/report/test_page tests/unit/report/test_picture \
	tests/unit/report/test_promises tests/unit/report/test_report tests/unit/report/test_words
FUZZERS += report
