//===- AtomicRows.cpp - references of atom and red ------------------------===//

#include "OpcodeRows.h"
#include "SmallReference.h"
#include "TestDevice.h"
#include <algorithm>

namespace tdc::sim {

namespace {

using Update = std::function<uint64_t(uint64_t old, uint64_t b, uint64_t c)>;

struct Operation {
  std::string name, type;
  unsigned bits;
  Update update;
  bool hasReduction = true;
  unsigned numSources = 1;
};

template <typename T> Update ofType(T (*function)(T, T)) {
  return [function](uint64_t old, uint64_t b, uint64_t) {
    return bitsAs<uint64_t>(function(bitsAs<T>(old), bitsAs<T>(b)));
  };
}

/// Each thread of a warp and a half updates an element of its own.
void check(const Operation &operation, const std::string &space,
           bool returnsOld) {
  constexpr unsigned kThreads = 48;
  const unsigned bytes = operation.bits / 8;
  const std::string b = ".b" + std::to_string(operation.bits);
  const std::string v = operation.bits == 16   ? "%h"
                        : operation.bits == 32 ? "%r"
                                               : "%d";
  bool isShared = space == ".shared";
  const std::string address = isShared ? "%d20" : "%rd0";
  std::string opcode =
      (returnsOld ? "atom" : "red") + space + operation.name + operation.type;
  std::string body = ".reg .b64 %d<32>;\n.shared .align 8 .b8 tile[512];\n"
                     "mov.u32 %r10, %tid.x;\nmul.wide.u32 %d10, %r10, " +
                     std::to_string(bytes) + ";\n";
  for (unsigned i = 0; i < 4; ++i)
    body += "add.u64 %rd" + std::to_string(i) + ", %rd" + std::to_string(i) +
            ", %d10;\n";
  body += "ld.global" + b + " " + v + "1, [%rd1];\nld.global" + b + " " + v +
          "2, [%rd2];\nmov" + b + " " + v + "3, 0;\n" +
          "mov.u64 %d20, tile;\nadd.u64 %d20, %d20, %d10;\n";
  if (isShared)
    body += "ld.global" + b + " " + v + "4, [%rd0];\nst.shared" + b +
            " [%d20], " + v + "4;\n";
  body += opcode + " " + (returnsOld ? v + "3, " : "") + "[" + address + "], " +
          v + "1" + (operation.numSources == 2 ? ", " + v + "2" : "") + ";\n";
  if (isShared)
    body += "ld.shared" + b + " " + v + "4, [%d20];\nst.global" + b +
            " [%rd0], " + v + "4;\n";
  body += "st.global" + b + " [%rd3], " + v + "3;\n";
  TestDevice device;
  device.load(kernelOf(4, body, "", "sm_90"));

  std::mt19937_64 random(7);
  const uint64_t mask =
      operation.bits == 64 ? ~uint64_t(0) : (uint64_t(1) << operation.bits) - 1;
  bool isFloat = operation.type.find('f') != std::string::npos;
  auto draw = [&]() -> uint64_t {
    int number = int(random() % 41) - 20;
    if (!isFloat)
      return (random() & 1 ? uint64_t(number) : random()) & mask;
    if (operation.bits == 64)
      return bitsAs<uint64_t>(double(number) * 1.7);
    if (operation.type == ".f32")
      return bitsAs<uint32_t>(float(number) * 1.7f);
    // One or two halves of moderate size.
    return ((0x3c00 + random() % 0x400) | uint64_t(0xbc00 + random() % 0x400)
                                              << 16) &
           mask;
  };
  std::vector<uint8_t> data[4];
  std::vector<uint64_t> values[4];
  for (unsigned i = 0; i < 4; ++i)
    for (unsigned k = 0; k < kThreads; ++k) {
      // Every third compare-and-swap finds the value that it compares with.
      uint64_t value = i == 1 && k % 3 == 0 ? values[0][k] : draw();
      values[i].push_back(value);
      for (unsigned byte = 0; byte < bytes; ++byte)
        data[i].push_back(uint8_t(value >> (8 * byte)));
    }
  uint64_t addresses[4];
  for (unsigned i = 0; i < 4; ++i)
    addresses[i] = device.upload(data[i]);
  device.launch("k", {1, 1, 1}, {kThreads, 1, 1}, 0, addresses[0], addresses[1],
                addresses[2], addresses[3]);
  auto memory = device.download<uint8_t>(addresses[0], kThreads * bytes);
  auto olds = device.download<uint8_t>(addresses[3], kThreads * bytes);
  for (unsigned k = 0; k < kThreads; ++k) {
    uint64_t now = 0, old = 0;
    memcpy(&now, &memory[k * bytes], bytes);
    memcpy(&old, &olds[k * bytes], bytes);
    ASSERT_EQ(now,
              operation.update(values[0][k], values[1][k], values[2][k]) & mask)
        << opcode << " element " << k;
    ASSERT_EQ(old, returnsOld ? values[0][k] : 0) << opcode;
  }
}

uint64_t addHalves(uint64_t a, uint64_t b, const reference::Format &format,
                   int exponentBits, unsigned bits) {
  uint64_t result = 0;
  for (unsigned shift = 0; shift < bits; shift += 16) {
    long double sum =
        reference::decode(a >> shift & 0xffff, format.digits, exponentBits) +
        reference::decode(b >> shift & 0xffff, format.digits, exponentBits);
    result |= reference::encode(
                  reference::toFormat(sum, format, reference::roundToEven),
                  format.digits, exponentBits)
              << shift;
  }
  return result;
}

template <typename T>
void addOrdered(std::vector<Operation> &operations, const std::string &type) {
  operations.push_back({".min", type, 8 * sizeof(T),
                        ofType<T>([](T a, T b) { return std::min(a, b); })});
  operations.push_back({".max", type, 8 * sizeof(T),
                        ofType<T>([](T a, T b) { return std::max(a, b); })});
}
template <typename T>
void addBits(std::vector<Operation> &operations, const std::string &type) {
  constexpr unsigned kBits = 8 * sizeof(T);
  operations.push_back(
      {".and", type, kBits, ofType<T>([](T a, T b) { return a & b; })});
  operations.push_back(
      {".or", type, kBits, ofType<T>([](T a, T b) { return a | b; })});
  operations.push_back(
      {".xor", type, kBits, ofType<T>([](T a, T b) { return a ^ b; })});
  operations.push_back(
      {".exch", type, kBits, ofType<T>([](T, T b) { return b; }), false});
}

std::vector<Operation> allOperations() {
  std::vector<Operation> operations;
  const Update add = [](uint64_t a, uint64_t b, uint64_t) { return a + b; };
  operations.push_back({".add", ".u32", 32, add});
  operations.push_back({".add", ".s32", 32, add});
  operations.push_back({".add", ".u64", 64, add});
  addOrdered<uint32_t>(operations, ".u32");
  addOrdered<int32_t>(operations, ".s32");
  addOrdered<uint64_t>(operations, ".u64");
  addOrdered<int64_t>(operations, ".s64");
  addBits<uint32_t>(operations, ".b32");
  addBits<uint64_t>(operations, ".b64");
  for (unsigned bits : {16u, 32u, 64u})
    operations.push_back({".cas", ".b" + std::to_string(bits), bits,
                          [](uint64_t old, uint64_t b, uint64_t c) {
                            return old == b ? c : old;
                          },
                          false, 2});
  operations.push_back(
      {".inc", ".u32", 32, ofType<uint32_t>([](uint32_t a, uint32_t b) {
         return a < b ? a + 1 : 0;
       })});
  operations.push_back(
      {".dec", ".u32", 32, ofType<uint32_t>([](uint32_t a, uint32_t b) {
         return a && a <= b ? a - 1 : b;
       })});
  operations.push_back({".add", ".f32", 32,
                        ofType<float>([](float a, float b) { return a + b; })});
  operations.push_back(
      {".add", ".f64", 64,
       ofType<double>([](double a, double b) { return a + b; })});
  for (unsigned bits : {16u, 32u}) {
    const std::string pair = bits == 32 ? "x2" : "";
    operations.push_back({".add.noftz", ".f16" + pair, bits,
                          [bits](uint64_t a, uint64_t b, uint64_t) {
                            return addHalves(a, b, reference::kF16, 5, bits);
                          }});
    operations.push_back({".add.noftz", ".bf16" + pair, bits,
                          [bits](uint64_t a, uint64_t b, uint64_t) {
                            return addHalves(a, b, reference::kBF16, 8, bits);
                          }});
  }
  return operations;
}

} // namespace

OpcodeRows atomicRows() {
  OpcodeRows rows;
  for (const Operation &operation : allOperations())
    for (const std::string space : {"", ".global", ".shared"})
      for (bool returnsOld : {true, false}) {
        if (!returnsOld && !operation.hasReduction)
          continue;
        rows.push_back({(returnsOld ? "atom" : "red") + space + operation.name +
                            operation.type,
                        [=] { check(operation, space, returnsOld); }});
      }
  return rows;
}

} // namespace tdc::sim
