#!/usr/bin/env bash
# Compiles the kernels into a plain program with every check on, under AddressSanitizer and UndefinedBehaviorSanitizer,
# and runs it. No Python takes part. Usage: bash tests/sanitize/run.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
mkdir -p build
"${CXX:-c++}" -std=gnu++20 -O1 -g -ffp-contract=off -fsanitize=address,undefined -fno-sanitize-recover=all \
    -D_GLIBCXX_ASSERTIONS -DTALLY_CHECK -Wall -Wextra -Isrc tests/sanitize/*.cpp -o build/sanitize
build/sanitize
