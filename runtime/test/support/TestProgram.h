//===- TestProgram.h - programs written by hand, for the tests ------------===//

#ifndef TDRT_TEST_SUPPORT_TESTPROGRAM_H
#define TDRT_TEST_SUPPORT_TESTPROGRAM_H

#include "tdc_runtime.h"
#include <cstdlib>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

// Under AddressSanitizer allocations cannot be made to fail.
#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define TDRT_ASAN
#endif
#endif

namespace tdrt_test {

/// A program without statements, to be filled in.
inline tdrt_program emptyProgram() {
  tdrt_program program = {};
  program.abi_version = TDRT_ABI_VERSION;
  program.name = "test";
  program.main = [](tdrt_context *) -> int32_t { return 0; };
  return program;
}

/// A context of a program; closes it.
class Opened {
public:
  explicit Opened(const tdrt_program &program,
                  std::vector<const char *> args = {}) {
    args.insert(args.begin(), "test");
    status =
        tdrt_open(&program, static_cast<int>(args.size()), args.data(), &ctx);
  }
  ~Opened() { tdrt_close(ctx); }
  Opened(const Opened &) = delete;

  operator tdrt_context *() { return ctx; }
  tdrt_context *operator->() { return ctx; }
  std::string error() { return tdrt_error_text(ctx); }

  tdrt_context *ctx = nullptr;
  int32_t status = -1;
};

/// The output of the tdrt_out_* calls of `body`.
template <class Body> std::string textOf(tdrt_context *ctx, Body body) {
  int64_t mark = tdrt_str_mark(ctx);
  tdrt_str_begin(ctx);
  body();
  const char *text = nullptr;
  EXPECT_EQ(tdrt_str_end(ctx, &text), 0);
  std::string copy = text;
  tdrt_str_release(ctx, mark);
  return copy;
}

/// A new folder, removed with all its contents.
class TemporaryFolder {
public:
  TemporaryFolder() {
    path = testing::TempDir() + "tdrt-test-XXXXXX";
    if (!mkdtemp(&path[0]))
      ADD_FAILURE() << "cannot make " << path;
  }
  ~TemporaryFolder() {
    if (system(("rm -rf '" + path + "'").c_str()) != 0)
      ADD_FAILURE() << "cannot remove " << path;
  }
  std::string operator/(const std::string &name) const {
    return path + "/" + name;
  }
  std::string path;
};

inline void writeFile(const std::string &path, const std::string &bytes) {
  int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  ASSERT_GE(fd, 0) << path;
  ASSERT_EQ(write(fd, bytes.data(), bytes.size()),
            static_cast<ssize_t>(bytes.size()));
  close(fd);
}

inline std::string readFile(const std::string &path) {
  std::string bytes;
  int fd = open(path.c_str(), O_RDONLY);
  char buffer[65536];
  for (ssize_t n; fd >= 0 && (n = read(fd, buffer, sizeof buffer)) > 0;)
    bytes.append(buffer, n);
  if (fd >= 0)
    close(fd);
  return bytes;
}

} // namespace tdrt_test

#endif // TDRT_TEST_SUPPORT_TESTPROGRAM_H
