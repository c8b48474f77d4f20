#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Starts MariaDB for mysql_rows.c.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
live_mysql_program mysql_rows
