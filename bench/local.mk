# SPDX-License-Identifier: GPL-3.0-or-later
BENCHES = bench/checker bench/runner bench/recording bench/check_file bench/formats \
	bench/generator bench/bars bench/violation bench/explore bench/aim bench/growth \
	bench/components bench/duplicates
bench: isostress $(BENCHES)
	@for b in $(BENCHES); do echo "== $$b"; ./$$b || exit; done
	@echo "== bench/record_onoff.sh"; $(srcdir)/bench/record_onoff.sh
	@echo "== bench/explain.sh"; $(srcdir)/bench/explain.sh
	@echo "== bench/parts.sh"; $(srcdir)/bench/parts.sh
	@echo "== bench/pipe.sh"; $(srcdir)/bench/pipe.sh
.PHONY: bench
EXTRA_PROGRAMS += $(BENCHES)
CLEANFILES += $(BENCHES)

# On real servers, against their own load generators.
LIVE_BENCHES = bench/live_postgresql.sh bench/live_mysql.sh bench/live_tpcc.sh \
	bench/anomalies.sh bench/own_sql_cost.sh bench/stop.sh
bench-live: isostress$(EXEEXT)
	@for b in $(LIVE_BENCHES); do \
	  echo "== $$b"; WRITE=$(WRITE) TOP_BUILDDIR=$(abs_top_builddir) $(srcdir)/$$b || exit; done
.PHONY: bench-live
# The rates of aborts that results/ has, in half an hour; and their pictures alone, from
# the figures that are there.
abort-rates: isostress$(EXEEXT) bench/panels$(EXEEXT)
	TOP_BUILDDIR=$(abs_top_builddir) $(srcdir)/bench/abort_rates.sh
abort-rates-pictures: bench/panels$(EXEEXT)
	TOP_BUILDDIR=$(abs_top_builddir) $(srcdir)/bench/abort_rates.sh draw
.PHONY: abort-rates abort-rates-pictures
check_PROGRAMS += bench/panels

# bench/chances.sh uses it.
EXTRA_PROGRAMS += bench/chances
CLEANFILES += bench/chances$(EXEEXT)

# bench/parts.sh uses it, and people by hand.
EXTRA_PROGRAMS += bench/smallest
bench_smallest_SOURCES = bench/smallest.c bench/hunt.c
CLEANFILES += bench/smallest$(EXEEXT)

PROCESS_SOURCES = bench/process.c
HISTORY_SOURCES = bench/histories.c $(PROCESS_SOURCES)
bench_bars_SOURCES = bench/bars.c $(HISTORY_SOURCES)
bench_violation_SOURCES = bench/violation.c $(PROCESS_SOURCES)
bench_explore_SOURCES = bench/explore.c $(PROCESS_SOURCES)
bench_aim_SOURCES = bench/aim.c bench/aim_chances.c
bench_growth_SOURCES = bench/growth.c $(PROCESS_SOURCES)
bench_components_SOURCES = bench/components.c $(HISTORY_SOURCES)
# CaDiCaL is only for this comparison, and only where it is installed.
bench_cadical_SOURCES = bench/cadical.c bench/lazy.c $(HISTORY_SOURCES)
bench_cadical_LDADD = $(LIBS_ALL) -lcadical -lstdc++
if HAVE_CADICAL
BENCHES += bench/cadical
endif
bench_duplicates_SOURCES = bench/duplicates.c $(HISTORY_SOURCES)
# The rates of applications on each database, beside the mixed-isolation paper,
# and for a long time.
APPLICATION_BENCHES = bench/applications.sh bench/sobound.sh bench/tpcc_memory.sh
bench-applications: isostress$(EXEEXT)
	@for b in $(APPLICATION_BENCHES); do \
	  echo "== $$b"; WRITE=$(WRITE) TOP_BUILDDIR=$(abs_top_builddir) $(srcdir)/$$b || exit; done
.PHONY: bench-applications
