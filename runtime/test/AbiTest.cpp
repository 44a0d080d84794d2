//===- AbiTest.cpp - the header against its lists -------------------------===//

#include "support/TestProgram.h"
#include <cstddef>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

extern "C" int tdrtProgramInC(void);

namespace {

std::string headerText() {
  std::stringstream text;
  for (const char *name : {"/tdc_runtime.h", "/tdc_threads.h"})
    text << std::ifstream(std::string(TDRT_HEADERS) + name).rdbuf();
  return text.str();
}

TEST(AbiTest, EverySymbolIsListed) {
  std::set<std::string> declared, listed = {
#define TDRT_SYMBOL(NAME) #NAME,
#define TDRT_HOST_SYMBOL(NAME) #NAME,
#include "tdc_runtime_symbols.def"
                                  };
  std::string text = headerText();
  std::regex declaration("TDRT_API [^;(]*?(tdrt_\\w+)[(;]");
  for (std::sregex_iterator it(text.begin(), text.end(), declaration), end;
       it != end; ++it)
    declared.insert((*it)[1]);
  EXPECT_EQ(declared, listed);
}

TEST(AbiTest, EverySymbolIsThere) {
  const void *addresses[] = {
#define TDRT_SYMBOL(NAME) reinterpret_cast<const void *>(&NAME),
#define TDRT_HOST_SYMBOL(NAME) reinterpret_cast<const void *>(&NAME),
#include "tdc_runtime_symbols.def"
  };
  for (const void *address : addresses)
    EXPECT_NE(address, nullptr);
}

TEST(AbiTest, CodesAreUniqueAndRising) {
  const int codes[] = {
#define TRDIAG(NUMBER, TITLE, EXPLANATION) NUMBER,
#include "tdc_errors.def"
  };
  for (size_t i = 1; i < sizeof codes / sizeof *codes; ++i)
    EXPECT_LT(codes[i - 1], codes[i]);
}

// The sizes and offsets that the code generator uses to lay out constants.
TEST(AbiTest, Layout) {
  EXPECT_EQ(sizeof(tdrt_tensor), 24u);
  EXPECT_EQ(sizeof(tdrt_slot), 64u);
  EXPECT_EQ(sizeof(tdrt_alias), 24u);
  EXPECT_EQ(sizeof(tdrt_arg), 32u);
  EXPECT_EQ(sizeof(tdrt_site), 32u);
  EXPECT_EQ(sizeof(tdrt_port), 24u);
  EXPECT_EQ(sizeof(tdrt_export), 56u);
  EXPECT_EQ(sizeof(tdrt_gpu_image), 24u);
  EXPECT_EQ(sizeof(tdrt_gpu_kernel), 24u);
  EXPECT_EQ(sizeof(tdrt_gpu_record), 40u);
  EXPECT_EQ(sizeof(tdrt_gpu_constant), 32u);
  EXPECT_EQ(sizeof(tdrt_transfer_site), 24u);
  EXPECT_EQ(sizeof(tdrt_sequence), 32u);
  EXPECT_EQ(sizeof(tdrt_gpu_program), 104u);
  EXPECT_EQ(sizeof(tdrt_device_memory), 16u);
  EXPECT_EQ(sizeof(tdrt_program), 128u);
  EXPECT_EQ(sizeof(tdrt_format), 20u);
  EXPECT_EQ(sizeof(tdrt_checkpoint), 64u);
  EXPECT_EQ(offsetof(tdrt_program, arena_bytes), 32u);
  EXPECT_EQ(offsetof(tdrt_program, main), 104u);
  EXPECT_EQ(offsetof(tdrt_context, devices), 72u);
  EXPECT_EQ(offsetof(tdrt_context, state), 80u);
}

TEST(AbiTest, UsableFromC) { EXPECT_EQ(tdrtProgramInC(), 0); }

} // namespace
