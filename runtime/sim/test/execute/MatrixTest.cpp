//===- MatrixTest.cpp - ldmatrix, movmatrix and mma -----------------------===//
//
// Tests each instruction by its fragments, with numbers so small that every
// order of addition gives the same sum; and products of matrices by kernels
// that LLVM made, including three stages of asynchronous copies. The kernels in
// data/ are the output of LLVM 22's mlir-opt for a product in the nvgpu
// dialect, for sm_80.
//
//===----------------------------------------------------------------------===//

#include "OpcodeRows.h"
#include "SmallReference.h"
#include "TestDevice.h"
#include <cstdlib>

namespace tdc::sim {

namespace {

constexpr unsigned kLanes = 32;

//===----------------------------------------------------------------------===//
// mma
//===----------------------------------------------------------------------===//

/// A type of elements: its size, and conversions from and to its bits.
struct Element {
  std::string name;
  unsigned bits;
  uint64_t (*encode)(int);
  int (*decode)(uint64_t);
};
template <int Digits, int Exponent> uint64_t encodeSmall(int value) {
  return reference::encode(value, Digits, Exponent);
}
template <int Digits, int Exponent> int decodeSmall(uint64_t bits) {
  return int(reference::decode(bits, Digits, Exponent));
}
const Element kHalf{".f16", 16, encodeSmall<11, 5>, decodeSmall<11, 5>};
const Element kBrain{".bf16", 16, encodeSmall<8, 8>, decodeSmall<8, 8>};
const Element kSingle{".f32", 32, encodeSmall<24, 8>, decodeSmall<24, 8>};
const Element kDouble{".f64", 64, encodeSmall<53, 11>, decodeSmall<53, 11>};
// The low bits of tf32 are garbage that must be ignored.
const Element kTensor{
    ".tf32", 32, [](int value) { return encodeSmall<24, 8>(value) | 0x1abc; },
    [](uint64_t bits) { return decodeSmall<24, 8>(bits & ~uint64_t(0x1fff)); }};
const Element kSignedByte{".s8", 8, [](int v) { return uint64_t(uint8_t(v)); },
                          [](uint64_t b) { return int(int8_t(b)); }};
const Element kByte{".u8", 8, [](int v) { return uint64_t(uint8_t(v)); },
                    [](uint64_t b) { return int(uint8_t(b)); }};
const Element kInt{".s32", 32, [](int v) { return uint64_t(uint32_t(v)); },
                   [](uint64_t b) { return int(b); }};

/// The row and column in A of element i of a lane (PTX ISA 9.7.14.5): elements
/// of a register are adjacent in a row, registers advance down, then right.
struct Position {
  unsigned row, column;
};
Position inA(unsigned lane, unsigned i, unsigned perRegister, unsigned m) {
  unsigned group = lane >> 2, thread = lane % 4, r = i / perRegister;
  unsigned down = m == 16 ? r % 2 : 0, right = m == 16 ? r / 2 : r;
  return {group + 8 * down,
          thread * perRegister + i % perRegister + right * 4 * perRegister};
}
/// The same in B, where rows advance with k.
Position inB(unsigned lane, unsigned i, unsigned perRegister) {
  return {lane % 4 * perRegister + i % perRegister +
              i / perRegister * 4 * perRegister,
          lane >> 2};
}
Position inC(unsigned lane, unsigned i) {
  return {(lane >> 2) + 8 * (i / 2), lane % 4 * 2 + i % 2};
}

struct Shape {
  unsigned m, k;
};

/// Elements of all lanes, packed as registers, and the registers' names.
struct Fragment {
  unsigned perLane;
  const Element &element;
  std::vector<uint8_t> bytes;

  Fragment(unsigned perLane, const Element &element)
      : perLane(perLane), element(element),
        bytes(size_t(perLane) * element.bits / 8 * kLanes) {}
  unsigned bytesPerLane() const { return perLane * element.bits / 8; }
  unsigned registerBytes() const { return std::max(element.bits / 8, 4u); }
  unsigned numRegisters() const { return bytesPerLane() / registerBytes(); }

