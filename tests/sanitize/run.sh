#!/usr/bin/env bash
# Compiles the kernels into a plain program with every check on, under AddressSanitizer and UndefinedBehaviorSanitizer,
# and runs it. No Python takes part. Usage: bash tests/sanitize/run.sh
# On a processor that is not here, without the sanitizers, which it lacks:
#   CXX="aarch64-linux-gnu-g++ -static" SANITIZE= RUN=qemu-aarch64-static bash tests/sanitize/run.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
mkdir -p build
instructions=  # on x86 those that every build is compiled for
if ${CXX:-c++} -dM -E -x c++ /dev/null | grep -q __x86_64__; then instructions=-march=x86-64-v2; fi
# shellcheck disable=SC2086
${CXX:-c++} -std=gnu++20 -O1 -g -ffp-contract=off $instructions ${SANITIZE--fsanitize=address,undefined -fno-sanitize-recover=all} \
    -D_GLIBCXX_ASSERTIONS -DTALLY_CHECK -Wall -Wextra -Isrc tests/sanitize/*.cpp -o build/sanitize
${RUN:-} build/sanitize
