// SPDX-License-Identifier: GPL-3.0-or-later
// Waiting for answers of MariaDB and MySQL (drivers/mysql_wait.h).  The library
// asks for an answer without waiting, polls, and asks again: three calls of the
// kernel, where one that waits does.  So what reads from its sockets is
// replaced; nothing else of it changes, and under TLS it is not used.
#include "config.h"

#include "drivers/mysql_wait.h"

#include "base/memory.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/types.h>

#include <ma_pvio.h> // needs what mysql.h defines

// The socket blocks, and has its timeout, as the library set them.
static ssize_t read_blocking(MARIADB_PVIO *io, unsigned char *bytes,
                             size_t room) {
  const my_socket fd = mysql_get_socket(io->mysql);
  ssize_t n;
  do
    n = recv(fd, bytes, room, 0);
  while (n < 0 && errno == EINTR);
  if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
    errno = ETIMEDOUT; // which is what the library says then
  return n;
}

// Is the library laid out as the header says?  Its releases of one series are.
static bool is_as_compiled(void) {
  return mysql_get_client_version() / 100 == MARIADB_PACKAGE_VERSION_ID / 100;
}

struct st_ma_pvio_methods *mysqldb_wait_in_one_call(MYSQL *mysql) {
  MARIADB_PVIO *io = mysql->net.pvio;
  if (!is_as_compiled() || io->mysql != mysql)
    return NULL;
  PVIO_METHODS *methods = xmalloc(sizeof *methods);
  *methods = *io->methods;
  methods->read = read_blocking;
  io->methods = methods;
  return methods;
}
