//===- HostileFormatsTest.cpp - malicious npz, csv, IDX and image files ---===//
//
// As in HostileFilesTest.cpp: each has a name, its bytes and the one code that
// it must give.
//
//===----------------------------------------------------------------------===//

#include "formats/TensorFormat.h"
#include "support/Files.h"
#include "support/Hostile.h"
#include <sys/resource.h>
#include <sys/wait.h>

using namespace tdrt_test;
using namespace std::string_literals;

namespace {

//===----------------------------------------------------------------------===//
// npz
//===----------------------------------------------------------------------===//

const std::string good = npyOf("'<f4'", "(2,)", std::string(8, '\0'));

Member with(Member member, void (*change)(Member &)) {
  change(member);
  return member;
}
std::string oneStored(void (*change)(Member &)) {
  return zipOf({with(stored("a.npy", good), change)});
}
std::string onePacked(void (*change)(Member &)) {
  return zipOf({with(packed("a.npy", good), change)});
}

/// A zip file with the 64-bit records of `fields`: entries, size and offset of
/// the directory, and the offset at which the first record says the second is.
std::string zip64(int64_t entries, int64_t size, int64_t offset, int64_t at) {
  std::string plain = zipOf({stored("a.npy", good)});
  std::string body = plain.substr(0, plain.size() - 22);
  uint64_t directory = 30 + 5 + good.size();
  uint64_t bytes = body.size() - directory;
  std::string record = "PK\x06\x06" + little(44, 8) + little(45, 2) +
                       little(45, 2) + little(0, 8) + little(1 + entries, 8) +
                       little(1 + entries, 8) + little(bytes + size, 8) +
                       little(directory + offset, 8);
  std::string locator =
      "PK\x06\x07" + little(0, 4) + little(body.size() + at, 8) + little(1, 4);
  return body + record + locator + "PK\x05\x06" + little(0, 4) +
         std::string(12, '\xff') + little(0, 2);
}

/// A zip file with another byte at `at`, counted from the end if negative.
std::string changed(std::string file, int64_t at, char byte) {
  file[at < 0 ? file.size() + at : at] = byte;
  return file;
}

const std::string plainZip = zipOf({stored("a.npy", good)});

/// More entries than an array file has, each with a field that no reader uses.
std::string longDirectory() {
  std::vector<Member> members;
  for (int i = 0; i < 150; ++i)
    members.push_back({std::to_string(i), "", 0, 0});
  for (Member &member : members)
    member.extra = little(7, 2) + little(60000, 2) + std::string(60000, 'x');
  return zipOf(members);
}

const Hostile npzFiles[] = {
    {"empty file", "", 731},
    {"text", "1,2,3", 731},
    {"an npy file", good, 731},
    {"only an end, cut off", "PK\x05\x06", 731},
    {"a comment past the end",
     zipOf({stored("a.npy", good)}).replace(0, 0, "") + "x", 731},
    {"cut off", oneStored([](Member &) {}).substr(0, 150), 731},
    {"an empty zip file", zipOf({}), 707},
    {"no such array", zipOf({stored("b.npy", good)}), 707},
    {"directory outside", zipOf({stored("a.npy", good)}, {0, 0, 1 << 30}), 732},
    {"directory too long", zipOf({stored("a.npy", good)}, {0, 1, 0}), 732},
    {"directory too early", zipOf({stored("a.npy", good)}, {0, 0, -1}), 732},
    {"an entry too many", zipOf({stored("a.npy", good)}, {1, 0, 0}), 732},
    {"65535 entries", zipOf({stored("a.npy", good)}, {65534, 0, 0}), 732},
    {"bytes before everything", "MZ" + oneStored([](Member &) {}), 732},
    {"offset of 4 GiB", oneStored([](Member &m) { m.shift = 0xfffffffe; }),
     732},
    {"offset into the data", oneStored([](Member &m) { m.shift = 10; }), 732},
    {"overlap",
     zipOf({stored("a.npy", good),
            with(stored("b.npy", good),
                 [](Member &m) { m.shift = -int64_t(30 + 5 + good.size()); })}),
     732},
    {"another name before the data",
     oneStored([](Member &m) { m.localName = "b.npy"; }), 732},
    {"a name of another length before the data",
     oneStored([](Member &m) { m.localName = "a.npy2"; }), 732},
    {"extra field past the directory",
     oneStored([](Member &m) { m.extra = "\x01\x00\xff\xff"s; }), 732},
    {"64-bit size without a field", oneStored([](Member &m) {
       m.shownSize = 0xffffffff;
       m.extra = "\x01\x00\x04\x00\x00\x00\x00\x00"s;
     }),
     732},
    {"zip64 that is right but for the entries", zip64(1, 0, 0, 0), 732},
    {"zip64 directory of 2^64 - 1", zip64(0, -200, 0, 0), 732},
    {"zip64 offset outside", zip64(0, 0, 1 << 20, 0), 732},
    {"zip64 record outside", zip64(0, 0, 0, 1 << 20), 732},
    {"zip64 record elsewhere", zip64(0, 0, 0, -1), 732},
    {"zip64 record too near", zip64(0, 0, 0, 1), 732},
    {"the second of two disks", changed(plainZip, -18, 1), 732},
    {"begins on the second disk", changed(plainZip, -16, 1), 732},
    {"a directory of 9 MB", longDirectory(), 732},
    {"an entry of another kind", changed(plainZip, 35 + good.size() + 3, 7),
     732},
    {"an extra field before the data, past it", changed(plainZip, 28, 100),
     732},
    {"an extra field before the data, over it", changed(plainZip, 28, 1), 732},
    {"two of a name", zipOf({stored("a.npy", good), stored("a.npy", good)}),
     733},
    {"absolute name", zipOf({stored("a.npy", good), stored("/etc/x", "")}),
     733},
    {"name out of the folder",
     zipOf({stored("a.npy", good), stored("b/../../x", "")}), 733},
    {"name with a backslash",
     zipOf({stored("a.npy", good), stored("..\\x", "")}), 733},
    {"name with a NUL",
     zipOf({stored("a.npy", good), stored("a.npy\0.exe"s, "")}), 733},
    {"no name", zipOf({stored("a.npy", good), stored("", "")}), 733},
    {"encrypted", oneStored([](Member &m) { m.flags = 1; }), 734},
    {"bzip2", oneStored([](Member &m) { m.method = 12; }), 734},
    {"method 65535", oneStored([](Member &m) { m.method = 65535; }), 734},
    {"wrong checksum", oneStored([](Member &m) { m.checksum ^= 1; }), 735},
    {"wrong checksum of deflated data",
     onePacked([](Member &m) { m.checksum ^= 1; }), 735},
    {"no deflate data",
     onePacked([](Member &m) { m.packed.replace(0, 8, 8, '\xff'); }), 735},
    {"deflate data that ends early", onePacked([](Member &m) {
       m.packed.pop_back();
       m.shownPacked = m.packed.size();
     }),
     735},
    {"bytes after the deflate data", onePacked([](Member &m) {
       m.packed += "x";
       m.shownPacked = m.packed.size();
     }),
     735},
    {"stored in fewer bytes", oneStored([](Member &m) { --m.shownSize; }), 736},
    {"a bomb of 4 GB", onePacked([](Member &m) {
       m.packed =
           deflated(npyOf("'|u1'", "(4000000000,)", std::string(1000, '\0')));
       m.shownPacked = m.packed.size();
       m.shownSize = 4000000000;
     }),
     736},
    {"more data than its size", onePacked([](Member &m) {
       m.packed = deflated(good + "x");
       m.shownPacked = m.packed.size();
     }),
     736},
    {"less data than its size", onePacked([](Member &m) {
       m.packed = deflated(good.substr(0, good.size() - 1));
       m.shownPacked = m.packed.size();
     }),
     736},
    {"no npy file in it", zipOf({packed("a.npy", "hello")}), 711},
    {"80 bytes that claim 32 GiB",
     zipOf({packed("a.npy", npyOf("'<f8'", "(4294967296,)"))}), 718},
    {"a shape larger than the entry",
     zipOf({packed("a.npy", npyOf("'<f4'", "(3,)", std::string(8, '\0')))}),
     718},
    {"an odd bool", zipOf({packed("a.npy", npyOf("'|b1'", "(1,)", "\x02"))}),
     706}};

//===----------------------------------------------------------------------===//
// csv
//===----------------------------------------------------------------------===//

const Hostile csvFiles[] = {
    {"empty file", "", 761},
    {"empty lines", "\n\r\n\n", 761},
    {"a byte order mark alone", "\xef\xbb\xbf", 761},
    {"only names", "a,b\n", 761},
    {"NUL", "1,2\n3,\0\n"s, 761},
    {"UTF-16",
     "\xff\xfe"
     "1\0,\0002\0\n\0"s,
     761},
    {"a short row", "1,2\n3\n", 762},
    {"a long row", "1,2\n3,4,5\n", 762},
    {"a comma at the end", "1,2\n3,4,\n", 762},
    {"names of another number", "a,b,c\n1,2\n", 762},
    {"semicolons", "1;2\n3;4\n", 763},
    {"semicolons below numbers", "1\n3;4\n", 763},
    {"a missing number", "1,2\n3,\n", 763},
    {"a word", "1,2\n3,x\n", 763},
    {"a word among the first numbers", "1,x\n3,4\n", 763},
    {"names twice", "a,b\nc,d\n1,2\n", 763},
    {"hexadecimal", "1,0x10\n", 763},
    {"a decimal comma in quotes", "1,\"2,5\"\n", 763},
    {"two numbers in a field", "1,2 3\n", 763},
    {"two signs", "1,+-2\n", 763},
    {"more digits than are kept", "1," + repeat("0", 500) + "5\n", 763},
    {"a number above f64", "1,1e999\n", 763},
    {"a number above f32", "1,1e39\n", 763},
    {"old line ends", "1\r2\r3\r", 761},
    {"a field of 100,000 digits", "1,2\n3," + std::string(100000, '1') + "x",
     763},
    {"no end of a quote", "1,\"2\n3,4\n", 764},
    {"text after a quote", "1,\"2\"3\n", 764}};

//===----------------------------------------------------------------------===//
// IDX
//===----------------------------------------------------------------------===//

std::string idxOf(int dtype, const std::vector<uint32_t> &dims,
                  const std::string &data = "") {
  std::string file = "\0\0"s + big(dtype, 1) + big(dims.size(), 1);
  for (uint32_t size : dims)
    file += big(size, 4);
  return file + data;
}

const std::string goodIdx = idxOf(8, {2, 2}, "abcd");

const Hostile idxFiles[] = {
    {"empty file", "", 771},
    {"three bytes", "\0\0\x08"s, 771},
    {"wrong magic", "\0\1\x08\0"s, 771},
    {"an npy file", good, 771},
    {"dtype 0", idxOf(0, {1}, "a"), 772},
    {"dtype 10", idxOf(10, {1}, "a"), 772},
    {"dtype 255", idxOf(255, {1}, "a"), 772},
    {"17 dims", idxOf(8, std::vector<uint32_t>(17, 1), "a"), 773},
    {"255 dims", "\0\0\x08\xff"s, 773},
    {"product above int64", idxOf(14, {0xffffffff, 0xffffffff, 0xffffffff}),
     773},
    {"ends within its sizes", idxOf(8, {2, 2}).substr(0, 10), 774},
    {"16 bytes that claim 32 GiB", idxOf(14, {4, 0x40000000}), 774},
    {"truncated", goodIdx.substr(0, goodIdx.size() - 1), 774},
    {"trailing data", goodIdx + "x", 774},
    {"compressed text", deflated("hello, world", 31), 771},
    {"compressed, ends within its sizes",
     deflated(idxOf(8, {2, 2}).substr(0, 10), 31), 774},
    {"compressed, less data", deflated(goodIdx.substr(0, 15), 31), 774},
    {"compressed, more data", deflated(goodIdx + "x", 31), 736},
    {"a bomb", deflated(idxOf(8, {0x40000000}, "abc"), 31), 736},
    {"no gzip header", "\x1f\x8b", 735},
    {"gzip method 9", "\x1f\x8b\x09" + deflated(goodIdx, 31).substr(3), 735},
    {"gzip cut off", deflated(goodIdx, 31).substr(0, 25), 735},
    {"gzip without its end",
     deflated(goodIdx, 31).substr(0, deflated(goodIdx, 31).size() - 1), 735},
    {"wrong gzip checksum",
     deflated(goodIdx, 31).replace(deflated(goodIdx, 31).size() - 8, 1, "x"),
     735},
    {"two gzip members", deflated(goodIdx, 31) + deflated(goodIdx, 31), 735}};

//===----------------------------------------------------------------------===//
// Images
//===----------------------------------------------------------------------===//

std::string broken(std::string text, size_t at) {
  text[at] ^= 1;
  return text;
}

const std::string gray2 = pngHeader(2, 2, 8, 0);
const std::string rows2 = "\0ab\0cd"s;
const std::string goodPng = pngOf(gray2, rows2);

const Hostile pngFiles[] = {
    {"empty file", "", 781},
    {"a JPEG image", "\xff\xd8\xff\xe0 and so on", 781},
    {"seven bytes", "\x89PNG\r\n\x1a", 781},
    {"line ends changed", "\x89PNG\n\x1a\n" + goodPng.substr(8), 781},
    {"no header", "\x89PNG\r\n\x1a\n", 782},
    {"an end at once", "\x89PNG\r\n\x1a\n" + chunk("IEND", ""), 782},
    {"half a header", goodPng.substr(0, 20), 782},
    {"width 0", pngOf(pngHeader(0, 2, 8, 0), rows2), 782},
    {"height 2^31", pngOf(pngHeader(2, 0x80000000, 8, 0), rows2), 782},
    {"3 bits", pngOf(pngHeader(2, 2, 3, 0), rows2), 782},
    {"colour type 5", pngOf(pngHeader(2, 2, 8, 5), rows2), 782},
    {"16 bits of a palette", pngOf(pngHeader(2, 2, 16, 3), rows2), 782},
    {"interlace 2", pngOf(pngHeader(2, 2, 8, 0, 2), rows2), 782},
    {"wrong checksum of the header", broken(goodPng, 31), 782},
    {"wrong checksum of the data", broken(goodPng, goodPng.size() - 13), 782},
    {"a palette image without palette", pngOf(pngHeader(2, 2, 8, 3), rows2),
     782},
    {"a palette of 1 byte",
     pngOf(pngHeader(2, 2, 8, 3) + chunk("PLTE", "a"), rows2), 782},
    {"a palette of 300 colours",
     pngOf(pngHeader(2, 2, 8, 3) + chunk("PLTE", std::string(900, 'a')), rows2),
     782},
    {"an unknown part that matters", pngOf(gray2 + chunk("ABCD", ""), rows2),
     782},
    {"a part of 2^31 bytes", gray2 + "\x80\0\0\0IDAT"s, 782},
    {"a part past the end", gray2 + big(1000, 4) + "IDATab", 782},
    {"no zlib data", gray2 + chunk("IDAT", "hello") + chunk("IEND", ""), 782},
    {"too little data", pngOf(gray2, "\0ab\0c"s), 782},
    {"filter 9",
     pngOf(gray2, "\x09"
                  "ab\0cd"s),
     782},
    {"no end", goodPng.substr(0, goodPng.size() - 12), 782},
    {"2^31 - 1 x 2^31 - 1", pngOf(pngHeader(0x7fffffff, 0x7fffffff, 16, 6), ""),
     783},
    {"100,000 x 100,000", pngOf(pngHeader(100000, 100000, 8, 0), rows2), 783},
    {"a row of 2 GB", pngOf(pngHeader(0x7fffffff, 1, 8, 0), rows2), 783},
    {"2 GB of rows", pngOf(pngHeader(1, 0x7fffffff, 8, 0), rows2), 783},
    {"interlaced, 100,000 x 100,000",
     pngOf(pngHeader(100000, 100000, 8, 2, 1), rows2), 783}};

const std::string images = TDRT_TEST_DATA "/";

/// A JPEG image of the tests' data with another number at an offset after the
/// marker that begins its frame.
std::string frame(const std::string &file, size_t at, const std::string &value,
                  const std::string &marker = "\xff\xc0") {
  std::string bytes = readFile(images + file);
  size_t found = bytes.find(marker);
  return found == std::string::npos
             ? ""
             : bytes.replace(found + at, value.size(), value);
}

std::string jpegPart(const std::string &kind, const std::string &data) {
  return "\xff" + kind + big(data.size() + 2, 2) + data;
}

/// A scan of one component: coefficients `first` to `last`, with their bits
/// from bit `low` up: all bits, or one more bit if `next`.
std::string jpegScan(int first, int last, int low, const std::string &data,
                     bool next = false) {
  int high = next ? low + 1 : 0;
  return jpegPart("\xda", "\1\1\0"s + big(first, 1) + big(last, 1) +
                              big(high << 4 | low, 1)) +
         data;
}

/// A gray image, 8 pixels high. Its Huffman tables have one code, of one bit,
/// for symbol 0 (no coefficient): all pixels are middle gray.
std::string jpegOf(const std::string &frame, const std::string &scans,
                   int width = 8, const std::string &others = "") {
  std::string table = "\1"s + std::string(15, '\0') + "\0"s;
  return "\xff\xd8" + jpegPart("\xdb", "\0"s + std::string(64, '\1')) +
         jpegPart("\xc4", "\0"s + table) + jpegPart("\xc4", "\x10" + table) +
         jpegPart(frame, "\x08" + big(8, 2) + big(width, 2) + "\1\1\x11\0"s) +
         others + scans + "\xff\xd9";
}

/// `count` scans of a progressive image, one bit of one coefficient each.
std::string jpegScans(int count) {
  std::string scans = jpegScan(0, 0, 0, "\x7f");
  for (int i = 0; i < count - 1; ++i) {
    int bit = 13 - i % 14;
    scans += jpegScan(1 + i / 14, 1 + i / 14, bit, "\x7f", bit < 13);
  }
  return scans;
}

const Hostile jpegFiles[] = {
    {"half a start", "\xff\xd9", 781},
    {"no Huffman code", jpegOf("\xc0", jpegScan(0, 63, 0, "\xff\0\xff\0"s)),
     782},
    {"another restart than the next",
     jpegOf("\xc0", jpegScan(0, 63, 0, "\x3f\xff\xd5\x3f"), 16,
            jpegPart("\xdd", big(1, 2))),
     782},
    {"a scan before that of the mean",
     jpegOf("\xc2", jpegScan(1, 1, 0, "\x7f")), 782},
    {"501 scans", jpegOf("\xc2", jpegScans(501)), 782},
    {"a comment past the end", "\xff\xd8" + jpegPart("\xfe", "ab").substr(0, 5),
     782},
    {"empty file", "", 781},
    {"one byte", "\xff", 781},
    {"a PNG image", goodPng, 781},
    {"a start alone", "\xff\xd8", 782},
    {"a start and an end", "\xff\xd8\xff\xd9", 782},
    {"tables alone", readFile(images + "gray.jpg").substr(0, 150), 782},
    {"a part of length 0", "\xff\xd8\xff\xdb\0\0"s, 782},
    {"height 0", frame("gray.jpg", 5, "\0\0"s), 782},
    {"truncated", readFile(images + "rgb.jpg").substr(0, 700), 782},
    {"truncated, progressive",
     readFile(images + "progressive.jpg").substr(0, 500), 782},
    {"truncated, with an end",
     readFile(images + "gray.jpg").substr(0, 400) + "\xff\xd9", 782},
    {"no end",
     readFile(images + "gray.jpg")
         .substr(0, readFile(images + "gray.jpg").size() - 2),
     782},
    {"sampled by 5", frame("rgb.jpg", 11, "\x55"), 782},
    {"more rows than data", frame("gray.jpg", 5, "\x00\xff"s), 782},
    {"65500 x 65500", frame("gray.jpg", 5, "\xff\xdc\xff\xdc"), 783},
    {"65500 x 65500, progressive",
     frame("progressive.jpg", 5, "\xff\xdc\xff\xdc", "\xff\xc2"), 783},
    {"12 bits", frame("gray.jpg", 4, "\x0c"), 784},
    {"lossless", frame("gray.jpg", 1, "\xc3"), 784},
    {"for printing", readFile(images + "cmyk.jpg"), 784}};

//===----------------------------------------------------------------------===//

class HostileFormatsTest : public HostileFilesTest {
protected:
  template <size_t N>
  void expectCodes(const Hostile (&files)[N], const char *name,
                   const char *key = nullptr) {
    std::string path = folder / name;
    for (const Hostile &file : files) {
      writeFile(path, file.bytes);
      EXPECT_EQ(codeOf(path, key), file.code) << file.name;
    }
  }

