// os/exit_codes.h - exit codes of the `mneme` program.
//
// Between processes these are the protocol: a study reads how a run ended from its exit code, never
// from the words it printed.
#pragma once

namespace mneme::lab {

inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;  ///< a file, the machine, a run
inline constexpr int kUsage = 2;   ///< an option, a name, a value
/// Stopped on request, and the same command (or --resume) continues: EX_TEMPFAIL of sysexits.h.
/// The same for Ctrl-C at a terminal and for a signal of a scheduler, so that a script needs one
/// rule. A command that leaves nothing to continue exits with 128 and the signal, as shells expect.
inline constexpr int kStopped = 75;

}  // namespace mneme::lab
