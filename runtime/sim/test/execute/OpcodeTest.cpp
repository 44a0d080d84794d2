//===- OpcodeTest.cpp - every opcode against a reference ------------------===//

#include "OpcodeRows.h"
#include "TestDevice.h"
#include "ptx/Forms.h"
#include <set>

using namespace tdc::sim;

namespace {

constexpr uint64_t kSign16 = 0x8000;

std::vector<uint64_t> edgesOf(ValueKind kind) {
  switch (kind) {
  case ValueKind::Predicate:
    return {0, 1};
  case ValueKind::Int16:
  case ValueKind::Int32:
  case ValueKind::Int64: {
    std::vector<uint64_t> edges;
    for (uint64_t bit :
         {0, 1, 2, 3, 7, 8, 15, 16, 23, 24, 31, 32, 52, 53, 54, 62, 63})
      for (int64_t near : {-1, 0, 1})
        edges.push_back((uint64_t(1) << bit) + uint64_t(near));
    for (uint64_t i = 0; i < 10; ++i) {
      edges.push_back(i);
      edges.push_back(-i);
    }
    return edges;
  }
  case ValueKind::F16:
  case ValueKind::F16x2:
    return {0,      0x0001, 0x03ff, 0x0400, 0x3c00, 0x3c01, 0x3bff,
            0x3800, 0x3555, 0x4000, 0x4900, 0x7bff, 0x7c00, 0x7e00,
            0x7c01, 0x5bff, 0x6400, 0x0002, 0x1400};
  case ValueKind::BF16:
  case ValueKind::BF16x2:
    return {0,      0x0001, 0x007f, 0x0080, 0x3f80, 0x3f81,
            0x3f7f, 0x3f00, 0x3eab, 0x4000, 0x4120, 0x7f7f,
            0x7f80, 0x7fc0, 0x7f81, 0x3fc0, 0x0100, 0x2000};
  case ValueKind::F32:
    return {0,          1,          0x007fffff, 0x00800000, 0x3f800000,
            0x3f800001, 0x3f7fffff, 0x3f000000, 0x3fc00000, 0x40200000,
            0x40000000, 0x41200000, 0x4b000000, 0x4b7fffff, 0x4f000000,
            0x4effffff, 0x5f000000, 0x5effffff, 0x7f7fffff, 0x7f800000,
            0x7fc00000, 0x7f800001, 0x33000000, 0x477fe000, 0x477ff000,
            0x38800000, 0x33800000, 0x437f8000, 0x42fe0000, 0x7e800000};
  case ValueKind::F64:
    return {0,
            1,
            0x000fffffffffffff,
            0x0010000000000000,
            0x3ff0000000000000,
            0x3ff0000000000001,
            0x3fefffffffffffff,
            0x3fe0000000000000,
            0x3ff8000000000000,
            0x4004000000000000,
            0x41dfffffffc00000,
            0x41e0000000000000,
            0x43e0000000000000,
            0x43dfffffffffffff,
            0x47efffffe0000000,
            0x47efffffefffffff,
            0x47f0000000000000,
            0x36a0000000000000,
            0x3690000000000000,
            0x380fffffffffffff,
            0x40effc0000000000,
            0x7fefffffffffffff,
            0x7ff0000000000000,
            0x7ff8000000000000,
            0x3ff0000010000000,
            0x3ff0000030000000,
            0x3ff0040000000000,
            0x3e60000000000000};
  }
  return {};
}

unsigned bitsOf(ValueKind kind) {
  switch (kind) {
  case ValueKind::Predicate:
  case ValueKind::Int16:
  case ValueKind::F16:
  case ValueKind::BF16:
    return 16;
  case ValueKind::Int32:
  case ValueKind::F16x2:
  case ValueKind::BF16x2:
  case ValueKind::F32:
    return 32;
  case ValueKind::Int64:
  case ValueKind::F64:
    return 64;
  }
  return 0;
}
uint64_t maskOf(unsigned bits) {
  return bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
}

/// An edge case with any sign, any bits, or a number of everyday size.
uint64_t sample(ValueKind kind, std::mt19937_64 &random) {
  if (kind == ValueKind::F16x2 || kind == ValueKind::BF16x2) {
    ValueKind half =
        kind == ValueKind::F16x2 ? ValueKind::F16 : ValueKind::BF16;
    return sample(half, random) | sample(half, random) << 16;
  }
  if (kind == ValueKind::Predicate)
    return random() & 1;
  unsigned bits = bitsOf(kind);
  unsigned choice = random() % 8;
  if (choice < 4) {
    std::vector<uint64_t> edges = edgesOf(kind);
    uint64_t edge = edges[random() % edges.size()];
    bool isFloat = kind >= ValueKind::F16;
    if (isFloat && (random() & 1))
      edge ^= uint64_t(1) << (bits - 1);
    return edge & maskOf(bits);
  }
  if (choice < 6)
    return random() & maskOf(bits);
  int64_t number = int64_t(random() % 2001) - 1000;
  switch (kind) {
  case ValueKind::F32:
    return bitsAs<uint32_t>(float(number) / 16);
  case ValueKind::F64:
    return bitsAs<uint64_t>(double(number) / 16);
  case ValueKind::F16:
    return 0x3000 + random() % 0x2000 + (number < 0 ? kSign16 : 0);
  case ValueKind::BF16:
    return bitsAs<uint32_t>(float(number) / 16) >> 16;
  default:
    return uint64_t(number) & maskOf(bits);
  }
}

struct RegisterNames {
  const char *load, *prefix;
};
RegisterNames registersOf(unsigned bits) {
  return bits == 16   ? RegisterNames{"b16", "%h"}
         : bits == 32 ? RegisterNames{"b32", "%r"}
                      : RegisterNames{"b64", "%d"};
}

/// Replaces names that are whole words.
std::string
substitute(const std::string &code,
           const std::vector<std::pair<std::string, std::string>> &names) {
  std::string result;
  for (size_t i = 0; i < code.size();) {
    auto isPart = [&](size_t at) {
      return at < code.size() &&
             (isalnum(static_cast<unsigned char>(code[at])) ||
              strchr("%_.$", code[at]));
    };
    if (!isPart(i)) {
      result += code[i++];
      continue;
    }
    size_t end = i;
    while (isPart(end))
      ++end;
    std::string word = code.substr(i, end - i);
    for (const auto &[name, replacement] : names)
      if (word == name) {
        word = replacement;
        break;
      }
    result += word;
    i = end;
  }
  return result;
}

/// A kernel that computes the elements below n, for threads with numbers for
/// which `condition` holds; the other elements keep their values.
std::string makeKernel(const LaneCheck &check, const std::string &name,
                       const std::string &condition) {
  const char *const letters[] = {"A", "B", "C", "D"};
  unsigned resultBits = bitsOf(check.result);
  RegisterNames result = registersOf(resultBits);
  std::string prefix = result.prefix;
  std::vector<std::pair<std::string, std::string>> names = {
      {"OUT", check.result == ValueKind::Predicate ? "%p1" : prefix + "20"},
      {"T", prefix + "21"},
      {"U", prefix + "22"},
      {"P", "%p8"},
      {"Q", "%p9"}};
  std::string text = ".visible .entry " + name +
                     "(.param .u64 out, .param .u32 n, .param .u64 in0, "
                     ".param .u64 in1, .param .u64 in2, .param .u64 in3)\n{\n"
                     ".reg .pred %p<16>;\n.reg .b16 %h<32>;\n"
                     ".reg .b32 %r<32>;\n.reg .b64 %d<32>;\n"
                     "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\n"
                     "mov.u32 %r3, %tid.x;\nmad.lo.u32 %r1, %r1, %r2, %r3;\n"
                     "ld.param.u32 %r2, [n];\nsetp.ge.u32 %p0, %r1, %r2;\n"
                     "@%p0 bra DONE;\n";
  auto address = [&](const std::string &pointer, unsigned bits) {
    text += "ld.param.u64 %d0, [" + pointer + "];\nmul.wide.u32 %d1, %r1, " +
            std::to_string(bits / 8) + ";\nadd.s64 %d0, %d0, %d1;\n";
  };
  for (size_t i = 0; i < check.sources.size(); ++i) {
    unsigned bits = bitsOf(check.sources[i]);
    RegisterNames registers = registersOf(bits);
    std::string name = registers.prefix + std::to_string(10 + i);
    address("in" + std::to_string(i), bits);
    text +=
        std::string("ld.global.") + registers.load + " " + name + ", [%d0];\n";
    if (check.sources[i] == ValueKind::Predicate) {
      std::string predicate = "%p" + std::to_string(4 + i);
      text += "setp.ne.b16 " + predicate + ", " + name + ", 0;\n";
      name = predicate;
    }
    names.emplace_back(letters[i], name);
  }
  address("out", resultBits);
  text +=
      std::string("ld.global.") + result.load + " " + prefix + "20, [%d0];\n";
  if (check.result == ValueKind::Predicate)
    text += "setp.ne.b16 %p1, " + prefix + "20, 0;\n";
  text += condition;
  text += substitute(check.code, names) + "\nSKIP:\n";
  if (check.result == ValueKind::Predicate)
    text += "selp.b16 " + prefix + "20, 1, 0, %p1;\n";
  return text + "st.global." + result.load + " [%d0], " + prefix +
         "20;\nDONE:\nret;\n}\n";
}

/// The distance in steps between representable values; 0 between NaNs.
uint64_t distance(ValueKind kind, uint64_t a, uint64_t b) {
  if (kind == ValueKind::F16x2 || kind == ValueKind::BF16x2) {
    ValueKind half =
        kind == ValueKind::F16x2 ? ValueKind::F16 : ValueKind::BF16;
    return std::max(distance(half, a & 0xffff, b & 0xffff),
                    distance(half, a >> 16, b >> 16));
  }
  if (kind < ValueKind::F16)
    return a == b ? 0 : ~uint64_t(0);
  unsigned bits = bitsOf(kind);
  uint64_t infinity = kind == ValueKind::F16    ? 0x7c00
                      : kind == ValueKind::BF16 ? 0x7f80
                      : kind == ValueKind::F32  ? 0x7f800000
                                                : 0x7ff0000000000000;
  uint64_t magnitude = maskOf(bits - 1);
  if ((a & magnitude) > infinity || (b & magnitude) > infinity)
    return (a & magnitude) > infinity && (b & magnitude) > infinity
               ? 0
               : ~uint64_t(0);
  if (a >> (bits - 1) != b >> (bits - 1))
    return a == b ? 0 : ~uint64_t(0);
  return a > b ? a - b : b - a;
}

} // namespace

