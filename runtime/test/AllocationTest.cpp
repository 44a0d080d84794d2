//===- AllocationTest.cpp - every allocation fails once -------------------===//
//
// Each scenario is run with its first, second, ... allocation failing, until it
// runs through. A failure must come back as TR201, leave files as they were,
// and leak nothing (AddressSanitizer sees that). Blocks of Memory come from the
// C library and are not counted here; MemoryTest has those.
//
//===----------------------------------------------------------------------===//

#include "FailingAllocation.h"
#include "TestProgram.h"
#include "tdc_files.h"
#include <cstring>
#include <functional>

using namespace tdrt_test;

namespace {

const int64_t dims[] = {2, 3};
const int32_t order[] = {1, 0};
const tdrt_slot slots[] = {{"a long name of a weight",
                            "a long name of a weight", TDRT_SLOT_PARAM,
                            TDRT_F32, 2, 0, dims, order, 0}};
const int32_t indexes[] = {0};
const char *const keys[] = {"a long name of a weight"};
const char *const names[] = {"a long name of a number"};
const int32_t types[] = {TDRT_FLOAT};
const tdrt_checkpoint what = {1, 1, indexes, keys, names, types, 1, 0};
const tdrt_arg args[] = {{"epochs", "5", "training epochs", TDRT_INT, 0}};

class AllocationTest : public testing::Test {
protected:
  AllocationTest() {
    program.num_slots = 1;
    program.slots = slots;
    program.arena_bytes = 64;
    program.num_args = 1;
    program.args = args;
  }

  /// Runs `scenario` with every allocation failing in turn; it returns a
  /// status.
  void failEach(const std::function<int32_t()> &scenario) {
    for (int64_t k = 0;; ++k) {
      armed = k;
      int32_t status = scenario();
      if (ranThrough) {
        EXPECT_EQ(status, 0);
        EXPECT_GT(k, 0);
        return;
      }
      ASSERT_TRUE(status == 201 || status == 0) << status << " at " << k;
    }
  }

  void arm() { allocationsLeft = armed; }
  void disarm() {
    ranThrough = allocationsLeft >= 0;
    allocationsLeft = -1;
  }

  bool ranThrough = false;
  int64_t armed = 0;
  tdrt_program program = emptyProgram();
  TemporaryFolder folder;
};

TEST_F(AllocationTest, Open) {
  const char *argv[] = {"a program", "--epochs", "7"};
  failEach([&] {
    tdrt_context *ctx = nullptr;
    arm();
    int32_t status = tdrt_open(&program, 3, argv, &ctx);
    const char *text = tdrt_error_text(ctx);
    disarm();
    if (status)
      EXPECT_STREQ(text, "error[TR201]: out of memory\n");
    tdrt_close(ctx);
    return status;
  });
}

TEST_F(AllocationTest, Print) {
  float values[] = {1, 2.5, 3, 4, 5, 6};
  tdrt_tensor tensor = {values, TDRT_F32, 2, dims};
  tdrt_format format;
  ASSERT_EQ(tdrt_parse_format("*^40,.3f", 8, TDRT_FLOAT, &format), nullptr);
  failEach([&] {
    Opened ctx(program);
    arm();
    tdrt_str_begin(ctx);
    tdrt_out_f64(ctx, 12345.678, &format);
    tdrt_out_tensor(ctx, &tensor);
    const char *text;
    int32_t status = tdrt_str_end(ctx, &text);
    disarm();
    if (status == 0)
      EXPECT_EQ(strlen(text), 108u) << text;
    return status;
  });
}

TEST_F(AllocationTest, SaveAndRestore) {
  std::string path = folder / "a long name of a file.safetensors";
  tdrt_value value;
  value.f = 0.1;
  Opened setup(program);
  ASSERT_EQ(tdrt_checkpoint_save(setup, path.c_str(), &what, &value, -1), 0);
  std::string before = readFile(path);
  failEach([&] {
    Opened ctx(program);
    arm();
    int32_t status = tdrt_checkpoint_save(ctx, path.c_str(), &what, &value, -1);
    if (status == 0)
      status = tdrt_checkpoint_restore(ctx, path.c_str(), &what, -1);
    if (status == 0)
      status = tdrt_restore_value(ctx, path.c_str(), names[0], TDRT_FLOAT,
                                  &value, -1);
    disarm();
    EXPECT_EQ(readFile(path), before);
    EXPECT_FALSE(tdrt_exists((folder / ".a long name of a file.safetensors."
                                       "tdc-tmp")
                                 .c_str()));
    return status;
  });
}

TEST_F(AllocationTest, Load) {
  std::string path = std::string(TDRT_TEST_DATA) + "/columns.npy";
  failEach([&] {
    Opened ctx(program);
    arm();
    int64_t sizes[] = {-1, 3, 4};
    void *data = nullptr;
    int32_t status =
        tdrt_load(ctx, path.c_str(), nullptr, TDRT_I32, 3, sizes, &data, -1);
    disarm();
    EXPECT_EQ(data != nullptr, status == 0);
    return status;
  });
}

TEST_F(AllocationTest, Refusals) {
  // What is wrong may be lost for lack of memory, that it is wrong is not.
  std::string path = folder / "a long name of a broken file.npy";
  writeFile(path, "\x93NUMPY and nothing of use");
  for (int64_t k = 0; k < 40; ++k) {
    Opened ctx(program);
    int64_t size = -1;
    void *data = nullptr;
    allocationsLeft = k;
    int32_t status =
        tdrt_load(ctx, path.c_str(), nullptr, TDRT_F32, 1, &size, &data, -1);
    const char *text = tdrt_error_text(ctx);
    allocationsLeft = -1;
    EXPECT_TRUE(status == 201 || status == 712) << status;
    EXPECT_NE(strstr(text, "error[TR"), nullptr);
  }
}

} // namespace
