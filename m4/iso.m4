# SPDX-License-Identifier: GPL-3.0-or-later

# ISO_WARNINGS: sets WARN_CFLAGS to those of our warnings that $CC knows.
AC_DEFUN([ISO_WARNINGS], [
  WARN_CFLAGS=
  iso_save_CFLAGS=$CFLAGS
  for iso_flag in -Wall -Wextra -Wshadow -Wstrict-prototypes \
      -Wmissing-prototypes -Wpointer-arith -Wcast-qual -Wwrite-strings \
      -Wundef -Wvla -Wformat=2; do
    CFLAGS="$iso_save_CFLAGS $iso_flag -Werror"
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM()],
                      [WARN_CFLAGS="$WARN_CFLAGS $iso_flag"])
  done
  CFLAGS=$iso_save_CFLAGS
  AC_SUBST([WARN_CFLAGS])
])

# ISO_REQUIRE(VARIABLE, PKG-CONFIG NAME, DEBIAN PACKAGE)
AC_DEFUN([ISO_REQUIRE], [
  PKG_CHECK_MODULES([$1], [$2], [],
    [AC_MSG_ERROR([$2 is missing: apt-get install $3])])
])

# ISO_DRIVER(NAME, VARIABLE, PKG-CONFIG NAME, DEBIAN PACKAGE, [required])
# Off when the library is missing, unless it is required or asked for by
# --with-NAME.  Defines HAVE_VARIABLE and adds a line to the summary.
AC_DEFUN([ISO_DRIVER], [
  AC_ARG_WITH([$1], [AS_HELP_STRING([--without-$1], [leave the $1 driver out])],
              [], [with_$1=m4_if([$5], [required], [yes], [auto])])
  have_$1=no
  AS_IF([test "x$with_$1" != xno],
    [PKG_CHECK_MODULES([$2], [$3], [have_$1=yes],
      [AS_IF([test "x$with_$1" = xyes],
        [AC_MSG_ERROR([the $1 driver needs $3: apt-get install $4])])])])
  AS_IF([test "x$have_$1" = xyes],
    [AC_DEFINE([HAVE_$2], [1], [Define to 1 to build the $1 driver.])
     DRIVER_SUMMARY="$DRIVER_SUMMARY    m4_format([%-11s], [$1]) yes\n"],
    [test "x$with_$1" = xno],
    [DRIVER_SUMMARY="$DRIVER_SUMMARY    m4_format([%-11s], [$1]) no  (switched off)\n"],
    [DRIVER_SUMMARY="$DRIVER_SUMMARY    m4_format([%-11s], [$1]) no  (apt-get install $4)\n"])
  AM_CONDITIONAL([BUILD_$2], [test "x$have_$1" = xyes])
])