std::string tdc::sim::operandList(size_t numSources) {
  const char *const letters[] = {", A", ", B", ", C", ", D"};
  std::string text = "OUT";
  for (size_t i = 0; i < numSources; ++i)
    text += letters[i];
  return text;
}

void LaneCheck::run() const {
  // Full warps and a partial one.
  constexpr uint32_t kCount = 32 * 24 + 11;
  TestDevice device;
  device.load(".version 8.0\n.target sm_90\n.address_size 64\n" +
              makeKernel(*this, "all", "") +
              makeKernel(*this, "some",
                         "rem.u32 %r4, %r1, 3;\nsetp.eq.u32 %p2, %r4, 1;\n"
                         "@%p2 bra SKIP;\n"));
  std::mt19937_64 random(0x5eed);
  std::vector<uint64_t> values[4];
  uint64_t addresses[4] = {};
  auto upload = [&](const std::vector<uint64_t> &wide, unsigned bits) {
    std::vector<uint8_t> bytes;
    for (uint64_t value : wide)
      for (unsigned i = 0; i < bits; i += 8)
        bytes.push_back(uint8_t(value >> i));
    return device.upload(bytes);
  };
  for (size_t i = 0; i < sources.size(); ++i) {
    for (unsigned k = 0; k < kCount; ++k)
      values[i].push_back(sample(sources[i], random));
    addresses[i] = upload(values[i], bitsOf(sources[i]));
  }
  unsigned bits = bitsOf(result);
  for (bool isSome : {false, true}) {
    std::vector<uint64_t> before(kCount, 0x5a5a5a5a5a5a5a5a & maskOf(bits));
    uint64_t out = upload(before, bits);
    device.launch(isSome ? "some" : "all", {7, 1, 1}, {128, 1, 1}, 0, out,
                  kCount, addresses[0], addresses[1], addresses[2],
                  addresses[3]);
    std::vector<uint8_t> bytes =
        device.download<uint8_t>(out, kCount * bits / 8);
    for (unsigned k = 0; k < kCount; ++k) {
      uint64_t got = 0;
      memcpy(&got, &bytes[k * bits / 8], bits / 8);
      uint64_t operands[4] = {};
      for (size_t i = 0; i < sources.size(); ++i)
        operands[i] = values[i][k];
      uint64_t expected = before[k];
      if (result == ValueKind::Predicate)
        expected = 1;
      if (!isSome || k % 3 != 1)
        expected = reference(operands) & maskOf(bits);
      if (distance(result, got, expected) > tolerance.ulps) {
        ADD_FAILURE() << code << std::hex << " of " << operands[0] << " "
                      << operands[1] << " " << operands[2] << " " << operands[3]
                      << ": got " << got << ", expected " << expected
                      << std::dec << " (element " << k << ")";
        return;
      }
    }
  }
}

