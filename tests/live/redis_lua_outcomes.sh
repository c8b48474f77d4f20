#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Starts Redis for redis_lua_outcomes.c.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
live_needs redis
live_start redis
REDIS_URI=${server_uri[0]} live_program redis_lua_outcomes libhiredis-dev