  void set(unsigned lane, unsigned i, int value) {
    uint64_t bits = element.encode(value);
    memcpy(&bytes[lane * bytesPerLane() + i * element.bits / 8], &bits,
           element.bits / 8);
  }
  int get(unsigned lane, unsigned i) const {
    uint64_t bits = 0;
    memcpy(&bits, &bytes[lane * bytesPerLane() + i * element.bits / 8],
           element.bits / 8);
    return element.decode(bits);
  }
  std::string registers(unsigned first) const {
    std::string text = "{";
    for (unsigned i = 0; i < numRegisters(); ++i)
      text += (i ? ", " : "") + name(first + i);
    return text + "}";
  }
  std::string name(unsigned i) const {
    return (registerBytes() == 8 ? "%rd" : "%r") + std::to_string(i);
  }
  std::string moveAll(const std::string &pointer, unsigned first,
                      bool isStore) const {
    std::string text;
    const std::string type = registerBytes() == 8 ? ".b64 " : ".b32 ";
    for (unsigned i = 0; i < numRegisters(); ++i) {
      const std::string address =
          "[" + pointer + "+" + std::to_string(i * registerBytes()) + "]";
      text += isStore ? "st.global" + type + address + ", " + name(first + i)
                      : "ld.global" + type + name(first + i) + ", " + address;
      text += ";\n";
    }
    return text;
  }
};

std::string opcodeOf(const Shape &shape, const Element &d, const Element &a,
                     const Element &b, const std::string &saturate) {
  return "mma.sync.aligned.m" + std::to_string(shape.m) + "n8k" +
         std::to_string(shape.k) + ".row.col" + saturate + d.name + a.name +
         b.name + d.name;
}

void checkMultiply(const Shape &shape, const Element &d, const Element &a,
                   const Element &b, const std::string &saturate) {
  std::mt19937_64 random(11);
  auto draw = [&](const Element &element) {
    int number = int(random() % 9);
    return &element == &kByte ? number : number - 4;
  };
  Fragment fragmentA(shape.m * shape.k / kLanes, a);
  Fragment fragmentB(8 * shape.k / kLanes, b),
      fragmentC(shape.m * 8 / kLanes, d);
  const unsigned per = std::max(32 / a.bits, 1u);
  std::vector<std::vector<int>> left(shape.m, std::vector<int>(shape.k)),
      right(shape.k, std::vector<int>(8)), sum(shape.m, std::vector<int>(8));
  // Sums that do not fit: they wrap around or saturate.
  const int start = d.name == ".s32" ? INT32_MAX - 20 : 5;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    for (unsigned i = 0; i < fragmentA.perLane; ++i) {
      Position at = inA(lane, i, per, shape.m);
      fragmentA.set(lane, i, left[at.row][at.column] = draw(a));
    }
    for (unsigned i = 0; i < fragmentB.perLane; ++i) {
      Position at = inB(lane, i, per);
      fragmentB.set(lane, i, right[at.row][at.column] = draw(b));
    }
    for (unsigned i = 0; i < fragmentC.perLane; ++i) {
      Position at = inC(lane, i);
      fragmentC.set(lane, i, sum[at.row][at.column] = start - int(i));
    }
  }
  const std::string opcode = opcodeOf(shape, d, a, b, saturate);
  std::string body = "mov.u32 %r0, %tid.x;\n";
  auto place = [&](const std::string &pointer, const Fragment &fragment) {
    body += "mul.wide.u32 %rd4, %r0, " +
            std::to_string(fragment.bytesPerLane()) + ";\nadd.u64 " + pointer +
            ", " + pointer + ", %rd4;\n";
  };
  place("%rd0", fragmentC);
  place("%rd1", fragmentA);
  place("%rd2", fragmentB);
  place("%rd3", fragmentC);
  body += fragmentA.moveAll("%rd1", 10, false) +
          fragmentB.moveAll("%rd2", 20, false) +
          fragmentC.moveAll("%rd3", 30, false) + opcode + " " +
          fragmentC.registers(40) + ", " + fragmentA.registers(10) + ", " +
          fragmentB.registers(20) + ", " + fragmentC.registers(30) + ";\n" +
          fragmentC.moveAll("%rd0", 40, true);
  TestDevice device;
  device.load(kernelOf(4, body, "", "sm_90"));
  uint64_t out = device.allocate(fragmentC.bytes.size());
  Work work = device.launch(
      "k", {1, 1, 1}, {kLanes, 1, 1}, 0, out, device.upload(fragmentA.bytes),
      device.upload(fragmentB.bytes), device.upload(fragmentC.bytes));
  EXPECT_EQ(work.operations,
            d.name == ".s32" ? 0u : 2u * shape.m * 8 * shape.k);
  Fragment got(fragmentC.perLane, d);
  got.bytes = device.download<uint8_t>(out, got.bytes.size());
  for (unsigned lane = 0; lane < kLanes; ++lane)
    for (unsigned i = 0; i < got.perLane; ++i) {
      Position at = inC(lane, i);
      int64_t expected = sum[at.row][at.column];
      for (unsigned k = 0; k < shape.k; ++k)
        expected += left[at.row][k] * right[k][at.column];
      if (!saturate.empty())
        expected = std::min<int64_t>(expected, INT32_MAX);
      ASSERT_EQ(got.get(lane, i), int(expected))
          << opcode << " lane " << lane << " element " << i;
    }
}

void addMultiply(OpcodeRows &rows, std::initializer_list<Shape> shapes,
                 const Element &d, const Element &a, const Element &b,
                 const std::string &saturate = "") {
  for (const Shape &shape : shapes)
    rows.push_back(
        {opcodeOf(shape, d, a, b, saturate), [&d, &a, &b, shape, saturate] {
           checkMultiply(shape, d, a, b, saturate);
         }});
}

//===----------------------------------------------------------------------===//
// ldmatrix and movmatrix
//===----------------------------------------------------------------------===//

/// Element (row, column) of matrix m is 1000 * m + 10 * row + column.
void checkLoad(unsigned count, bool isTransposed, bool isShared) {
  const std::string opcode =
      "ldmatrix.sync.aligned.m8n8.x" + std::to_string(count) +
      (isTransposed ? ".trans" : "") + (isShared ? ".shared" : "") + ".b16";
  std::string registers;
  for (unsigned i = 0; i < count; ++i)
    registers += (i ? ", %r" : "%r") + std::to_string(10 + i);
  // Rows are 24 halves apart, and lane i has the address of row i.
  std::string body = ".shared .align 16 .b8 tile[1536];\nmov.u32 %r0, %tid.x;\n"
                     "mul.wide.u32 %rd2, %r0, 48;\nmov.u64 %rd3, tile;\n"
                     "add.u64 %rd3, %rd3, %rd2;\nmul.wide.u32 %rd4, %r0, 16;\n"
                     "add.u64 %rd4, %rd1, %rd4;\n"
                     "ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%rd4];\n"
                     "st.shared.v4.b32 [%rd3+16], {%r1, %r2, %r3, %r4};\n"
                     "bar.warp.sync 0xffffffff;\n";
  if (!isShared)
    body += "cvta.shared.u64 %rd3, %rd3;\n";
  body += opcode + " {" + registers +
          "}, [%rd3+16];\nmul.wide.u32 %rd5, %r0, " +
          std::to_string(4 * count) + ";\nadd.u64 %rd5, %rd0, %rd5;\n";
  for (unsigned i = 0; i < count; ++i)
    body += "st.global.b32 [%rd5+" + std::to_string(4 * i) + "], %r" +
            std::to_string(10 + i) + ";\n";
  TestDevice device;
  device.load(kernelOf(2, body));
  std::vector<uint16_t> in;
  for (unsigned i = 0; i < 32 * 8; ++i)
    in.push_back(uint16_t(1000 * (i / 64) + 10 * (i / 8 % 8) + i % 8));
  uint64_t out = device.allocate(128 * count);
  device.launch("k", {1, 1, 1}, {32, 1, 1}, 0, out, device.upload(in));
  auto got = device.download<uint16_t>(out, 64 * count);
  for (unsigned lane = 0; lane < kLanes; ++lane)
    for (unsigned m = 0; m < count; ++m)
      for (unsigned i = 0; i < 2; ++i) {
        unsigned row = lane / 4, column = lane % 4 * 2 + i;
        if (isTransposed)
          std::swap(row, column);
        ASSERT_EQ(got[(lane * count + m) * 2 + i], 1000 * m + 10 * row + column)
            << opcode << " lane " << lane;
      }
}

void checkTranspose() {
  TestDevice device;
  device.load(kernelOf(2, "mov.u32 %r0, %tid.x;\nmul.wide.u32 %rd2, %r0, 4;\n"
                          "add.u64 %rd0, %rd0, %rd2;\n"
                          "add.u64 %rd1, %rd1, %rd2;\n"
                          "ld.global.b32 %r1, [%rd1];\n"
                          "movmatrix.sync.aligned.m8n8.trans.b16 %r2, %r1;\n"
                          "st.global.b32 [%rd0], %r2;"));
  std::vector<uint16_t> in;
  for (unsigned i = 0; i < 64; ++i)
    in.push_back(uint16_t(i));
  uint64_t out = device.allocate(128);
  device.launch("k", {1, 1, 1}, {32, 1, 1}, 0, out, device.upload(in));
  auto got = device.download<uint16_t>(out, 64);
  for (unsigned i = 0; i < 64; ++i)
    EXPECT_EQ(got[i], i % 8 * 8 + i / 8);
}

} // namespace

