//===- Safetensors.cpp - the header of .safetensors files -----------------===//
//
// The only file that includes the JSON library. Its SAX interface passes one
// token at a time without recursion. So this file bounds nesting and size, and
// detects a key that occurs twice, which a parsed tree would hide.
//
//===----------------------------------------------------------------------===//

#include "base/Dtype.h"
#include "base/File.h"
#include <algorithm>
#include <cstring>
#include <new>
#include <nlohmann/json.hpp>
#include <numeric>
#include <tuple>

using namespace tdrt;
using nlohmann::json;

namespace {

/// Every dtype of the format with its size in bytes. A program cannot hold
/// those with dtype -1.
struct DtypeRow {
  const char *text;
  int32_t dtype;
  unsigned bytes;
};
const DtypeRow dtypeRows[] = {
    {"F64", TDRT_F64, 8},   {"F32", TDRT_F32, 4}, {"F16", TDRT_F16, 2},
    {"BF16", TDRT_BF16, 2}, {"I64", TDRT_I64, 8}, {"I32", TDRT_I32, 4},
    {"I16", TDRT_I16, 2},   {"I8", TDRT_I8, 1},   {"U8", TDRT_U8, 1},
    {"BOOL", TDRT_BOOL, 1}, {"U16", TDRT_U16, 2}, {"U32", TDRT_U32, 4},
    {"U64", TDRT_U64, 8},   {"F8_E4M3", -1, 1},   {"F8_E5M2", -1, 1},
    {"C64", -1, 8}};

const DtypeRow *findDtype(const std::string &text) {
  for (const DtypeRow &row : dtypeRows)
    if (text == row.text)
      return &row;
  return nullptr;
}

/// Builds the header from tokens. A handler that stops the parser sets `fault`
/// and returns false. Offsets in it are relative to the JSON text.
class HeaderBuilder : public json::json_sax_t {
public:
  explicit HeaderBuilder(SafetensorsHeader &header) : header(header) {}

  FileFault fault;

  bool start_object(size_t) override {
    if (++depth > 3)
      return stop(723, "objects and arrays nest more than 3 deep");
    if (depth == 1)
      return true;
    if (depth == 2 && !inMetadata) {
      inEntry = true;
      seenFields = 0;
      return true;
    }
    if (depth == 2)
      return true;
    return misplaced();
  }

  bool end_object() override {
    if (--depth == 1) {
      if (inEntry && seenFields != 7)
        return misplaced();
      inEntry = inMetadata = false;
    }
    return true;
  }

  bool start_array(size_t) override {
    if (++depth > 3)
      return stop(723, "objects and arrays nest more than 3 deep");
    if (depth == 3 && inEntry && (field == Shape || field == Offsets)) {
      inArray = true;
      offsetsSeen = 0;
      return true;
    }
    return misplaced();
  }

  bool end_array() override {
    --depth;
    inArray = false;
    if (field == Offsets && offsetsSeen != 2)
      return misplaced();
    field = None;
    return true;
  }

  bool key(std::string &text) override {
    if (depth == 1) {
      current = text;
      if (text == "__metadata__") {
        if (metadataSeen)
          return stop(724, "`__metadata__` occurs twice");
        metadataSeen = inMetadata = true;
        return true;
      }
      header.tensors.emplace_back();
      header.tensors.back().key = text;
      return true;
    }
    if (inMetadata) {
      header.metadata.emplace_back(text, "");
      return true;
    }
    field = text == "dtype"          ? Dtype
            : text == "shape"        ? Shape
            : text == "data_offsets" ? Offsets
                                     : None;
    if (field == None)
      return stop(725, inQuotes(current) + " has a field " + inQuotes(text));
    if (seenFields & field)
      return stop(724,
                  inQuotes(text) + " occurs twice in " + inQuotes(current));
    seenFields |= field;
    return true;
  }

