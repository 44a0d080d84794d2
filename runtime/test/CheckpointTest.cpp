//===- CheckpointTest.cpp - saving and restoring slots --------------------===//

#include "checkpoint/CheckpointFormat.h"
#include "support/ChildProgram.h"
#include "tdc_files.h"
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

using namespace tdrt_test;

namespace {

const int64_t weightDims[] = {2, 3};
const int32_t transposed[] = {1, 0};
const int64_t biasDims[] = {3};
// A weight that kernels want transposed, its bias, a moment, and a bool.
const tdrt_slot slots[] = {
    {"fc.weight", "fc.weight", TDRT_SLOT_PARAM, TDRT_F32, 2, 0, weightDims,
     transposed, 0, 0},
    {"fc.bias", "fc.bias", TDRT_SLOT_PARAM, TDRT_F32, 1, 0, biasDims, nullptr,
     64, 0},
    {"opt.adam.fc.bias.m", "opt.adam.fc.bias.m", TDRT_SLOT_MOMENT, TDRT_F64, 1,
     0, biasDims, nullptr, 128, 0},
    {"on", "on", TDRT_SLOT_BUFFER, TDRT_BOOL, 0, 0, nullptr, nullptr, 192, 0}};
const int32_t allSlots[] = {0, 1, 2, 3};
const char *const allKeys[] = {"fc.weight", "fc.bias", "opt.adam.fc.bias.m",
                               "on"};
const char *const names[] = {"epoch", "lr", "done"};
const int32_t types[] = {TDRT_INT, TDRT_FLOAT, TDRT_BOOLEAN};

class CheckpointTest : public testing::Test {
protected:
  CheckpointTest() {
    program.num_slots = 4;
    program.slots = slots;
    program.arena_bytes = 256;
  }

  tdrt_program program = emptyProgram();
  TemporaryFolder folder;
  std::string path = folder / "c.safetensors";
  tdrt_checkpoint full = {4, 3, allSlots, allKeys, names,  types,
                          1, 0, 0,        0,       nullptr};
  tdrt_checkpoint weights = {2, 0, allSlots, allKeys, nullptr, nullptr,
                             0, 0, 0,        0,       nullptr};

  /// Fills the slots with numbers from `start`.
  void fill(tdrt_context *ctx, float start) {
    float weight[6], bias[3] = {start + 10, start + 11, start + 12};
    double moment[3] = {start + 0.1, start + 0.2, start + 0.3};
    for (int i = 0; i < 6; ++i)
      weight[i] = start + i;
    uint8_t on = 1;
    tdrt_slot_write(ctx, 0, weight);
    tdrt_slot_write(ctx, 1, bias);
    tdrt_slot_write(ctx, 2, moment);
    tdrt_slot_write(ctx, 3, &on);
  }

  std::string arena(tdrt_context *ctx) { return {ctx->arena, 256}; }

