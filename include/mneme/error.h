// mneme/error.h - the exceptions mneme throws. Every message says what was given, what is allowed
// and what to do.
//
// A call that throws leaves the object as it was. Python sees ValueError, KeyError, OSError and
// RuntimeError.
#pragma once

#include <stdexcept>
#include <string>

namespace mneme {

/// Base of all of them, for callers that treat every failure alike.
struct Error : std::runtime_error {
  /// what() is valid UTF-8: bytes of `message` that are not, such as those of a corrupt file,
  /// become '?'.
  explicit Error(const std::string& message);
};

/// An argument is of the wrong size, out of range, not finite, or does not fit the others.
struct InvalidArgument : Error {
  using Error::Error;
};

/// A name that nothing is registered under; the message lists the known ones and the nearest.
struct NotFound : Error {
  using Error::Error;
};

/// The operating system refused: a file that does not open, a full disk, no memory.
struct IoError : Error {
  using Error::Error;
};

/// A file that opened but does not hold what its format promises.
struct CorruptData : Error {
  using Error::Error;
};

}  // namespace mneme
