# SPDX-License-Identifier: GPL-3.0-or-later
libisostress_a_SOURCES += recorder/builder/arrange.c recorder/builder/builder.c \
	recorder/builder/builder_lists.c recorder/builder/builder_rows.c recorder/builder/first_reads.c \
	recorder/builder/initial_policy.c recorder/builder/number_map.c recorder/builder/ranges.c \
	recorder/builder/resolve.c recorder/builder/sets.c recorder/builder/text_map.c \
	recorder/builder/write_index.c recorder/events.c recorder/files/native_format.c recorder/files/native_rows.c \
	recorder/files/reader.c recorder/files/set_clock.c recorder/files/set_read.c recorder/files/writer.c recorder/formats/awdit.c \
	recorder/formats/bincode.c recorder/formats/calls.c recorder/formats/closed_predicate.c \
	recorder/formats/cobra.c recorder/formats/content.c recorder/formats/dbcop_json.c \
	recorder/formats/elle.c recorder/formats/elle_formats.c recorder/formats/elle_write.c \
	recorder/formats/etcd_report.c recorder/formats/events.c recorder/formats/export.c recorder/formats/input.c \
	recorder/formats/jepsen.c recorder/formats/jepsen_lines.c recorder/formats/jsonl.c \
	recorder/formats/kv_pieces.c \
	recorder/formats/micro_op.c recorder/formats/plume.c recorder/formats/porcupine.c \
	recorder/formats/porcupine_kv.c recorder/formats/printed.c recorder/formats/row_notation.c \
	recorder/formats/row_write.c recorder/formats/text.c recorder/formats/text_write.c recorder/formats/timekiller.c \
	recorder/formats/tokens.c recorder/formats/values.c recorder/formats/veristrong.c \
	recorder/formats/viper_json.c recorder/history.c recorder/implied.c recorder/native/chunk.c \
	recorder/native/column.c recorder/native/decode.c recorder/native/flow.c recorder/native/keys.c \
	recorder/native/lists.c recorder/native/native.c recorder/native/past.c \
	recorder/native/resolve.c recorder/native/rows.c recorder/native/scan.c \
	recorder/native/tables_text.c recorder/native/unpack.c recorder/native/values.c \
	recorder/record/backpressure.c recorder/record/encode.c recorder/record/part_note.c recorder/record/recording.c \
	recorder/record/session_log.c recorder/record/statement_log.c recorder/record/window.c \
	recorder/row_words.c recorder/rows.c recorder/statement_times.c recorder/statistics.c recorder/told.c recorder/two_kinds.c

UNIT_TESTS += tests/unit/recorder/test_bincode tests/unit/recorder/test_calls \
	tests/unit/recorder/test_convert tests/unit/recorder/test_foreign \
	tests/unit/recorder/test_foreign_tools tests/unit/recorder/test_formats \
	tests/unit/recorder/test_golden tests/unit/recorder/test_history tests/unit/recorder/test_ids \
	tests/unit/recorder/test_implied tests/unit/recorder/test_initial_session \
	tests/unit/recorder/test_jepsen tests/unit/recorder/test_lists \
	tests/unit/recorder/test_losses tests/unit/recorder/test_pace tests/unit/recorder/test_pieces \
	tests/unit/recorder/test_recording tests/unit/recorder/test_row_words tests/unit/recorder/test_rows \
	tests/unit/recorder/test_salvage tests/unit/recorder/test_sets tests/unit/recorder/test_sort \
	tests/unit/recorder/test_statement_times tests/unit/recorder/test_statements \
	tests/unit/recorder/test_statistics \
	tests/unit/recorder/test_stopped_reading tests/unit/recorder/test_store \
	tests/unit/recorder/test_targets tests/unit/recorder/test_text tests/unit/recorder/test_torn \
	tests/unit/recorder/test_window
THREAD_TESTS += tests/unit/recorder/test_losses tests/unit/recorder/test_pace \
	tests/unit/recorder/test_recording
tests_unit_recorder_test_sort_LDFLAGS = $(LDFLAGS_OF_STOP)
tests_unit_recorder_test_stopped_reading_LDFLAGS = $(LDFLAGS_OF_STOP)