  int32_t save(tdrt_context *ctx, const tdrt_checkpoint &what,
               int64_t epoch = 5) {
    tdrt_value values[3];
    values[0].i = epoch;
    values[1].f = 0.1;
    values[2].i = 1;
    return tdrt_checkpoint_save(ctx, path.c_str(), &what, values, -1);
  }
  int32_t restore(tdrt_context *ctx, const tdrt_checkpoint &what) {
    return tdrt_checkpoint_restore(ctx, path.c_str(), &what, -1);
  }
  /// What a process tells that restores `file`.
  std::string tellRestore(const std::string &file,
                          const tdrt_checkpoint &what) {
    static const char *restored;
    static const tdrt_checkpoint *parts;
    restored = file.c_str();
    parts = &what;
    program.main = [](tdrt_context *ctx) {
      return tdrt_checkpoint_restore(ctx, restored, parts, -1);
    };
    return run(program, {}).err;
  }
};

TEST_F(CheckpointTest, SlotsAreStoredInTheirOrder) {
  Opened ctx(program);
  fill(ctx, 1);
  const float expected[] = {1, 4, 2, 5, 3, 6}, rows[] = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(memcmp(ctx->arena, expected, sizeof expected), 0);
  float back[6];
  tdrt_slot_read(ctx, 0, back);
  EXPECT_EQ(memcmp(back, rows, sizeof rows), 0);
}

// A slot with two names is saved once, under the first; the metadata holds the
// second. A file with either name restores it.
TEST_F(CheckpointTest, Aliases) {
  static const tdrt_alias aliases[] = {{"head.weight", nullptr, 0}};
  tdrt_checkpoint tied = weights;
  tied.num_aliases = 1;
  tied.aliases = aliases;
  Opened ctx(program);
  fill(ctx, 1);
  ASSERT_EQ(save(ctx, tied), 0);
  tdrt::SafetensorsHeader header;
  ASSERT_FALSE(tdrt::inspectSafetensors(path.c_str(), header));
  EXPECT_EQ(header.tensors.size(), 2u);
  ASSERT_NE(header.findMetadata("head.weight"), nullptr);
  EXPECT_EQ(*header.findMetadata("head.weight"), "fc.weight");
  ASSERT_NE(header.find("head.weight"), nullptr);
  EXPECT_EQ(header.find("head.weight"), header.find("fc.weight"));
  fill(ctx, 100);
  ASSERT_EQ(restore(ctx, tied), 0);
  float back[6];
  tdrt_slot_read(ctx, 0, back);
  EXPECT_EQ(back[5], 6);

  // A program that has not tied them restores both from the one tensor.
  static const char *const otherKeys[] = {"head.weight", "fc.bias"};
  tdrt_checkpoint other = weights;
  other.keys = otherKeys;
  fill(ctx, 100);
  ASSERT_EQ(restore(ctx, other), 0);
  tdrt_slot_read(ctx, 0, back);
  EXPECT_EQ(back[5], 6);

  // Without that entry of the metadata the first name is missing, but not for
  // the program with both names.
  ASSERT_EQ(save(ctx, other), 0);
  EXPECT_EQ(restore(ctx, weights), 741);
  EXPECT_EQ(restore(ctx, tied), 0);

  // A file with both names: the values are compared.
  static const int32_t both[] = {0, 4, 1};
  static const char *const bothKeys[] = {"fc.weight", "head.weight", "fc.bias"};
  tdrt_slot five[5];
  std::copy(slots, slots + 4, five);
  five[4] = slots[0];
  five[4].offset = 256;
  tdrt_program untied = program;
  untied.num_slots = 5;
  untied.slots = five;
  untied.arena_bytes = 320;
  tdrt_checkpoint whole = {3, 0, both, bothKeys, nullptr, nullptr,
                           0, 0, 0,    0,        nullptr};
  Opened writer(untied);
  fill(writer, 1);
  float rows[] = {1, 2, 3, 4, 5, 6};
  tdrt_slot_write(writer, 4, rows);
  ASSERT_EQ(save(writer, whole), 0);
  EXPECT_EQ(restore(ctx, tied), 0);
  rows[2] = 7;
  tdrt_slot_write(writer, 4, rows);
  ASSERT_EQ(save(writer, whole), 0);
  fill(ctx, 100);
  std::string before = arena(ctx);
  tdrt_forget_last_call(ctx);
  EXPECT_EQ(restore(ctx, tied), 745);
  EXPECT_EQ(arena(ctx), before);
  tdrt_error error;
  tdrt_get_error(ctx, &error);
  EXPECT_NE(std::string(error.message)
                .find("`fc.weight` and `head.weight` are one parameter of the "
                      "program, and have different values in the file"),
            std::string::npos);
}

// Every width of an element, and a tensor without elements.
TEST_F(CheckpointTest, EveryDtypeInAnotherOrder) {
  const int64_t none[] = {0, 3};
  for (int32_t dtype : {TDRT_F64, TDRT_F16, TDRT_I8, TDRT_I32}) {
    const tdrt_slot turned[] = {
        {"a", "a", TDRT_SLOT_PARAM, dtype, 2, 0, weightDims, transposed, 0, 0},
        {"b", "b", TDRT_SLOT_PARAM, dtype, 2, 0, none, transposed, 128, 0},
        {"c", "c", TDRT_SLOT_PARAM, dtype, 1, 0, biasDims, nullptr, 128, 0}};
    program.num_slots = 3;
    program.slots = turned;
    Opened ctx(program);
    size_t bytes = dtype == TDRT_F64   ? 8
                   : dtype == TDRT_I32 ? 4
                   : dtype == TDRT_F16 ? 2
                                       : 1;
    std::string rows, columns, back(6 * bytes, '\0');
    for (char element : {1, 2, 3, 4, 5, 6})
      rows += std::string(bytes, element);
    for (char element : {1, 4, 2, 5, 3, 6})
      columns += std::string(bytes, element);
    tdrt_slot_write(ctx, 0, rows.data());
    EXPECT_EQ(std::string(ctx->state, 6 * bytes), columns);
    tdrt_slot_read(ctx, 0, &back[0]);
    EXPECT_EQ(back, rows);
    tdrt_slot_write(ctx, 1, nullptr);
    tdrt_slot_read(ctx, 1, nullptr);
    tdrt_slot_write(ctx, 2, rows.data());
    tdrt_slot_read(ctx, 2, &back[0]);
    EXPECT_EQ(back, rows);
  }
}

// Blocks of 2 of the last dim in memory, which is the first or the last one,
// and of 1; with a dim between, and without elements.
TEST_F(CheckpointTest, Blocks) {
  const int64_t matrix[] = {4, 3}, wide[] = {2, 3, 4}, none[] = {4, 0};
  const int32_t rowMajor[] = {0, 1, 2};
  const tdrt_slot blocks[] = {
      {"a", "a", TDRT_SLOT_PARAM, TDRT_I32, 2, 0, matrix, transposed, 0, 2},
      {"b", "b", TDRT_SLOT_PARAM, TDRT_I32, 3, 0, wide, rowMajor, 64, 2},
      {"c", "c", TDRT_SLOT_PARAM, TDRT_I32, 2, 0, matrix, rowMajor, 192, 1},
      {"d", "d", TDRT_SLOT_PARAM, TDRT_I32, 2, 0, none, transposed, 256, 2}};
  const std::vector<int32_t> expected[] = {
      {0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11},
      {0, 1, 4, 5, 8,  9,  12, 13, 16, 17, 20, 21,
       2, 3, 6, 7, 10, 11, 14, 15, 18, 19, 22, 23},
      {0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11},
      {}};
  program.num_slots = 4;
  program.slots = blocks;
  Opened ctx(program);
  for (int32_t i = 0; i < 4; ++i) {
    std::vector<int32_t> rows(expected[i].size()), back(rows.size());
    std::iota(rows.begin(), rows.end(), 0);
    tdrt_slot_write(ctx, i, rows.data());
    const char *state = ctx->state + blocks[i].offset;
    EXPECT_EQ(std::string(state, 4 * rows.size()),
              std::string(reinterpret_cast<const char *>(expected[i].data()),
                          4 * rows.size()));
    tdrt_slot_read(ctx, i, back.data());
    EXPECT_EQ(back, rows);
  }
}

TEST_F(CheckpointTest, EverythingComesBack) {
  Opened ctx(program);
  fill(ctx, 1);
  tdrt_seed(ctx, -7);
  int64_t seed;
  tdrt_next_random(ctx, &seed);
  tdrt_next_random(ctx, &seed);
  ASSERT_EQ(save(ctx, full), 0) << ctx.error();

  Opened other(program);
  ASSERT_EQ(restore(other, full), 0) << other.error();
  EXPECT_EQ(arena(other), arena(ctx));
  EXPECT_EQ(tdrt_next_random(other, &seed), 2);
  EXPECT_EQ(seed, -7);

  tdrt_value value;
  ASSERT_EQ(
      tdrt_restore_value(other, path.c_str(), "epoch", TDRT_INT, &value, -1),
      0);
  EXPECT_EQ(value.i, 5);
  ASSERT_EQ(
      tdrt_restore_value(other, path.c_str(), "lr", TDRT_FLOAT, &value, -1), 0);
  EXPECT_EQ(value.f, 0.1);
  ASSERT_EQ(
      tdrt_restore_value(other, path.c_str(), "done", TDRT_BOOLEAN, &value, -1),
      0);
  EXPECT_EQ(value.i, 1);
}

TEST_F(CheckpointTest, OddValues) {
  Opened ctx(program);
  const double floats[] = {0.0,      -0.0,
                           INFINITY, -INFINITY,
                           5e-324,   std::numeric_limits<double>::max(),
                           -1.0 / 3, 0x1p-1022};
  const char *const name[] = {"x"};
  const int32_t type[] = {TDRT_FLOAT};
  tdrt_checkpoint what = {0, 1, nullptr, nullptr, name,   type,
                          1, 0, 0,       0,       nullptr};
  for (double f : floats) {
    tdrt_value value, back;
    value.f = f;
    ASSERT_EQ(tdrt_checkpoint_save(ctx, path.c_str(), &what, &value, -1), 0);
    ASSERT_EQ(tdrt_restore_value(ctx, path.c_str(), "x", TDRT_FLOAT, &back, -1),
              0)
        << f;
    EXPECT_EQ(memcmp(&back.f, &f, 8), 0) << f;
  }
  const int32_t intType[] = {TDRT_INT};
  what.types = intType;
  for (int64_t i : {INT64_MIN, INT64_MAX, int64_t(0)}) {
    tdrt_value value, back;
    value.i = i;
    ASSERT_EQ(tdrt_checkpoint_save(ctx, path.c_str(), &what, &value, -1), 0);
    ASSERT_EQ(tdrt_restore_value(ctx, path.c_str(), "x", TDRT_INT, &back, -1),
              0);
    EXPECT_EQ(back.i, i);
  }
}

TEST_F(CheckpointTest, PureWeightsHoldNoRandomState) {
  Opened ctx(program);
  fill(ctx, 1);
  ASSERT_EQ(save(ctx, weights), 0);
  tdrt::SafetensorsHeader header;
  ASSERT_FALSE(tdrt::inspectSafetensors(path.c_str(), header));
  EXPECT_EQ(header.tensors.size(), 2u);
  EXPECT_EQ(header.findMetadata("tdc.seed"), nullptr);
  EXPECT_NE(header.findMetadata("tdc.version"), nullptr);
  for (const tdrt::FileTensor &tensor : header.tensors)
    EXPECT_EQ(tensor.offset % 8, 0u);

  Opened other(program);
  tdrt_seed(other, 3);
  ASSERT_EQ(restore(other, weights), 0);
  int64_t seed;
  tdrt_next_random(other, &seed);
  EXPECT_EQ(seed, 3);

  tdrt_checkpoint asCheckpoint = weights;
  asCheckpoint.full = 1;
  EXPECT_EQ(restore(other, asCheckpoint), 744);
  EXPECT_EQ(other.error(), "error[TR744]: `" + path +
                               "`: it holds weights and is not a checkpoint: "
                               "`model.load(path)` reads it\n");
  tdrt_value value;
  Opened third(program);
  EXPECT_EQ(
      tdrt_restore_value(third, path.c_str(), "epoch", TDRT_INT, &value, -1),
      743);
}

TEST_F(CheckpointTest, KeysMustFit) {
  Opened ctx(program);
  ASSERT_EQ(save(ctx, full), 0);
  const char *const other[] = {"fc.weight", "fc.offset", "opt.adam.fc.bias.m",
                               "on"};
  const int32_t swapped[] = {1, 1, 2, 3};
  tdrt_checkpoint what = full;
  what.keys = other;
  what.slots = swapped;
  EXPECT_EQ(restore(ctx, what), 741);
  EXPECT_EQ(ctx.error(),
            "error[TR741]: `" + path +
                "`: the keys of the file do not fit\n"
                "  mismatched: fc.weight (f32[2, 3] in the file, f32[3] in the "
                "program)\n"
                "  missing: fc.offset\n"
                "  unexpected: fc.bias\n");
}

TEST_F(CheckpointTest, ManyKeysThatDoNotFitAreCounted) {
  Opened ctx(program);
  ASSERT_EQ(save(ctx, full), 0);
  std::vector<std::string> names;
  for (int i = 0; i < 10; ++i)
    names.push_back("w" + std::to_string(i));
  std::vector<const char *> keys;
  for (const std::string &name : names)
    keys.push_back(name.c_str());
  const int32_t same[10] = {};
  tdrt_checkpoint what = full;
  what.num_slots = 10;
  what.slots = same;
  what.keys = keys.data();
  EXPECT_EQ(restore(ctx, what), 741);
  EXPECT_EQ(ctx.error(),
            "error[TR741]: `" + path +
                "`: the keys of the file do not fit\n"
                "  missing: w0, w1, w2, w3, w4, w5, w6, w7, and 2 more\n"
                "  unexpected: fc.weight, fc.bias, on\n");
}

TEST_F(CheckpointTest, LenientTakesWhatThereIs) {
  Opened ctx(program);
  fill(ctx, 1);
  ASSERT_EQ(save(ctx, full), 0);
  const char *const other[] = {"fc.weight", "fc.offset"};
  tdrt_checkpoint what = weights;
  what.keys = other;
  what.lenient = 1;
  Opened target(program);
  testing::internal::CaptureStderr();
  ASSERT_EQ(restore(target, what), 0) << target.error();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(tellRestore(path, what),
            "note: `" + path +
                "` was restored where its keys fit; missing: fc.offset; "
                "unexpected: fc.bias, on\n");
  EXPECT_EQ(memcmp(target->arena, ctx->arena, 24), 0);
  EXPECT_EQ(reinterpret_cast<float *>(target->arena + 64)[0], 0);
}

// A file of another library, with the dtypes that it keeps.
void writeWeights(const std::string &path, const char *weightType,
                  const std::string &weight, const char *biasType,
                  const std::string &bias) {
  auto entry = [](const char *type, const char *shape, size_t begin,
                  size_t end) {
    return std::string("{\"dtype\":\"") + type + "\",\"shape\":" + shape +
           ",\"data_offsets\":[" + std::to_string(begin) + "," +
           std::to_string(end) + "]}";
  };
  std::string header =
      "{\"fc.weight\":" + entry(weightType, "[2,3]", 0, weight.size()) +
      ",\"fc.bias\":" +
      entry(biasType, "[3]", weight.size(), weight.size() + bias.size()) + "}";
  header.append((8 - header.size() % 8) % 8, ' ');
  uint64_t size = header.size();
  writeFile(path, std::string(reinterpret_cast<char *>(&size), 8) + header +
                      weight + bias);
}

template <class T> std::string bytesOf(const std::vector<T> &values) {
  return {reinterpret_cast<const char *>(values.data()),
          values.size() * sizeof(T)};
}

TEST_F(CheckpointTest, NarrowerFloatsAndIntsAreWidened) {
  // 1, -2, 65504, 2^-24, inf, 0.333 in f16; 1, -3.390625, 2^-133 in bf16.
  writeWeights(path, "F16",
               bytesOf<uint16_t>({0x3c00, 0xc000, 0x7bff, 0x1, 0x7c00, 0x3555}),
               "BF16", bytesOf<uint16_t>({0x3f80, 0xc059, 0x1}));
  Opened ctx(program);
  ASSERT_EQ(restore(ctx, weights), 0) << ctx.error();
  float weight[6], bias[3];
  tdrt_slot_read(ctx, 0, weight);
  tdrt_slot_read(ctx, 1, bias);
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(std::vector<float>(weight, weight + 6),
            (std::vector<float>{1, -2, 65504, 0x1p-24f, inf, 0.333251953125f}));
  EXPECT_EQ(std::vector<float>(bias, bias + 3),
            (std::vector<float>{1, -3.390625f, 0x1p-133f}));

  writeWeights(path, "BOOL", bytesOf<uint8_t>({0, 1, 1, 0, 0, 1}), "I16",
               bytesOf<int16_t>({-32768, 7, 32767}));
  ASSERT_EQ(restore(ctx, weights), 0) << ctx.error();
  tdrt_slot_read(ctx, 0, weight);
  tdrt_slot_read(ctx, 1, bias);
  EXPECT_EQ(std::vector<float>(weight, weight + 6),
            (std::vector<float>{0, 1, 1, 0, 0, 1}));
  EXPECT_EQ(std::vector<float>(bias, bias + 3),
            (std::vector<float>{-32768, 7, 32767}));
}

TEST_F(CheckpointTest, RoundingIsAskedFor) {
  writeWeights(path, "F64", bytesOf<double>({0.1, 1e39, -1e39, 1e-46, 1, 2}),
               "I32", bytesOf<int32_t>({16777217, 16777219, -1}));
  Opened ctx(program);
  fill(ctx, 5);
  std::string before = arena(ctx);
  EXPECT_EQ(restore(ctx, weights), 741);
  EXPECT_EQ(ctx.error(),
            "error[TR741]: `" + path +
                "`: the keys of the file do not fit\n"
                "  not exact, which `cast=true` allows: "
                "fc.weight (f64[2, 3] in the file, f32[2, 3] in the program), "
                "fc.bias (i32[3] in the file, f32[3] in the program)\n");
  EXPECT_EQ(arena(ctx), before);
  tdrt_checkpoint what = weights;
  what.casts = 1;
  Opened other(program);
  ASSERT_EQ(restore(other, what), 0) << other.error();
  float weight[6], bias[3];
  tdrt_slot_read(other, 0, weight);
  tdrt_slot_read(other, 1, bias);
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(std::vector<float>(weight, weight + 6),
            (std::vector<float>{0.1f, inf, -inf, 0, 1, 2}));
  EXPECT_EQ(std::vector<float>(bias, bias + 3),
            (std::vector<float>{16777216, 16777220, -1}));
}

TEST_F(CheckpointTest, ShapesAreNeverConverted) {
  writeWeights(path, "F64", bytesOf<double>({1, 2, 3, 4, 5, 6}), "F8_E4M3",
               std::string(3, '\0'));
  tdrt_checkpoint what = weights;
  const int32_t swapped[] = {1, 0};
  what.slots = swapped;
  what.casts = 1;
  Opened ctx(program);
  EXPECT_EQ(restore(ctx, what), 741);
  EXPECT_EQ(ctx.error(),
            "error[TR741]: `" + path +
                "`: the keys of the file do not fit\n"
                "  mismatched: "
                "fc.weight (f64[2, 3] in the file, f32[3] in the program), "
                "fc.bias (F8_E4M3 in the file, f32[2, 3] in the program)\n");
}

TEST_F(CheckpointTest, KeysOfOthersAreShownWithoutControlCharacters) {
  const char *const keys[] = {"evil\x1b[31m\a\nfake", "\xe2\x80\xae\xc2\x9b"
                                                      "naïve"};
  tdrt_checkpoint what = weights;
  what.keys = keys;
  Opened ctx(program);
  ASSERT_EQ(save(ctx, what), 0);
  EXPECT_EQ(restore(ctx, weights), 741);
  EXPECT_EQ(ctx.error(), "error[TR741]: `" + path +
                             "`: the keys of the file do not fit\n"
                             "  missing: fc.weight, fc.bias\n"
                             "  unexpected: evil\\x1b[31m\\x07\\nfake, "
                             "\\u202e\\u009bnaïve\n");
  // Names of files are escaped, too, and bytes that are not UTF-8.
  std::string odd = folder / "a\n\xff.safetensors";
  EXPECT_EQ(rename(path.c_str(), odd.c_str()), 0);
  what = weights;
  what.lenient = 1;
  EXPECT_EQ(tellRestore(odd, what),
            "note: `" + folder.path +
                "/a\\n\\xff.safetensors` was restored where its keys fit; "
                "missing: fc.weight, fc.bias; unexpected: "
                "evil\\x1b[31m\\x07\\nfake, \\u202e\\u009bnaïve\n");
}

TEST_F(CheckpointTest, ModelOutOfACheckpoint) {
  Opened ctx(program);
  fill(ctx, 1);
  ASSERT_EQ(save(ctx, full), 0);
  // "on" belongs to the model too; the moments need not be restored.
  const int32_t model[] = {0, 1, 3};
  const char *const keys[] = {"fc.weight", "fc.bias", "on"};
  tdrt_checkpoint what = {3, 0, model, keys, nullptr, nullptr,
                          0, 0, 0,     0,    nullptr};
  Opened target(program);
  EXPECT_EQ(restore(target, what), 0) << target.error();
}

TEST_F(CheckpointTest, EveryDamagedByteIsNoticed) {
  Opened ctx(program);
  fill(ctx, 1);
  ASSERT_EQ(save(ctx, full), 0);
  std::string bytes = readFile(path);
  Opened target(program);
  fill(target, 50);
  std::string before = arena(target);
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] ^= 4;
    writeFile(path, damaged);
    int32_t status = restore(target, full);
    ASSERT_NE(status, 0) << "byte " << i << " " << bytes[i];
    ASSERT_GE(status, 700);
    ASSERT_EQ(arena(target), before) << i;
  }
}

