#!/bin/sh
# Tests the driver, then stresses what it drives: both must succeed.
set -e
cd "$(dirname "$0")"
${CC:-cc} -O2 -o my_driver my_driver.c
isostress driver-test --driver='./my_driver'
isostress run -T 2s --driver='./my_driver'
