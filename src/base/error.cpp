// base/error.cpp - the text of an exception.
#include "mneme/error.h"

#include "base/text.h"

namespace mneme {

Error::Error(const std::string& message) : std::runtime_error(as_utf8(message)) {}

}  // namespace mneme
