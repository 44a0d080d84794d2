//===- LoadStoreRows.cpp - references of ld and st ------------------------===//

#include "OpcodeRows.h"
#include "TestDevice.h"

namespace tdc::sim {

namespace {

struct Type {
  const char *name;
  unsigned bytes;
  bool isSigned;
};
constexpr Type kTypes[] = {
    {".b8", 1, false},  {".u8", 1, false},  {".s8", 1, true},
    {".b16", 2, false}, {".u16", 2, false}, {".s16", 2, true},
    {".b32", 4, false}, {".u32", 4, false}, {".s32", 4, true},
    {".f32", 4, false}, {".b64", 8, false}, {".u64", 8, false},
    {".s64", 8, false}, {".f64", 8, false}};

/// A kernel in which each of 40 threads moves its elements from `in` to `out`
/// through the tested instruction, in the registers `values`.
std::string makeKernel(const std::string &load, const std::string &store,
                       unsigned bytes, const std::string &before,
                       const std::string &after, const std::string &values,
                       unsigned resultBytes) {
  return ".version 8.0\n.target sm_80\n.address_size 64\n"
         ".visible .entry k(.param .u64 in, .param .u64 out, "
         ".param .align 16 .b8 block[16])\n{\n"
         ".reg .b16 %h<8>;\n.reg .b32 %r<8>;\n.reg .b64 %d<16>;\n"
         ".shared .align 16 .b8 tile[1024];\n.local .align 16 .b8 own[16];\n"
         "mov.u32 %r0, %tid.x;\n"
         "ld.param.u64 %d0, [in];\nmul.wide.u32 %d1, %r0, " +
         std::to_string(bytes) +
         ";\nadd.u64 %d0, %d0, %d1;\n"
         "ld.param.u64 %d2, [out];\nmul.wide.u32 %d3, %r0, " +
         std::to_string(resultBytes) + ";\nadd.u64 %d2, %d2, %d3;\n" +
         "mov.u64 %d4, tile;\nadd.u64 %d4, %d4, %d1;\nmov.u64 %d5, own;\n" +
         before + load + " " + values + ", [SOURCE];\n" + store +
         " [DESTINATION], " + values + ";\n" + after + "ret;\n}\n";
}

void replaceAll(std::string &text, const std::string &from,
                const std::string &to) {
  for (size_t at; (at = text.find(from)) != std::string::npos;)
    text.replace(at, from.size(), to);
}

/// Byte by byte from one space to another.
std::string copyBytes(const std::string &from, const std::string &source,
                      const std::string &to, const std::string &target,
                      unsigned bytes) {
  std::string text;
  for (unsigned i = 0; i < bytes; ++i) {
    const std::string offset = "+" + std::to_string(i) + "]";
    text += "ld" + from + ".b8 %h7, [" + source + offset + ";\nst" + to +
            ".b8 [" + target + offset + ", %h7;\n";
  }
  return text;
}

struct Place {
  const char *space, *address;
};
constexpr Place kPlaces[] = {{"", "%d0"},         {".global", "%d0"},
                             {".shared", "%d4"},  {".local", "%d5"},
                             {".param", "block"}, {".const", "%d0"}};

std::string nameOf(const char *base, const Place &place, unsigned count,
                   const Type &type) {
  return base +
         (place.space + (count == 1 ? "" : ".v" + std::to_string(count))) +
         type.name;
}

/// Loads into registers of `width` bytes, which are then stored whole.
void checkLoad(const Place &place, unsigned count, const Type &type,
               unsigned width) {
  constexpr unsigned kThreads = 40;
  const unsigned bytes = count * type.bytes;
  const char *prefix = width == 2 ? "%h" : width == 4 ? "%r" : "%d";
  const unsigned first = width == 8 ? 8 : 1;
  std::string values;
  for (unsigned i = 0; i < count; ++i)
    values += (i ? ", " : "") + (prefix + std::to_string(first + i));
  if (count > 1)
    values = "{" + values + "}";
  std::string text, before;
  bool isParam = place.space == std::string(".param");
  if (place.space == std::string(".shared") ||
      place.space == std::string(".local"))
    before = copyBytes(".global", "%d0", place.space, place.address, bytes);
  // Four registers of eight bytes do not fit into one store.
  std::string stores;
  for (unsigned i = 0; i < count; ++i)
    stores += "st.global.b" + std::to_string(8 * width) + " [%d2+" +
              std::to_string(i * width) + "], " + prefix +
              std::to_string(first + i) + ";\n";
  text = makeKernel(nameOf("ld", place, count, type), "//", bytes, before,
                    stores, values, count * width);
  replaceAll(text, "SOURCE", place.address);
  TestDevice device;
  device.load(text);
  std::vector<uint8_t> in(kThreads * bytes);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = uint8_t(i * 37 + 129 + i / 7);
  std::array<uint8_t, 16> block{};
  std::copy_n(in.begin(), std::min<size_t>(bytes, 16), block.begin());
  uint64_t out = device.allocate(kThreads * count * width);
  device.launch("k", {1, 1, 1}, {kThreads, 1, 1}, 0, device.upload(in), out,
                block);
  auto got = device.download<uint8_t>(out, kThreads * count * width);
  for (unsigned thread = 0; thread < kThreads; ++thread)
    for (unsigned i = 0; i < count; ++i) {
      const uint8_t *source = isParam ? block.data() + i * type.bytes
                                      : &in[thread * bytes + i * type.bytes];
      uint64_t expected = 0, result = 0;
      memcpy(&expected, source, type.bytes);
      if (type.isSigned && source[type.bytes - 1] & 0x80)
        expected |= ~uint64_t(0) << (8 * type.bytes - 1);
      if (width < 8)
        expected &= (uint64_t(1) << (8 * width)) - 1;
      memcpy(&result, &got[(thread * count + i) * width], width);
      ASSERT_EQ(result, expected)
          << "thread " << thread << " element " << i << " width " << width;
    }
}

void checkStore(const Place &place, unsigned count, const Type &type,
                unsigned width) {
  constexpr unsigned kThreads = 40;
  const unsigned bytes = count * type.bytes;
  const char *prefix = width == 2 ? "%h" : width == 4 ? "%r" : "%d";
  const unsigned first = width == 8 ? 8 : 1;
  std::string values, loads;
  for (unsigned i = 0; i < count; ++i) {
    const std::string name = prefix + std::to_string(first + i);
    values += (i ? ", " : "") + name;
    loads += "ld.global.b" + std::to_string(8 * width) + " " + name +
             ", [%d0+" + std::to_string(i * width) + "];\n";
  }
  if (count > 1)
    values = "{" + values + "}";
  bool isElsewhere = place.space == std::string(".shared") ||
                     place.space == std::string(".local");
  std::string after = isElsewhere ? copyBytes(place.space, place.address,
                                              ".global", "%d2", bytes)
                                  : "";
  std::string text = makeKernel("//", nameOf("st", place, count, type),
                                count * width, loads, after, values, bytes);
  replaceAll(text, "DESTINATION", isElsewhere ? place.address : "%d2");
  if (isElsewhere) // tile is indexed by the stored value
    replaceAll(text, "add.u64 %d4, %d4, %d1", "add.u64 %d4, %d4, %d3");
  TestDevice device;
  device.load(text);
  std::vector<uint8_t> in(kThreads * count * width);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = uint8_t(i * 53 + 7 + i / 5);
  uint64_t out = device.allocate(kThreads * bytes);
  device.launch("k", {1, 1, 1}, {kThreads, 1, 1}, 0, device.upload(in), out,
                std::array<uint8_t, 16>());
  auto got = device.download<uint8_t>(out, kThreads * bytes);
  for (unsigned k = 0; k < kThreads * count; ++k)
    for (unsigned i = 0; i < type.bytes; ++i)
      ASSERT_EQ(got[k * type.bytes + i], in[k * width + i])
          << "element " << k << " width " << width;
}

} // namespace

OpcodeRows loadStoreRows() {
  OpcodeRows rows;
  for (const Type &type : kTypes)
    for (unsigned count : {1u, 2u, 4u})
      for (const Place &place : kPlaces)
        for (unsigned width : {2u, 4u, 8u}) {
          if (count * type.bytes > 16 || width < type.bytes)
            continue;
          rows.push_back({nameOf("ld", place, count, type),
                          [=] { checkLoad(place, count, type, width); }});
          if (place.space == std::string(".param") ||
              place.space == std::string(".const"))
            continue;
          rows.push_back({nameOf("st", place, count, type),
                          [=] { checkStore(place, count, type, width); }});
        }
  return rows;
}

} // namespace tdc::sim