  bool string(std::string &text) override {
    if (depth == 2 && inMetadata) {
      header.metadata.back().second = text;
      return true;
    }
    if (depth != 2 || !inEntry || field != Dtype)
      return misplaced();
    const DtypeRow *row = findDtype(text);
    if (!row)
      return stop(726, inQuotes(current) + " has dtype " + inQuotes(text));
    FileTensor &tensor = header.tensors.back();
    tensor.dtype = row->dtype;
    tensor.dtypeText = text;
    field = None;
    return true;
  }

  bool number_unsigned(uint64_t value) override {
    if (!inArray)
      return misplaced();
    FileTensor &tensor = header.tensors.back();
    if (field == Shape) {
      if (value > INT64_MAX)
        return stop(727, inQuotes(current) + " has a size that is too large");
      if (tensor.dims.size() == TDRT_MAX_RANK)
        return stop(727, inQuotes(current) + " has more than 16 dims");
      tensor.dims.push_back(static_cast<int64_t>(value));
      return true;
    }
    if (offsetsSeen == 2)
      return misplaced();
    // `bytes` holds the end of the data until checkLayout().
    (offsetsSeen++ == 0 ? tensor.offset : tensor.bytes) = value;
    return true;
  }

  bool number_integer(int64_t) override { return misplaced(); }
  bool number_float(double, const std::string &) override {
    return misplaced();
  }
  bool boolean(bool) override { return misplaced(); }
  bool null() override { return misplaced(); }
  bool binary(json::binary_t &) override { return misplaced(); }

  bool parse_error(size_t position, const std::string &,
                   const json::exception &) override {
    fault = {722, static_cast<int64_t>(position), "the header is not JSON"};
    return false;
  }

private:
  /// The fields of an entry, as bits of `seenFields`.
  enum Field { None = 0, Dtype = 1, Shape = 2, Offsets = 4 };

  bool stop(int32_t code, std::string message) {
    fault = {code, -1, std::move(message)};
    return false;
  }

  bool misplaced() {
    if (inMetadata)
      return stop(725, "a value in `__metadata__` is not a string");
    return stop(725, "the entry of " + inQuotes(current) +
                         " is not a dtype, a shape and two data_offsets, "
                         "numbers from 0");
  }

  SafetensorsHeader &header;
  std::string current; ///< the key being read
  int depth = 0;
  unsigned seenFields = 0;
  unsigned offsetsSeen = 0;
  Field field = None;
  bool inEntry = false, inMetadata = false, inArray = false;
  bool metadataSeen = false;
};

using Entry = std::pair<std::string, std::string>;

const std::string &keyOf(const FileTensor &tensor) { return tensor.key; }
const std::string &keyOf(const Entry &entry) { return entry.first; }

/// The positions of a list's items in the order of their keys. A header of 100
/// MB has fewer than 2^32 items.
template <class Item>
std::vector<uint32_t> orderByKey(const std::vector<Item> &list) {
  std::vector<uint32_t> order(list.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return keyOf(list[a]) < keyOf(list[b]);
  });
  return order;
}

template <class Item>
const Item *findKey(const std::vector<Item> &list,
                    const std::vector<uint32_t> &order,
                    const std::string &key) {
  auto at = std::lower_bound(order.begin(), order.end(), key,
                             [&](uint32_t position, const std::string &key) {
                               return keyOf(list[position]) < key;
                             });
  return at != order.end() && keyOf(list[*at]) == key ? &list[*at] : nullptr;
}

/// Refuses equal keys in a list.
template <class Item>
void refuseTwice(const std::vector<Item> &list, const char *where) {
  std::vector<uint32_t> order = orderByKey(list);
  for (size_t i = 1; i < order.size(); ++i)
    if (keyOf(list[order[i - 1]]) == keyOf(list[order[i]]))
      failFile(724, -1,
               inQuotes(keyOf(list[order[i]])) + " occurs twice" + where);
}

