#!/bin/sh
# Tests the driver, then stresses what it drives: both must succeed.
set -e
cd "$(dirname "$0")"
isostress driver-test --driver='python3 my_driver.py'
isostress run -T 2s --driver='python3 my_driver.py'