TEST_F(CheckpointTest, EveryTruncationIsNoticed) {
  Opened ctx(program);
  ASSERT_EQ(save(ctx, full), 0);
  std::string bytes = readFile(path);
  for (size_t size = 0; size < bytes.size(); ++size) {
    writeFile(path, bytes.substr(0, size));
    ASSERT_GE(restore(ctx, full), 700) << size;
  }
}

TEST_F(CheckpointTest, DamagedDataNamesItsTensor) {
  Opened ctx(program);
  fill(ctx, 1);
  ASSERT_EQ(save(ctx, full), 0);
  tdrt::SafetensorsHeader header;
  ASSERT_FALSE(tdrt::inspectSafetensors(path.c_str(), header));
  std::string bytes = readFile(path);
  uint64_t offset = header.find("fc.bias")->offset;
  bytes[offset] ^= 1;
  writeFile(path, bytes);
  EXPECT_EQ(restore(ctx, full), 742);
  EXPECT_EQ(ctx.error(), "error[TR742]: `" + path + "`: byte " +
                             std::to_string(offset) +
                             ": the checkpoint is damaged: the checksum of "
                             "`fc.bias` does not fit\n");
}

TEST_F(CheckpointTest, OddKeys) {
  const char *const keys[] = {"quote\" backslash\\ tab\t", "naïve"};
  tdrt_checkpoint what = weights;
  what.keys = keys;
  Opened ctx(program);
  fill(ctx, 1);
  ASSERT_EQ(save(ctx, what), 0);
  Opened target(program);
  EXPECT_EQ(restore(target, what), 0) << target.error();
  EXPECT_EQ(memcmp(target->arena, ctx->arena, 76), 0);
}