/// Checks that the tensors tile the data, and replaces ends by sizes, and
/// offsets in the data by offsets in the file.
void checkLayout(SafetensorsHeader &header, uint64_t dataStart,
                 uint64_t dataBytes) {
  std::sort(header.tensors.begin(), header.tensors.end(),
            [](const FileTensor &a, const FileTensor &b) {
              return std::tie(a.offset, a.bytes, a.key) <
                     std::tie(b.offset, b.bytes, b.key);
            });
  uint64_t cursor = 0;
  for (FileTensor &tensor : header.tensors) {
    uint64_t begin = tensor.offset, end = tensor.bytes;
    if (begin == cursor && end > dataBytes)
      failFile(728, -1,
               "the file was cut off: " + inQuotes(tensor.key) +
                   " ends at byte " + std::to_string(end) +
                   " of the data, of which there are " +
                   std::to_string(dataBytes));
    if (begin != cursor || end < begin)
      failFile(728, -1,
               inQuotes(tensor.key) + " has the bytes " +
                   std::to_string(begin) + " to " + std::to_string(end) +
                   ", expected it at " + std::to_string(cursor));
    // I8 gives the number of elements, because a program's dtypes lack some of
    // the format's.
    int64_t numel =
        tensorBytes(TDRT_I8, tensor.dims.size(), tensor.dims.data());
    uint64_t size = findDtype(tensor.dtypeText)->bytes;
    if (numel < 0 || static_cast<uint64_t>(numel) > INT64_MAX / size)
      failFile(727, -1,
               "the shape of " + inQuotes(tensor.key) +
                   " is too large for any memory");
    if (end - begin != numel * size)
      failFile(729, -1,
               inQuotes(tensor.key) + " has " + std::to_string(end - begin) +
                   " bytes, its shape needs " + std::to_string(numel * size));
    tensor.offset = dataStart + begin;
    tensor.bytes = end - begin;
    cursor = end;
  }
  if (cursor != dataBytes)
    failFile(728, static_cast<int64_t>(dataStart + cursor),
             std::to_string(dataBytes - cursor) +
                 " bytes at the end belong to no tensor");
}

void parseHeader(const char *text, uint64_t size, uint64_t fileSize,
                 SafetensorsHeader &header) {
  if (size == 0 || text[0] != '{')
    failFile(722, 8, "the header does not begin with `{`");
  // JSON allows any white space around the object; the format allows only
  // spaces after it.
  uint64_t last = size;
  while (last > 0 && text[last - 1] == ' ')
    --last;
  if (text[last - 1] != '}')
    failFile(722, 8 + last - 1, "the header does not end with `}`");
  HeaderBuilder builder(header);
  if (!json::sax_parse(text, text + last, &builder)) {
    if (builder.fault.offset >= 0)
      builder.fault.offset += 8;
    throw std::move(builder.fault);
  }
  refuseTwice(header.tensors, "");
  refuseTwice(header.metadata, " in `__metadata__`");
  checkLayout(header, 8 + size, fileSize - 8 - size);
  header.index();
}

} // namespace

FileFault tdrt::parseSafetensorsHeader(const char *text, uint64_t size,
                                       uint64_t fileSize,
                                       SafetensorsHeader &header) noexcept {
  try {
    header = SafetensorsHeader();
    parseHeader(text, size, fileSize, header);
    return {};
  } catch (FileFault &fault) {
    return std::move(fault);
  } catch (const std::bad_alloc &) {
    return {201, -1, "out of memory"};
  }
}

void SafetensorsHeader::index() {
  tensorOrder = orderByKey(tensors);
  metadataOrder = orderByKey(metadata);
}

const FileTensor *SafetensorsHeader::find(const std::string &key) const {
  if (const FileTensor *tensor = findKey(tensors, tensorOrder, key))
    return tensor;
  const std::string *other = findMetadata(key);
  return other ? findKey(tensors, tensorOrder, *other) : nullptr;
}

const std::string *
SafetensorsHeader::findMetadata(const std::string &key) const {
  const Entry *entry = findKey(metadata, metadataOrder, key);
  return entry ? &entry->second : nullptr;
}
