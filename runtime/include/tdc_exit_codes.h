//===- tdc_exit_codes.h - exit codes of tdc and of programs ---------------===//
//
// For the compiler and the runtime; tdc_status of tdc.h has the same numbers
// for programs that embed tdc.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_EXIT_CODES_H
#define TDC_EXIT_CODES_H

namespace tdc {

enum ExitCode : int {
  ExitOk = 0,
  ExitProgramError = 1, ///< the program has mistakes
  ExitUsage = 2,        ///< a mistake in the command line or an option
  ExitRunTime = 3,      ///< an error at run time; a device; a file
  ExitBug = 70,         ///< a bug in tdc, or no memory while compiling
  // As in a shell, 128 and the number of a signal.
  ExitInterrupted = 130, ///< ^C
  ExitReaderGone = 141   ///< nothing reads its output any more: SIGPIPE
};

} // namespace tdc

#endif // TDC_EXIT_CODES_H