OpcodeRows matrixRows() {
  OpcodeRows rows;
  addMultiply(rows, {{16, 8}, {16, 16}}, kSingle, kHalf, kHalf);
  addMultiply(rows, {{16, 8}, {16, 16}}, kHalf, kHalf, kHalf);
  addMultiply(rows, {{16, 8}, {16, 16}}, kSingle, kBrain, kBrain);
  addMultiply(rows, {{16, 4}, {16, 8}}, kSingle, kTensor, kTensor);
  addMultiply(rows, {{8, 4}, {16, 4}, {16, 8}, {16, 16}}, kDouble, kDouble,
              kDouble);
  for (const std::string saturate : {"", ".satfinite"})
    for (const Element *a : {&kSignedByte, &kByte})
      for (const Element *b : {&kSignedByte, &kByte})
        addMultiply(rows, {{16, 16}, {16, 32}}, kInt, *a, *b, saturate);
  for (unsigned count : {1u, 2u, 4u})
    for (bool isTransposed : {false, true})
      for (bool isShared : {false, true})
        rows.push_back({"ldmatrix.sync.aligned.m8n8.x" + std::to_string(count) +
                            (isTransposed ? ".trans" : "") +
                            (isShared ? ".shared" : "") + ".b16",
                        [=] { checkLoad(count, isTransposed, isShared); }});
  rows.push_back({"movmatrix.sync.aligned.m8n8.trans.b16", checkTranspose});
  return rows;
}

