//===- Terminate.cpp - the end of a program that cannot go on -------------===//
//
// Only in the self-contained archive. No exception leaves an extern "C"
// function of the runtime, so std::terminate is never reached; libstdc++'s own
// handler would bring its demangler, 60 KB, into every program to say what was
// thrown.
//
//===----------------------------------------------------------------------===//

#include <cstdlib>

namespace __gnu_cxx { // NOLINT(bugprone-reserved-identifier)
void __verbose_terminate_handler() { abort(); } // NOLINT
} // namespace __gnu_cxx
