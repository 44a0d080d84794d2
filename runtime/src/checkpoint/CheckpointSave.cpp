//===- CheckpointSave.cpp - slots to a .safetensors file ------------------===//

#include "base/Dtype.h"
#include "base/File.h"
#include "base/Layout.h"
#include "base/Version.h"
#include "base/XXH64.h"
#include "checkpoint/CheckpointFormat.h"
#include "formats/FileFormats.h"
#include "program/Context.h"
#include "text/JsonWriter.h"

using namespace tdrt;

namespace {

/// A slot and its data as it is written to the file.
struct Entry {
  const tdrt_slot *slot;
  const char *key;
  uint64_t bytes;
  const void *data;       ///< row-major: in the arena, or `copy`
  std::vector<char> copy; ///< for a slot with another order
};

/// The slots in the order of the file.
std::vector<Entry> collect(const Context &context,
                           const tdrt_checkpoint &what) {
  std::vector<Entry> entries;
  for (int64_t size : {8, 4, 2, 1})
    for (int32_t i = 0; i < what.num_slots; ++i) {
      const tdrt_slot &slot = getFileSlot(*context.program, what.slots[i]);
      if (elementBytes(slot.dtype) != size)
        continue;
      Entry entry{&slot, what.keys[i], 0, context.state + slot.offset, {}};
      entry.bytes = tensorBytes(slot.dtype, slot.rank, slot.dims);
      if (slot.order) {
        entry.copy.resize(entry.bytes);
        tdrt_slot_read(&context, what.slots[i], entry.copy.data());
        entry.data = entry.copy.data();
      }
      entries.push_back(std::move(entry));
    }
  return entries;
}

SafetensorsHeader makeMetadata(const Context &context,
                               const std::vector<Entry> &entries,
                               const tdrt_checkpoint &what,
                               const tdrt_value *values) {
  SafetensorsHeader header;
  auto add = [&](std::string key, std::string value) {
    header.metadata.emplace_back(std::move(key), std::move(value));
  };
  add(kVersionKey, kVersion);
  for (int32_t i = 0; i < what.num_aliases; ++i)
    add(what.aliases[i].key, what.keys[what.aliases[i].slot]);
  for (const Entry &entry : entries)
    add(std::string(kSumPrefix) + entry.key,
        hexText(xxh64(entry.data, entry.bytes)));
  if (what.full) {
    add(kSeedKey, std::to_string(context.random.seed));
    add(kRandomKey, std::to_string(context.random.calls));
    for (int32_t i = 0; i < what.num_values; ++i)
      add(std::string(kValuePrefix) + what.names[i],
          valueText(what.types[i], values[i]));
  }
  add(kChecksumKey, metadataChecksum(header));
  return header;
}

/// The start of the file: 8 bytes of length and the JSON, padded so that the
/// data begins at a multiple of 8.
std::string headerText(const SafetensorsHeader &metadata,
                       const std::vector<Entry> &entries) {
  static const char *const names[] = {"F64", "F32", "F16", "BF16", "I64",
                                      "I32", "I16", "I8",  "U8",   "BOOL",
                                      "U16", "U32", "U64"};
  JsonWriter json;
  json.open('{').key("__metadata__").open('{');
  for (const auto &[name, value] : metadata.metadata)
    json.member(name, value);
  json.close('}');
  int64_t offset = 0;
  for (const Entry &entry : entries) {
    json.key(entry.key).open('{').member("dtype", names[entry.slot->dtype]);
    json.key("shape").open('[');
    for (int32_t d = 0; d < entry.slot->rank; ++d)
      json.value(entry.slot->dims[d]);
    json.close(']').key("data_offsets").open('[').value(offset);
    offset += entry.bytes;
    json.value(offset).close(']').close('}');
  }
  std::string text = json.close('}').get();
  text.append((8 - text.size() % 8) % 8, ' ');
  std::string length;
  for (int i = 0; i < 8; ++i)
    length += static_cast<char>(text.size() >> (8 * i) & 255);
  return length + text;
}

} // namespace

int32_t tdrt_checkpoint_save(tdrt_context *ctx, const char *path,
                             const tdrt_checkpoint *what,
                             const tdrt_value *values, int32_t site) {
  if (int32_t status = tdrt_poll(ctx))
    return status;
  Context &context = Context::of(ctx);
  HostSpan span(context, "save", site);
  return context.guarded(site, [&] {
    std::vector<Entry> entries = collect(context, *what);
    std::string header =
        headerText(makeMetadata(context, entries, *what, values), entries);
    aboutFile(path, [&] {
      checkWrittenFormat(path, FileContents::State);
      OutputFile file(path);
      if (file.isStream())
        context.output.flush();
      file.write(header.data(), header.size());
      for (const Entry &entry : entries)
        file.write(entry.data, entry.bytes);
      file.commit();
    });
  });
}
