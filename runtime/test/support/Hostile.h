//===- Hostile.h - files and the code that each must give -----------------===//

#ifndef TDRT_TEST_SUPPORT_HOSTILE_H
#define TDRT_TEST_SUPPORT_HOSTILE_H

#include "support/Failpoints.h"
#include "support/TestProgram.h"
#include "tdc_files.h"

namespace tdrt_test {

struct Hostile {
  const char *name;
  std::string bytes;
  int32_t code;
};

class HostileFilesTest : public testing::Test {
protected:
  tdrt_program program = emptyProgram();
  TemporaryFolder folder;

  /// Loads with the type that the file claims, or any if it has none.
  int32_t codeOf(const std::string &path, const char *key) {
    Opened ctx(program);
    tdrt::FileTensor tensor;
    tdrt::inspectTensorFile(path.c_str(), key, tensor);
    std::vector<int64_t> dims(tensor.dims.size(), -1);
    void *data = nullptr;
    watchMemory();
    int32_t status = tdrt_load(
        ctx, path.c_str(), key, tensor.dtype < 0 ? TDRT_F32 : tensor.dtype,
        static_cast<int32_t>(dims.size()), dims.data(), &data, -1);
    struct stat info = {};
    stat(path.c_str(), &info);
    EXPECT_LE(peakOfMemory(), info.st_size + (64 << 20));
    EXPECT_EQ(data, nullptr);
    EXPECT_EQ(tdrt_bytes_in_use(ctx), 0);
    // The message has the path, then the problem.
    EXPECT_NE(ctx.error().find(path), std::string::npos) << ctx.error();
    return status;
  }
};

} // namespace tdrt_test

#endif // TDRT_TEST_SUPPORT_HOSTILE_H
