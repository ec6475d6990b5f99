// tests/package/outside/main.cpp - a program of another project, on the public headers alone.
#include <mneme/error.h>
#include <mneme/rng.h>

#include <cstdio>

#if __has_include("base/philox.h")
#error "a private header of mneme is in reach"
#endif

int main() {
  // The golden sequence of tests/base/rng_test.cpp: the right library, and linked.
  const bool same = mneme::Rng(20260, 1, 7).word() == 0x17a5eddb55a0ce95ULL;
  bool thrown = false;
  try {
    mneme::Rng(1).below(0);
  } catch (const mneme::InvalidArgument&) {
    thrown = true;
  }
  std::puts(same && thrown ? "mneme works from outside" : "mneme does not work from outside");
  return same && thrown ? 0 : 1;
}