  /// No prefix of the file is readable.
  void expectWhole(const std::string &bytes, const char *name,
                   const char *key = nullptr) {
    std::string path = folder / name;
    for (size_t size = 0; size < bytes.size(); ++size) {
      writeFile(path, bytes.substr(0, size));
      EXPECT_GE(codeOf(path, key), 707) << size;
    }
  }
};

TEST_F(HostileFormatsTest, Npz) { expectCodes(npzFiles, "x.npz", "a"); }
TEST_F(HostileFormatsTest, Csv) { expectCodes(csvFiles, "x.csv"); }
TEST_F(HostileFormatsTest, Idx) { expectCodes(idxFiles, "x.idx"); }
TEST_F(HostileFormatsTest, Png) { expectCodes(pngFiles, "x.png"); }
TEST_F(HostileFormatsTest, Jpeg) { expectCodes(jpegFiles, "x.jpg"); }

TEST_F(HostileFormatsTest, EveryTruncation) {
  expectWhole(zipOf({packed("a.npy", good)}), "x.npz", "a");
  expectWhole(readFile(images + "u1.idx2.gz"), "x.gz");
  expectWhole(readFile(images + "rgb-interlaced.png"), "x.png");
  expectWhole(readFile(images + "gray.jpg"), "x.jpg");
  expectWhole(readFile(images + "progressive.jpg"), "x.jpg");
}

// Comments are skipped, also those that are longer than one read; and many
// scans are valid.
TEST_F(HostileFormatsTest, OddImagesThatAreRead) {
  std::string gray = readFile(images + "gray.jpg");
  auto after = [&](const std::string &part) {
    return gray.substr(0, 2) + part + gray.substr(2);
  };
  auto read = [&](const std::string &bytes) {
    std::string path = folder / "x.jpg";
    writeFile(path, bytes);
    tdrt::InputFile file(path.c_str());
    tdrt::FileTensor tensor = tdrt::jpegFormat.inspect(file, nullptr);
    std::string pixels(tensor.bytes, '\0');
    tdrt::jpegFormat.read(file, tensor, &pixels[0]);
    return pixels;
  };
  EXPECT_EQ(read(after(jpegPart("\xfe", "a comment"))), read(gray));
  EXPECT_EQ(read(after(jpegPart("\xfe", std::string(60000, 'c')))), read(gray));
  std::string even(64, '\x80');
  EXPECT_EQ(read(jpegOf("\xc0", jpegScan(0, 63, 0, "\x3f"))), even);
  EXPECT_EQ(read(jpegOf("\xc2", jpegScans(500))), even);
}

TEST_F(HostileFormatsTest, TheRightOnesAreRead) {
  // The valid files from which the broken ones above are derived.
  const std::pair<const char *, std::string> files[] = {
      {"a.npz", zipOf({stored("a.npy", good)}, {}, "a comment")},
      {"b.npz", zip64(0, 0, 0, 0)},
      {"d.npz", oneStored([](Member &m) {
         m.extra = little(0x5455, 2) + little(1, 2) + "x";
       })},
      {"c.npz", onePacked([](Member &) {})},
      {"a.idx", goodIdx},
      {"a.gz", deflated(goodIdx, 31)},
      {"a.png", goodPng}};
  for (const auto &[name, bytes] : files) {
    std::string path = folder / name;
    writeFile(path, bytes);
    tdrt::FileTensor tensor;
    const char *key =
        path.back() == 'z' && path[path.size() - 2] == 'p' ? "a" : nullptr;
    tdrt::FileFault fault = tdrt::inspectTensorFile(path.c_str(), key, tensor);
    EXPECT_EQ(fault.code, 0) << name << ": " << fault.message;
  }
}

// For a mistake in any column, and any kind of line end.
TEST_F(HostileFormatsTest, LinesOfCsv) {
  std::string path = folder / "x.csv";
  for (const char *text : {"a,b\n1,2\nx,4\n5,6\n", "a,b\n1,2\n3,x\n5,6\n",
                           "\na,b\n3,x", "\"a\n\",b\n3,x\n"}) {
    writeFile(path, text);
    Opened ctx(program);
    int64_t sizes[] = {-1, -1};
    void *data = nullptr;
    EXPECT_EQ(
        tdrt_load(ctx, path.c_str(), nullptr, TDRT_F32, 2, sizes, &data, -1),
        763);
    EXPECT_NE(strstr(tdrt_error_text(ctx), "line 3: `x` is no f32"), nullptr)
        << tdrt_error_text(ctx);
  }
}

// Numbers with something other than a comma between them.
TEST_F(HostileFormatsTest, SeparatorsOfCsv) {
  std::string path = folder / "x.csv";
  for (auto [text, words] :
       {std::pair("a;b\n1;2.5;3\n", "`1;2.5;3` is no number: fields are "
                                    "separated by `,`, not by `;`"),
        std::pair("a\n1\t2\n", "not by tabs"),
        std::pair("a\n1 2\n", "not by blanks"),
        std::pair("a\n1|2\n", "not by `|`")}) {
    writeFile(path, text);
    tdrt::FileTensor tensor;
    tdrt::FileFault fault =
        tdrt::inspectTensorFile(path.c_str(), nullptr, tensor);
    EXPECT_EQ(fault.code, 763);
    EXPECT_NE(fault.message.find(words), std::string::npos) << fault.message;
  }
}

// The file changes between the pass that counts and the one that converts.
TEST_F(HostileFormatsTest, CsvThatChanges) {
  std::string path = folder / "x.csv";
  writeFile(path, "10,20\n3,4\n");
  tdrt::InputFile file(path.c_str());
  tdrt::FileTensor tensor = tdrt::csvFormat.inspect(file, nullptr);
  tensor.dtype = TDRT_I32;
  for (const char *text : {"1\n2\n3\n4\n5\n", "1,22222222"}) {
    writeFile(path, text);
    int32_t values[4];
    tdrt::FileFault fault =
        tdrt::caught([&] { tdrt::csvFormat.read(file, tensor, values); });
    EXPECT_EQ(fault.code, 704);
    EXPECT_EQ(fault.message, "the file changed while it was read");
  }
}

TEST_F(HostileFormatsTest, DtypesOfCsv) {
  std::string path = folder / "x.csv";
  auto codeAs = [&](const char *text, int32_t dtype) {
    writeFile(path, text);
    Opened ctx(program);
    int64_t size = -1;
    void *data = nullptr;
    int32_t status =
        tdrt_load(ctx, path.c_str(), nullptr, dtype, 1, &size, &data, -1);
    EXPECT_EQ(data != nullptr, status == 0);
    tdrt_free(ctx, 0, data);
    return status;
  };
  EXPECT_EQ(codeAs("255", TDRT_U8), 0);
  EXPECT_EQ(codeAs("256", TDRT_U8), 763);
  EXPECT_EQ(codeAs("-1", TDRT_U8), 763);
  EXPECT_EQ(codeAs("-129", TDRT_I8), 763);
  EXPECT_EQ(codeAs("1.5", TDRT_I64), 763);
  EXPECT_EQ(codeAs("1.0", TDRT_I64), 763);
  EXPECT_EQ(codeAs("9223372036854775808", TDRT_I64), 763);
  EXPECT_EQ(codeAs("-9223372036854775808", TDRT_I64), 0);
  EXPECT_EQ(codeAs("65536", TDRT_U16), 763);
  EXPECT_EQ(codeAs("4294967296", TDRT_U32), 763);
  EXPECT_EQ(codeAs("18446744073709551615", TDRT_U64), 0);
  EXPECT_EQ(codeAs("18446744073709551616", TDRT_U64), 763);
  EXPECT_EQ(codeAs("-1", TDRT_U64), 763);
  EXPECT_EQ(codeAs("2", TDRT_BOOL), 763);
  EXPECT_EQ(codeAs("nan", TDRT_I32), 763);
  EXPECT_EQ(codeAs("1", TDRT_F16), 765);
  EXPECT_EQ(codeAs("1", TDRT_BF16), 765);
}

TEST_F(HostileFormatsTest, Keys) {
  // Formats with one tensor take no key, those with several need one.
  for (const char *name : {"x.npy", "x.csv", "x.idx", "x.png", "x.jpg"}) {
    writeFile(folder / name, "1");
    EXPECT_EQ(codeOf(folder / name, "a"), 707) << name;
  }
  writeFile(folder / "x.npz", "PK\x05\x06" + std::string(18, '\0'));
  writeFile(folder / "x.safetensors", "\x02" + std::string(7, '\0') + "{}");
  for (const char *name : {"x.npz", "x.safetensors"}) {
    EXPECT_EQ(codeOf(folder / name, nullptr), 705) << name;
    EXPECT_EQ(codeOf(folder / name, "a"), 707) << name;
  }
  for (const char *name : {"x.pt", "x.txt", "x.bmp"}) {
    writeFile(folder / name, "PK\x03\x04");
    EXPECT_EQ(codeOf(folder / name, nullptr), 705) << name;
  }
}

TEST_F(HostileFormatsTest, NotFiles) {
  for (const char *name : {"x.npz", "x.csv", "x.idx", "x.png", "x.jpg"}) {
    const char *key = name[2] == 'n' ? "a" : nullptr;
    std::string path = folder / name;
    EXPECT_EQ(codeOf(path, key), 702) << name;
    ASSERT_EQ(symlink("/dev/zero", path.c_str()), 0);
    EXPECT_EQ(codeOf(path, key), 703) << name;
    unlink(path.c_str());
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    EXPECT_EQ(codeOf(path, key), 703) << name;
    unlink(path.c_str());
    ASSERT_EQ(mkdir(path.c_str(), 0700), 0);
    EXPECT_EQ(codeOf(path, key), 703) << name;
  }
}

} // namespace
