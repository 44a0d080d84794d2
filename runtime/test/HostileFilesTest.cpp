//===- HostileFilesTest.cpp - malicious or broken files -------------------===//
//
// Each has a name, its bytes and the one code that it must give. None may
// crash, hang or make the reader allocate as much as the file claims to hold.
//
//===----------------------------------------------------------------------===//

#include "base/File.h"
#include "support/Files.h"
#include "support/Hostile.h"
#include "support/TestProgram.h"
#include "tdc_files.h"
#include <cstring>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

using namespace tdrt_test;
using namespace std::string_literals;

namespace {

/// A .safetensors file with a header and `bytes` bytes of data.
std::string st(const std::string &header, size_t bytes = 0) {
  return little(header.size(), 8) + header + std::string(bytes, '\0');
}

std::string entry(const std::string &dtype, const std::string &shape,
                  const std::string &offsets) {
  return "{\"dtype\":\"" + dtype + "\",\"shape\":" + shape +
         ",\"data_offsets\":" + offsets + "}";
}

std::string one(const std::string &dtype, const std::string &shape,
                const std::string &offsets) {
  return "{\"a\":" + entry(dtype, shape, offsets) + "}";
}

const Hostile npyFiles[] = {
    {"empty file", "", 711},
    {"one byte", "\x93", 711},
    {"wrong magic", "\x93NUMPX\x01\x00\x02\x00{}"s, 711},
    {"a zip file", "PK\x03\x04 and so on and so on", 711},
    {"a pickle", "\x80\x04\x95\x0a\x00\x00\x00\x00\x00\x00\x00"s, 711},
    {"text", "1.0,2.0\n3.0,4.0\n", 711},
    {"version 0", "\x93NUMPY\x00\x00\x02\x00{}"s, 712},
    {"version 4", "\x93NUMPY\x04\x00\x02\x00\x00\x00{}"s, 712},
    {"version 1.1", "\x93NUMPY\x01\x01\x02\x00{}"s, 712},
    {"no length", "\x93NUMPY\x01\x00"s, 713},
    {"half a length", "\x93NUMPY\x02\x00\x02\x00"s, 713},
    {"header past the end", "\x93NUMPY\x01\x00\xff\xff{"s, 713},
    {"header of 4 GiB", "\x93NUMPY\x02\x00\xff\xff\xff\xff{"s, 713},
    {"header above 64 KiB",
     "\x93NUMPY\x02\x00"s + little(65537, 4) + std::string(65537, ' '), 713},
    {"header of 64 KiB of spaces",
     "\x93NUMPY\x02\x00"s + little(65536, 4) + std::string(65536, ' '), 714},
    {"empty header", npy(""), 714},
    {"not a dictionary", npy("[1, 2]\n"), 714},
    {"empty dictionary", npy("{}\n"), 714},
    {"not closed", npy("{'descr': '<f4', 'fortran_order': False"), 714},
    {"no newline",
     npy("{'descr': '<f4', 'fortran_order': False, 'shape': (), }",
         "\0\0\0\0"s),
     714},
    {"text after the newline",
     npy("{'descr': '<f4', 'fortran_order': False, "
         "'shape': (), }\n\n",
         "\0\0\0\0"s),
     714},
    {"no shape", npy("{'descr': '<f4', 'fortran_order': False, }\n"), 714},
    {"key twice",
     npy("{'descr': '<f4', 'descr': '<f8', 'fortran_order': False, "
         "'shape': (), }\n"),
     714},
    {"unknown key",
     npy("{'descr': '<f4', 'fortran_order': False, 'shape': (), "
         "'x': 1}\n"),
     714},
    {"code in the header",
     npy("{'descr': __import__('os').system('true'), "
         "'fortran_order': False, 'shape': ()}\n"),
     715},
    {"code as a shape", npyOf("'<f4'", "tuple(range(9**9))"), 714},
    {"no descr", npy("{'fortran_order': False, 'shape': (), }\n"), 714},
    {"no fortran_order", npy("{'descr': '<f4', 'shape': (), }\n"), 714},
    {"a number as a key", npy("{1: '<f4'}\n"), 714},
    {"cut off in fortran_order", npy("{'fortran_order': Fal"), 714},
    {"cut off in a size", npy("{'shape': (12"), 714},
    {"a letter as a size", npyOf("'<f4'", "(a,)"), 714},
    {"a word that is not closed", npy("{'descr"), 714},
    {"non-ASCII key", npy("{'déscr': '<f4'}\n"), 714},
    {"NUL in a word", npy("{'des\0cr': '<f4'}\n"s), 714},
    {"escape in a word", npy("{'d\\x65scr': '<f4'}\n"), 714},
    {"fortran_order 1", npyOf("'<f4'", "()", "\0\0\0\0"s, "1"), 714},
    {"shape is a list", npyOf("'<f4'", "[2]"), 714},
    {"shape is a number", npyOf("'<f4'", "2"), 714},
    {"shape (2)", npyOf("'<f4'", "(2)", std::string(8, '\0')), 714},
    {"negative size", npyOf("'<f4'", "(-1,)"), 714},
    {"size in hex", npyOf("'<f4'", "(0x10,)"), 714},
    {"float size", npyOf("'<f4'", "(2.0,)"), 714},
    {"deep nesting", npyOf("'<f4'", repeat("(", 60000)), 714},
    {"object dtype", npyOf("'|O'", "(2,)", std::string(16, '\0')), 715},
    {"structured dtype", npyOf("[('a', '<f4')]", "(2,)"), 715},
    {"string dtype", npyOf("'<U3'", "(2,)", std::string(24, '\0')), 715},
    {"complex dtype", npyOf("'<c8'", "(1,)", std::string(8, '\0')), 715},
    {"date dtype", npyOf("'<M8[s]'", "(1,)", std::string(8, '\0')), 715},
    {"long double", npyOf("'<f16'", "(1,)", std::string(16, '\0')), 715},
    {"native order", npyOf("'=f4'", "(1,)", std::string(4, '\0')), 715},
    {"empty dtype", npyOf("''", "(1,)"), 715},
    {"big-endian", npyOf("'>f4'", "(1,)", std::string(4, '\0')), 716},
    {"17 dims", npyOf("'<f4'", "(" + repeat("1,", 17) + ")"), 717},
    {"size above int64", npyOf("'<f4'", "(99999999999999999999,)"), 717},
    {"product above int64",
     npyOf("'<f4'", "(4294967296, 4294967296, 4294967296)"), 717},
    {"product wraps to 0", npyOf("'<f8'", "(2305843009213693952,)"), 717},
    {"product wraps past a zero",
     npyOf("'<f8'", "(9223372036854775807, 0)", "x"), 718},
    {"80 bytes that claim 32 GiB", npyOf("'<f8'", "(4294967296,)"), 718},
    {"truncated data", npyOf("'<f4'", "(2,)", std::string(7, '\0')), 718},
    {"trailing data", npyOf("'<f4'", "(2,)", std::string(9, '\0')), 718},
    {"data for an empty tensor", npyOf("'<f4'", "(0,)", "x"), 718},
    {"odd bool", npyOf("'|b1'", "(2,)", "\x01\x02"), 706}};

const Hostile safetensorsFiles[] = {
    {"empty file", "", 721},
    {"seven bytes", "\x02\0\0\0\0\0\0"s, 721},
    {"header past the end", little(100, 8) + "{}", 721},
    {"header of 2^64 - 1", little(UINT64_MAX, 8) + "{}", 721},
    {"header that wraps", little(UINT64_MAX - 7, 8) + "{}", 721},
    {"header above 100 MB", little(100000001, 8) + "{}", 721},
    {"empty header", st(""), 722},
    {"space before", st(" {}"), 722},
    {"an array", st("[]"), 722},
    {"a number", st("1"), 722},
    {"an npy file in front", st("\x93NUMPY{}"), 722},
    {"tab after", st("{}\t"), 722},
    {"newline after", st("{}\n"), 722},
    {"two objects", st("{}{}"), 722},
    {"not closed", st("{\"a\":{"), 722},
    {"trailing comma", st("{\"a\":" + entry("U8", "[1]", "[0,1]") + ",}", 1),
     722},
    {"comment", st("{/* */}"), 722},
    {"invalid UTF-8", st("{\"\xff\":" + entry("U8", "[1]", "[0,1]") + "}", 1),
     722},
    {"lone surrogate", st("{\"\\ud800\":1}"), 722},
    {"NUL in the header", st("{\0}"s), 722},
    {"million of brackets", st("{\"a\":" + repeat("[", 1000000) + "}"), 725},
    {"objects in objects", st("{\"a\":{\"dtype\":{\"b\":{\"c\":{}}}}}"), 725},
    {"nested metadata", st("{\"__metadata__\":{\"a\":{\"b\":1}}}"), 725},
    {"shape in a shape", st(one("U8", "[[1]]", "[0,1]"), 1), 723},
    {"object in a shape", st(one("U8", "[{}]", "[0,1]"), 1), 723},
    {"tensor twice",
     st("{\"a\":" + entry("U8", "[1]", "[0,1]") +
            ",\"a\":" + entry("U8", "[1]", "[1,2]") + "}",
        2),
     724},
    {"tensor twice by an escape",
     st("{\"a\":" + entry("U8", "[1]", "[0,1]") +
            ",\"\\u0061\":" + entry("U8", "[1]", "[1,2]") + "}",
        2),
     724},
    {"field twice", st("{\"a\":{\"dtype\":\"U8\",\"dtype\":\"I8\"}}"), 724},
    {"metadata twice", st("{\"__metadata__\":{},\"__metadata__\":{}}"), 724},
    {"metadata key twice", st("{\"__metadata__\":{\"a\":\"1\",\"a\":\"2\"}}"),
     724},
    {"metadata is a string", st("{\"__metadata__\":\"x\"}"), 725},
    {"metadata number", st("{\"__metadata__\":{\"a\":1}}"), 725},
    {"entry is a number", st("{\"a\":1}"), 725},
    {"entry is null", st("{\"a\":null}"), 725},
    {"entry is an array", st("{\"a\":[]}"), 725},
    {"no dtype", st("{\"a\":{\"shape\":[1],\"data_offsets\":[0,1]}}", 1), 725},
    {"no shape", st("{\"a\":{\"dtype\":\"U8\",\"data_offsets\":[0,1]}}", 1),
     725},
    {"no offsets", st("{\"a\":{\"dtype\":\"U8\",\"shape\":[1]}}", 1), 725},
    {"unknown field", st("{\"a\":{\"dtype\":\"U8\",\"strides\":[1]}}"), 725},
    {"dtype is a number", st("{\"a\":{\"dtype\":8}}"), 725},
    {"negative size", st(one("U8", "[-1]", "[0,1]"), 1), 725},
    {"float size", st(one("U8", "[1.0]", "[0,1]"), 1), 725},
    {"exponent size", st(one("U8", "[1e0]", "[0,1]"), 1), 725},
    {"size above 2^64", st(one("U8", "[18446744073709551616]", "[0,1]"), 1),
     725},
    {"true as a size", st(one("U8", "[true]", "[0,1]"), 1), 725},
    {"string as a size", st(one("U8", "[\"1\"]", "[0,1]"), 1), 725},
    {"one offset", st(one("U8", "[1]", "[0]"), 1), 725},
    {"three offsets", st(one("U8", "[1]", "[0,1,1]"), 1), 725},
    {"negative offset", st(one("U8", "[1]", "[-1,0]"), 1), 725},
    {"unknown dtype", st(one("F7", "[1]", "[0,1]"), 1), 726},
    {"lower-case dtype", st(one("f32", "[1]", "[0,4]"), 4), 726},
    {"dtype that cannot be held", st(one("C64", "[1]", "[0,8]"), 8), 726},
    {"17 dims", st(one("U8", "[1" + repeat(",1", 16) + "]", "[0,1]"), 1), 727},
    {"size above int64", st(one("U8", "[9223372036854775808]", "[0,0]")), 727},
    {"product above int64", st(one("F32", "[4294967296,4294967296]", "[0,0]")),
     727},
    {"product wraps to 0", st(one("F64", "[2305843009213693952]", "[0,0]")),
     727},
    {"hole at the start", st(one("U8", "[1]", "[1,2]"), 2), 728},
    {"hole between",
     st("{\"a\":" + entry("U8", "[1]", "[0,1]") +
            ",\"b\":" + entry("U8", "[1]", "[2,3]") + "}",
        3),
     728},
    {"overlap",
     st("{\"a\":" + entry("U8", "[2]", "[0,2]") +
            ",\"b\":" + entry("U8", "[2]", "[1,3]") + "}",
        3),
     728},
    {"same bytes twice",
     st("{\"a\":" + entry("U8", "[2]", "[0,2]") +
            ",\"b\":" + entry("U8", "[2]", "[0,2]") + "}",
        2),
     728},
    {"empty tensor inside another",
     st("{\"a\":" + entry("U8", "[2]", "[0,2]") +
            ",\"b\":" + entry("U8", "[0]", "[1,1]") + "}",
        2),
     728},
    {"end before begin", st(one("U8", "[1]", "[1,0]"), 1), 728},
    {"end past the file", st(one("U8", "[9]", "[0,9]"), 1), 728},
    {"offset of 2^64 - 1", st(one("U8", "[1]", "[0,18446744073709551615]"), 1),
     728},
    {"trailing data", st(one("U8", "[1]", "[0,1]"), 2), 728},
    {"data without tensors", st("{}", 1), 728},
    {"shape larger than the data", st(one("F32", "[1000000000]", "[0,4]"), 4),
     729},
    {"shape smaller than the data", st(one("F32", "[1]", "[0,8]"), 8), 729},
    {"odd bool", st(one("BOOL", "[1]", "[0,1]")) + "\x07", 706},
    {"no such key", st("{\"b\":" + entry("U8", "[1]", "[0,1]") + "}", 1), 707}};

TEST_F(HostileFilesTest, Npy) {
  std::string path = folder / "x.npy";
  for (const Hostile &file : npyFiles) {
    writeFile(path, file.bytes);
    EXPECT_EQ(codeOf(path, nullptr), file.code) << file.name;
  }
}

TEST_F(HostileFilesTest, Safetensors) {
  std::string path = folder / "x.safetensors";
  for (const Hostile &file : safetensorsFiles) {
    writeFile(path, file.bytes);
    EXPECT_EQ(codeOf(path, "a"), file.code) << file.name;
  }
}

TEST_F(HostileFilesTest, EveryTruncation) {
  std::string whole = st("{\"__metadata__\":{\"k\":\"v\"},\"a\":" +
                             entry("F32", "[2,2]", "[0,16]") + "}",
                         16);
  std::string path = folder / "x";
  for (size_t size = 0; size < whole.size(); ++size) {
    writeFile(path, whole.substr(0, size));
    EXPECT_GE(codeOf(path, "a"), 721) << size;
  }
  whole = npyOf("'<f4'", "(2, 2)", std::string(16, '\0'));
  for (size_t size = 0; size < whole.size(); ++size) {
    writeFile(path, whole.substr(0, size));
    EXPECT_GE(codeOf(path, nullptr), 711) << size;
  }
}

TEST_F(HostileFilesTest, ShorterWhileItIsRead) {
  std::string path = folder / "x";
  writeFile(path, "12345678");
  tdrt::InputFile file(path.c_str());
  ASSERT_EQ(truncate(path.c_str(), 4), 0);
  char bytes[8];
  try {
    file.read(0, bytes, sizeof bytes);
    ADD_FAILURE() << "was read";
  } catch (const tdrt::FileFault &fault) {
    EXPECT_EQ(fault.code, 704);
  }
}

TEST_F(HostileFilesTest, NotFiles) {
  EXPECT_EQ(codeOf(folder / "absent.npy", nullptr), 702);
  EXPECT_EQ(codeOf(folder / "absent" + std::string(300, 'x'), nullptr), 702);
  EXPECT_EQ(codeOf("", nullptr), 702);
  EXPECT_EQ(codeOf(folder.path, nullptr), 703);
  EXPECT_EQ(codeOf("/dev/zero", nullptr), 703);
  EXPECT_EQ(codeOf("/dev/null", "a"), 703);
  std::string pipe = folder / "pipe.npy";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(codeOf(pipe, nullptr), 703);
  EXPECT_EQ(codeOf(pipe, "a"), 703);
  std::string loop = folder / "loop.npy";
  ASSERT_EQ(symlink(loop.c_str(), loop.c_str()), 0);
  EXPECT_EQ(codeOf(loop, nullptr), 702);
  std::string door = folder / "socket.npy";
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  strncpy(address.sun_path, door.c_str(), sizeof address.sun_path - 1);
  ASSERT_EQ(bind(fd, reinterpret_cast<sockaddr *>(&address), sizeof address),
            0);
  EXPECT_EQ(codeOf(door, nullptr), 703);
  close(fd);
}

TEST_F(HostileFilesTest, NoPermission) {
  std::string path = folder / "secret.npy";
  writeFile(path, "x");
  chmod(path.c_str(), 0);
  // Root can read every file.
  EXPECT_EQ(codeOf(path, nullptr), geteuid() == 0 ? 711 : 702);
}

} // namespace
