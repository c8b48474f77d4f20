#!/bin/sh
# Tests the driver, then stresses what it drives: both must succeed.
set -e
cd "$(dirname "$0")"
isostress driver-test --driver='node my_driver.cjs'
isostress run -T 2s --driver='node my_driver.cjs'