//===----------------------------------------------------------------------===//
// Products by kernels
//===----------------------------------------------------------------------===//

namespace {

/// A product with sizes that are no multiples of the 64 x 64 tiles.
class Product {
public:
  Product(const Element &element, const std::string &file, unsigned tileK)
      : element(element), file(file), tileK(tileK) {}

  void load() { device.load(readTestData(file)); }

  /// The fault of a run; "wrong" for wrong results, empty if all is right.
  std::string run(uint64_t seed) {
    device.random.seed(seed);
    std::mt19937_64 numbers(5);
    auto fill = [&](std::vector<int> &values, size_t count) {
      std::vector<uint8_t> bytes;
      for (size_t i = 0; i < count; ++i) {
        values.push_back(int(numbers() % 9) - 4);
        uint64_t bits = element.encode(values.back());
        for (unsigned byte = 0; byte < element.bits / 8; ++byte)
          bytes.push_back(uint8_t(bits >> (8 * byte)));
      }
      return device.upload(bytes);
    };
    std::vector<int> a, b;
    uint64_t left = fill(a, kM * kK), right = fill(b, kK * kN);
    uint64_t out = device.allocate(kM * kN * sizeof(float));
    uint32_t shared = 3 * 2 * 64 * tileK * element.bits / 8;
    std::string fault = device.faultOf("gemm", Dim3{2, 2, 1}, Dim3{128, 1, 1},
                                       shared, left, right, out, kM, kN, kK);
    if (!fault.empty())
      return fault;
    std::vector<float> c = device.download<float>(out, kM * kN);
    for (uint32_t i = 0; i < kM; ++i)
      for (uint32_t j = 0; j < kN; ++j) {
        int expected = 0;
        for (uint32_t k = 0; k < kK; ++k)
          expected += a[i * kK + k] * b[k * kN + j];
        if (c[i * kN + j] != float(expected))
          return "wrong results";
      }
    return "";
  }

  TestDevice device;

private:
  static constexpr uint32_t kM = 72, kN = 88, kK = 120;
  const Element &element;
  std::string file;
  unsigned tileK;
};

TEST(Matrix, ProductsAreRight) {
  Product half(kHalf, "gemm-f16.ptx", 32), brain(kBrain, "gemm-bf16.ptx", 32),
      tensor(kTensor, "gemm-tf32.ptx", 16);
  for (Product *product : {&half, &brain, &tensor}) {
    product->load();
    for (uint64_t seed = 1; seed <= 3; ++seed)
      EXPECT_EQ(product->run(seed), "");
  }
}

/// Without any one of its barriers and waits, the kernel is found to be wrong,
/// in whatever order its warps run.
TEST(Matrix, MissingSynchronisationIsFound) {
  for (const std::string opcode : {"bar.sync", "cp.async.wait_group"}) {
    Product complete(kHalf, "gemm-f16.ptx", 32);
    complete.load();
    EXPECT_EQ(complete.run(1), "");
    uint64_t count = complete.device.module->countOpcodes(opcode);
    ASSERT_GT(count, 0u);
    for (uint64_t skipped = 1; skipped <= count; ++skipped) {
      Product product(kHalf, "gemm-f16.ptx", 32);
      product.device.skips = {{opcode, skipped}};
      product.load();
      for (uint64_t seed = 1; seed <= 6; ++seed)
        EXPECT_NE(product.run(seed), "")
            << opcode << " " << skipped << " seed " << seed;
    }
  }
}

} // namespace
} // namespace tdc::sim