TEST_F(CheckpointTest, FalseComesBack) {
  Opened ctx(program);
  const char *const name[] = {"done"};
  const int32_t type[] = {TDRT_BOOLEAN};
  tdrt_checkpoint what = {0, 1, nullptr, nullptr, name,   type,
                          1, 0, 0,       0,       nullptr};
  tdrt_value value;
  value.i = 0;
  ASSERT_EQ(tdrt_checkpoint_save(ctx, path.c_str(), &what, &value, -1), 0);
  value.i = 7;
  ASSERT_EQ(
      tdrt_restore_value(ctx, path.c_str(), "done", TDRT_BOOLEAN, &value, -1),
      0);
  EXPECT_EQ(value.i, 0);
}

TEST_F(CheckpointTest, ValueOfAnotherType) {
  Opened ctx(program);
  ASSERT_EQ(save(ctx, full), 0);
  tdrt_value value;
  value.i = 77;
  EXPECT_EQ(tdrt_restore_value(ctx, path.c_str(), "lr", TDRT_INT, &value, -1),
            743);
  EXPECT_EQ(value.i, 77);
  EXPECT_EQ(ctx.error(), "error[TR743]: `" + path +
                             "`: its value `lr` is `float "
                             "1.999999999999ap-4`, not int\n");
}