namespace {

struct Family {
  const char *name;
  OpcodeRows (*rows)();
};
std::ostream &operator<<(std::ostream &out, const Family &family) {
  return out << family.name;
}

const Family kFamilies[] = {
    {"Integer", integerRows},     {"Float", floatRows},
    {"Half", halfRows},           {"Compare", compareRows},
    {"Convert", convertRows},     {"Move", moveRows},
    {"LoadStore", loadStoreRows}, {"Atomic", atomicRows},
    {"Warp", warpRows},           {"Control", controlRows},
    {"Matrix", matrixRows},       {"AsyncCopy", asyncCopyRows}};

class Opcodes : public testing::TestWithParam<Family> {};

TEST_P(Opcodes, MatchTheirReferences) {
  for (const OpcodeRow &row : GetParam().rows()) {
    SCOPED_TRACE(row.opcode);
    try {
      row.check();
    } catch (const Fault &fault) {
      ADD_FAILURE() << fault.message;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(All, Opcodes, testing::ValuesIn(kFamilies),
                         [](const auto &info) {
                           return std::string(info.param.name);
                         });

TEST(Opcodes, AllHaveRows) {
  std::set<std::string> tested;
  for (const Family &family : kFamilies)
    for (const OpcodeRow &row : family.rows())
      tested.insert(simplifyOpcode(row.opcode));
  std::set<std::string> missing, unknown;
  for (const auto &[opcode, forms] : FormTable::get().all())
    if (!tested.count(opcode))
      missing.insert(opcode);
  for (const std::string &opcode : tested)
    if (!FormTable::get().find(opcode))
      unknown.insert(opcode);
  EXPECT_EQ(missing, std::set<std::string>());
  EXPECT_EQ(unknown, std::set<std::string>());
}

} // namespace
