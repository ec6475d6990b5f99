// tests/support/places.cpp - the only file that is told where the checkout is.
#include "support/places.h"

namespace mneme::test {

std::string source_path(std::string_view relative) {
  return std::string(MNEME_SOURCE_DIR "/").append(relative);
}

}  // namespace mneme::test