// For a file of another program, which has no checksum in its metadata.
TEST_F(CheckpointTest, ValuesFromText) {
  struct Row {
    const char *text;
    int32_t type;
    bool valid;
  };
  const Row rows[] = {{"bool false", TDRT_BOOLEAN, true},
                      {"bool", TDRT_BOOLEAN, false},
                      {"bool maybe", TDRT_BOOLEAN, false},
                      {"int 12", TDRT_INT, true},
                      {"int 12a", TDRT_INT, false},
                      {"int ", TDRT_INT, false},
                      {"int 9223372036854775808", TDRT_INT, false},
                      {"float 1.8p+1", TDRT_FLOAT, true},
                      {"float 1.8p+1 ", TDRT_FLOAT, false},
                      {"float x", TDRT_FLOAT, false}};
  for (const Row &row : rows) {
    tdrt_value value;
    EXPECT_EQ(tdrt::parseValue(row.text, row.type, value), row.valid)
        << row.text;
  }
}

// As many tensors as a header of 100 MB allows, and more, must not take
// quadratic time: that would be minutes here.
TEST_F(CheckpointTest, ManyTensors) {
  const int32_t count = 200000;
  const int64_t none[] = {0};
  std::vector<std::string> texts;
  std::vector<const char *> keys;
  std::vector<int32_t> indexes;
  std::vector<tdrt_slot> many;
  for (int32_t i = 0; i < count; ++i)
    texts.push_back("layer." + std::to_string(count - i));
  for (int32_t i = 0; i < count; ++i) {
    keys.push_back(texts[i].c_str());
    indexes.push_back(i);
    many.push_back({keys[i], keys[i], TDRT_SLOT_PARAM, TDRT_F32, 1, 0, none,
                    nullptr, 0, 0});
  }
  program.num_slots = count;
  program.slots = many.data();
  tdrt_checkpoint what = full;
  what.num_slots = count;
  what.slots = indexes.data();
  what.keys = keys.data();
  Opened ctx(program);
  ASSERT_EQ(save(ctx, what), 0);
  EXPECT_EQ(restore(ctx, what), 0) << ctx.error();
}

