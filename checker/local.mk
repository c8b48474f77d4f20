# SPDX-License-Identifier: GPL-3.0-or-later
libisostress_a_SOURCES += checker/argue/argue.c checker/argue/axioms.c checker/argue/clauses.c checker/argue/sight.c \
	checker/argue/tell.c checker/argue/unreturned.c \
	checker/auto_level.c checker/chances/chances.c checker/chances/found.c \
	checker/chances/meeting.c checker/chances/sample.c checker/chances/search.c \
	checker/chances/single.c checker/chances/unwritten.c checker/check.c checker/decide/decide.c \
	checker/duplicates/candidates.c checker/duplicates/check_ambiguous.c \
	checker/duplicates/polygraph.c checker/evidence/core.c checker/evidence/evidence.c \
	checker/explain/clarity.c checker/explain/count.c checker/explain/counted.c checker/explain/counterexample.c \
	checker/explain/examples.c checker/explain/minimal_part.c checker/explain/name_part.c \
	checker/explain/subsumed_cycles.c checker/graph/candidate.c checker/graph/classify.c \
	checker/graph/cycle.c checker/graph/dependency_order.c checker/graph/edges.c \
	checker/graph/lost_writes.c checker/graph/search.c checker/graph/shorten.c \
	checker/graph/toporder.c checker/model/append_index.c checker/model/chains.c \
	checker/model/commit_order_guess.c checker/model/lists.c checker/model/model.c \
	checker/model/reads.c checker/model/time_events.c checker/part/assumed_reads.c \
	checker/part/empty.c checker/part/row_registers.c checker/part/row_versions.c checker/part/rows_cut.c \
	checker/part/subhistory.c checker/part/sublists.c checker/part/versions_kept.c checker/rows/by_cases.c \
	checker/rows/by_causes.c checker/rows/by_conditions.c checker/rows/by_places.c checker/rows/by_search.c checker/rows/decide.c checker/rows/tiny.c \
	checker/rows/causal_rows.c checker/rows/check_rows.c checker/rows/conjuncts.c checker/rows/current_rows.c \
	checker/rows/engine.c checker/rows/explicit_place.c checker/rows/latest_order.c checker/rows/name_rows.c \
	checker/rows/open_rows.c checker/rows/place_judge.c checker/rows/place_round.c checker/rows/places.c checker/rows/statement_events.c \
	checker/rows/row_cycle.c checker/rows/show_rows.c checker/rows/sight.c checker/rows/smallest_cut.c checker/rows/verify_part.c \
	checker/rows/version_numbers.c checker/rows/wrong_rows.c checker/session_rc.c \
	checker/solver/cdcl.c checker/solver/events.c checker/solver/reads_from.c \
	checker/solver/version_order.c checker/verdict/effective_options.c checker/verdict/lead.c \
	checker/verdict/level_rules.c checker/verdict/question.c checker/verdict/verdict.c checker/verify/ambiguous.c \
	checker/verify/argument.c checker/verify/argument_choices.c \
	checker/verify/argument_paths.c checker/verify/rows/argument_rows.c checker/verify/rows/bounded_rows.c checker/verify/causal.c \
	checker/verify/rows/column_counts.c checker/verify/rows/condition.c checker/rows/event_order.c \
	checker/verify/rows/executed.c checker/verify/rows/execute_rows.c checker/verify/facts.c checker/verify/rows/latest_reads.c \
	checker/verify/part.c checker/verify/real_time.c checker/verify/referee.c \
	checker/verify/referee_problem.c checker/verify/rows/referee_rows.c checker/verify/rows/row_reads.c \
	checker/rows/rows_cases.c checker/rows/rows_known.c \
	checker/rows/rows_refute.c checker/verify/rows/rows_left_out.c checker/verify/rows/rows_part.c \
	checker/rows/sobound.c checker/verify/verify.c checker/verify/violation.c \
	checker/verify/weak.c checker/verify/rows/live_rows.c checker/verify/rows/visible.c checker/verify/rows/pasts.c checker/witness/witness.c \
	checker/witness/witness_hash.c checker/witness/witness_proof.c checker/witness/witness_rows.c \
	checker/stream/batch.c checker/stream/copies.c checker/stream/effects.c checker/stream/guess.c \
	checker/stream/part.c checker/stream/replay.c checker/stream/placing.c checker/stream/spans.c \
	checker/stream/store.c checker/stream/stream.c checker/stream/value_map.c \
	checker/weak/causal.c checker/weak/observed.c checker/weak/real_time.c \
	checker/weak/recorded_order.c checker/weak/saturate.c

UNIT_TESTS += tests/agreement/test_long tests/agreement/test_metamorphic \
	tests/agreement/test_causal_rows tests/agreement/test_minimal tests/agreement/test_row_cycle tests/agreement/test_rows \
	tests/agreement/test_rows_argument tests/agreement/test_rows_cases tests/agreement/test_rows_dropped tests/agreement/test_rows_mutants \
	tests/agreement/test_rows_witness tests/agreement/test_sets tests/agreement/test_sobound \
	tests/agreement/test_store tests/agreement/test_stream tests/agreement/test_witness tests/unit/checker/test_argument \
	tests/unit/checker/test_auto_level tests/unit/checker/test_blame \
	tests/unit/checker/test_causal tests/unit/checker/test_chances \
	tests/unit/checker/test_checker tests/unit/checker/test_checker_proof \
	tests/unit/checker/test_counterexample tests/unit/checker/test_initial \
	tests/unit/checker/test_level_rules tests/unit/checker/test_lost_write \
	tests/unit/checker/test_referee tests/unit/checker/test_question tests/unit/checker/test_register \
	tests/unit/checker/test_resealed tests/unit/checker/test_row_chances \
	tests/unit/checker/test_rows_labelled tests/unit/checker/test_rows_proofs \
	tests/unit/checker/test_rows_rolled_back \
	tests/unit/checker/test_sentences tests/unit/checker/test_stop \
	tests/unit/checker/test_stop_stages tests/unit/checker/test_subhistory \
	tests/unit/checker/test_toporder tests/unit/checker/test_verify_weak \
	tests/unit/checker/test_witness
tests_unit_checker_test_stop_LDFLAGS = $(LDFLAGS_OF_STOP)
tests_unit_checker_test_stop_stages_LDFLAGS = $(LDFLAGS_OF_STOP)

LONG_TESTS += tests/agreement/test_exhaustive tests/agreement/test_rows \
	tests/agreement/test_causal_rows tests/agreement/test_row_cycle tests/agreement/test_rows_argument \
	tests/agreement/test_rows_cases tests/agreement/test_rows_dropped tests/agreement/test_rows_mutants \
	tests/agreement/test_rows_witness tests/agreement/test_sobound tests/agreement/test_random \
	tests/agreement/test_variants tests/agreement/test_metamorphic tests/agreement/test_sets \
	tests/agreement/test_minimal tests/agreement/test_witness tests/agreement/test_duplicates \
	tests/agreement/test_store tests/agreement/test_stream
