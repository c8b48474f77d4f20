# SPDX-License-Identifier: GPL-3.0-or-later
libisostress_a_SOURCES += ranks/beat.c ranks/clock.c ranks/hello.c ranks/load_mpi.c ranks/meet.c \
	ranks/ranks.c ranks/wire.c

# MPI is a shared object that the program loads when mpirun started it.
ranks/load_mpi.$(OBJEXT): AM_CPPFLAGS += -DRANKS_DIR='"$(pkglibdir)"'
if BUILD_MPI
ranksdir = $(pkglibdir)
ranks_DATA = ranks/mpi.so
ranks/mpi.so: ranks/mpi.c ranks/parts.h $(srcdir)/ranks/mpi.map
	$(AM_V_CCLD)$(MKDIR_P) ranks && $(CC) $(DEFS) $(DEFAULT_INCLUDES) $(AM_CPPFLAGS) $(CPPFLAGS) $(MPI_CFLAGS) \
	  $(AM_CFLAGS) $(CFLAGS) $(LDFLAGS) -fPIC -shared -o $@ \
	  -Wl,--version-script=$(srcdir)/ranks/mpi.map $(srcdir)/ranks/mpi.c $(MPI_LIBS)
CLEANFILES += ranks/mpi.so
endif
