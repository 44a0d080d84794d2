//===- ChildProgram.h - programs as processes, for the tests --------------===//

#ifndef TDRT_TEST_SUPPORT_CHILDPROGRAM_H
#define TDRT_TEST_SUPPORT_CHILDPROGRAM_H

#include "support/TestProgram.h"
#include <csignal>
#include <cstdio>
#include <functional>
#include <sys/wait.h>

namespace tdrt_test {

struct Result {
  int code;
  std::string out, err;
};

/// Runs tdrt_run_program, or `start`, in a child process.
inline Result run(
    const tdrt_program &program, std::vector<const char *> args,
    const std::function<void()> &prepare = [] {},
    const std::function<void(pid_t)> &disturb = [](pid_t) {},
    decltype(tdrt_run_program) *start = tdrt_run_program) {
  TemporaryFolder folder;
  args.insert(args.begin(), "test");
  fflush(stdout); // the child would inherit unwritten output, too
  pid_t child = fork();
  if (child == 0) {
    for (auto [fd, name] : {std::pair(1, "out"), std::pair(2, "err")})
      dup2(open((folder / name).c_str(), O_WRONLY | O_CREAT, 0600), fd);
    alarm(60); // a child must not outlive a test program that is stopped
    signal(SIGINT, SIG_DFL); // the caller of the tests may ignore it
    prepare();
    _exit(start(&program, static_cast<int>(args.size()), args.data()));
  }
  disturb(child);
  int status = 0;
  waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status),
          readFile(folder / "out"), readFile(folder / "err")};
}

} // namespace tdrt_test

#endif // TDRT_TEST_SUPPORT_CHILDPROGRAM_H
