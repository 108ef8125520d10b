// GRAPHNET_MULTIVERSION before a function compiles it once for the baseline and once for AVX-512 machines, and picks
// one when the program starts. Only for loops of integer and exactly rounded IEEE arithmetic, which give the same bits
// in both. Sanitizers need their run time set up before they run any code, and the picking happens earlier, so they do
// without.
#pragma once

#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define GRAPHNET_MULTIVERSION __attribute__((target_clones("arch=x86-64-v4", "default")))
#else
#define GRAPHNET_MULTIVERSION
#endif