TEST_F(CheckpointTest, EmptyPath) {
  Opened ctx(program);
  path = "";
  EXPECT_EQ(save(ctx, full), 751);
  EXPECT_EQ(ctx.error(), "error[TR751]: ``: the path is empty\n");
}

TEST_F(CheckpointTest, EndingsOfOtherFiles) {
  Opened ctx(program);
  path = folder / "c.npy";
  EXPECT_EQ(save(ctx, full), 754);
  EXPECT_EQ(ctx.error(), "error[TR754]: `" + path +
                             "`: state is saved as .safetensors, not .npy\n");
  EXPECT_FALSE(tdrt_exists(path.c_str()));
  Opened other(program);
  path = folder / "c.pt";
  EXPECT_EQ(restore(other, full), 705);
  EXPECT_EQ(other.error(),
            "error[TR705]: `" + path +
                "`: .pt files of PyTorch cannot be read; in Python: "
                "safetensors.torch.save_file(torch.load(…), "
                "\"….safetensors\")\n");
}

TEST_F(CheckpointTest, PendingKernelErrorStopsASave) {
  Opened ctx(program);
  tdrt_kernel_error(ctx, 12, 10, -1);
  EXPECT_EQ(save(ctx, full), 103);
  EXPECT_FALSE(tdrt_exists(path.c_str()));
  float one = 1;
  tdrt_tensor tensor = {&one, TDRT_F32, 0, nullptr};
  tdrt_kernel_error(ctx, 12, 10, -1);
  EXPECT_EQ(tdrt_save_tensor(ctx, path.c_str(), &tensor, -1), 103);
  EXPECT_FALSE(tdrt_exists(path.c_str()));
}

} // namespace
