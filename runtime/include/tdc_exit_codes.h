//===- tdc_exit_codes.h - how a process of tdc, or of a program, ends -----===//
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
  ExitUsage = 2,        ///< the command line, or an option, has
  ExitRunTime = 3,      ///< an error while it ran; a device; a file
  ExitBug = 70,         ///< a bug in tdc, or no memory while compiling
  ExitInterrupted = 130 ///< ^C: 128 and the number of the signal, as in a shell
};

} // namespace tdc

#endif // TDC_EXIT_CODES_H
