//===- CheckpointFormat.cpp - metadata of checkpoints ---------------------===//

#include "checkpoint/CheckpointFormat.h"
#include "base/Failure.h"
#include "base/File.h"
#include "base/XXH64.h"
#include <charconv>
#include <cstring>

using namespace tdrt;

std::string tdrt::metadataChecksum(const SafetensorsHeader &header) {
  std::string all;
  for (const auto &[key, value] : header.metadata) {
    if (key == kChecksumKey)
      break;
    all.append(key).push_back('\0');
    all.append(value).push_back('\0');
  }
  return hexText(xxh64(all.data(), all.size()));
}

namespace {

bool hasPrefix(const std::string &text, const char *prefix) {
  return text.compare(0, strlen(prefix), prefix) == 0;
}

/// Is the metadata that tdc wrote damaged? False for a file of another program.
bool isDamaged(const SafetensorsHeader &header) {
  bool ours = false;
  size_t sums = 0;
  for (const auto &[key, value] : header.metadata) {
    ours |= hasPrefix(key, "tdc.");
    sums += hasPrefix(key, kSumPrefix);
  }
  if (!ours)
    return false;
  const auto &last = header.metadata.back();
  if (last.first != kChecksumKey || last.second != metadataChecksum(header))
    return true;
  for (const FileTensor &tensor : header.tensors)
    if (!header.findMetadata(kSumPrefix + tensor.key))
      return true;
  return sums != header.tensors.size();
}

} // namespace

const tdrt_slot &tdrt::getFileSlot(const tdrt_program &program, int32_t index) {
  const tdrt_slot &slot = program.slots[index];
  if (slot.device != 0)
    fail(399, "a file is to hold the slot " + inQuotes(slot.key) + " of " +
                  deviceText(slot.device));
  return slot;
}

void tdrt::checkMetadata(const SafetensorsHeader &header) {
  if (isDamaged(header))
    failFile(742, -1,
             "the checkpoint is damaged: the checksum of its metadata "
             "does not fit");
}

std::string tdrt::valueText(int32_t type, const tdrt_value &value) {
  if (type == TDRT_BOOLEAN)
    return value.i ? "bool true" : "bool false";
  if (type == TDRT_INT)
    return "int " + std::to_string(value.i);
  char digits[40];
  auto end = std::to_chars(digits, digits + sizeof digits, value.f,
                           std::chars_format::hex);
  return "float " + std::string(digits, end.ptr);
}

bool tdrt::parseValue(const std::string &text, int32_t type,
                      tdrt_value &value) {
  const char *word = type == TDRT_INT     ? "int "
                     : type == TDRT_FLOAT ? "float "
                                          : "bool ";
  size_t size = strlen(word);
  if (text.compare(0, size, word) != 0)
    return false;
  const char *at = text.data() + size, *end = text.data() + text.size();
  if (type == TDRT_FLOAT) {
    auto result = std::from_chars(at, end, value.f, std::chars_format::hex);
    return result.ec == std::errc() && result.ptr == end;
  }
  if (type == TDRT_INT) {
    auto result = std::from_chars(at, end, value.i);
    return result.ec == std::errc() && result.ptr == end;
  }
  value.i = strcmp(at, "true") == 0;
  return value.i || strcmp(at, "false") == 0;
}
