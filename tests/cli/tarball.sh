#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The tarball holds every file that git knows, and besides them only files that
# autotools made.
. "${TOP_SRCDIR:?}/tests/tap.sh"
plan 3

# The path is relative, because automake takes no other.
distdir=tarball-of-test-$$
trap 'chmod -R u+w "$TOP_BUILDDIR/$distdir"; rm -rf "$work" "$TOP_BUILDDIR/$distdir"' EXIT
mkdir "$TOP_BUILDDIR/$distdir"
run make -s -C "$TOP_BUILDDIR" distdir distdir="$distdir"
known=$(cd "$TOP_SRCDIR" && { cat MANIFEST || git ls-files; } 2>/dev/null | sort)
if [ -z "$known" ]; then # neither a clone nor a tarball
  is "$status" 2 "without git and MANIFEST there is no tarball"
  like "$err" 'make dist needs git, or the MANIFEST of a tarball' "the sentence says why"
  is "$(cd "$TOP_BUILDDIR/$distdir" && cat MANIFEST)" "" "nothing is listed"
  exit
fi
is "$status" 0 "make distdir"
packed=$(cd "$TOP_BUILDDIR/$distdir" && find . -type f | sed 's|^\./||' | sort)
is "$(comm -23 <(echo "$known") <(echo "$packed"))" "" "no file of git is missing"
is "$(comm -13 <(echo "$known") <(echo "$packed") | grep -v '^build-aux/' | xargs)" \
  "MANIFEST Makefile.in aclocal.m4 config.h.in configure" "no other file but those of autotools"
