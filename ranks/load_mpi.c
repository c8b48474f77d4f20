// SPDX-License-Identifier: GPL-3.0-or-later
// Loads the shared object that speaks MPI (ranks/parts.h): beside a program
// that was built and not installed, else where it is installed.
#include "config.h"

#include "ranks/parts.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// OpenMPI's mpirun sets the first, MPICH's and Slurm's the others.
static const char *const of_mpi[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK",
                                     "PMIX_RANK"};

bool ranks_by_mpi(void) {
  bool is = false;
  for (size_t i = 0; i < sizeof of_mpi / sizeof *of_mpi; i++)
    is |= getenv(of_mpi[i]) != NULL;
  return is;
}

static void name_object(char *path, size_t room) {
  char program[PATH_MAX];
  const ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
  program[n > 0 ? n : 0] = '\0';
  char *name = strrchr(program, '/');
  if (name)
    name[1] = '\0';
  snprintf(path, room, "%sranks/mpi.so", program);
  if (access(path, R_OK))
    snprintf(path, room, "%s/mpi.so", RANKS_DIR);
}

const struct ranks_mpi *ranks_load_mpi(struct error *error) {
  char path[PATH_MAX + 16];
  name_object(path, sizeof path);
  if (access(path, R_OK)) {
    error_set(error,
              "mpirun started several of these, and this isostress was built "
              "without MPI, which configure --with-mpi adds; without MPI give "
              "each --rank=R/N and --meet=HOST:PORT");
    return NULL;
  }
  // Parts of OpenMPI look for the symbols of others.
  void *object = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  const struct ranks_mpi *mpi = object ? dlsym(object, RANKS_MPI_SYMBOL) : NULL;
  if (!mpi) {
    const char *why = dlerror();
    error_set(error, "%s cannot be loaded: %s", path,
              why ? why : "no reason given");
  }
  return mpi;
}
