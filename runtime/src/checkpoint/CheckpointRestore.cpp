//===- CheckpointRestore.cpp - slots from a .safetensors file -------------===//
//
// Reads and checks the header, the random state, the keys, and all data with
// its checksums into separate memory; only then writes the slots. A file that
// fails leaves the program's state as it was. A process that a failure ends
// does not use that state again: there, data is read to where it belongs, and
// needs no memory twice.
//
//===----------------------------------------------------------------------===//

#include "base/Convert.h"
#include "base/Dtype.h"
#include "base/XXH64.h"
#include "checkpoint/CheckpointFormat.h"
#include "formats/FileFormats.h"
#include "formats/NpyData.h"
#include "formats/SafetensorsFile.h"
#include "program/Context.h"
#include "tdc_text.h"
#include <algorithm>
#include <charconv>
#include <cstring>
#include <memory>

using namespace tdrt;

namespace {

/// A slot and a tensor of the file for it. A slot with several names may have
/// several matches, one after the other.
struct Match {
  int32_t slot, dtype;
  FileTensor tensor;
  std::unique_ptr<char[]> data;
};

/// Lists of keys for one message, each cut after 8 keys.
class KeyReport {
public:
  void add(const char *what, const std::string &key) {
    Group &group = find(what);
    if (++group.count <= 8)
      group.keys += (group.count > 1 ? ", " : "") + tdc::printable(key);
  }
  bool empty() const { return groups.empty(); }
  /// The lists as text, with `before` before each.
  std::string text(const char *before) const {
    std::string all;
    for (const Group &group : groups) {
      all += std::string(before) + group.what + ": " + group.keys;
      if (group.count > 8)
        all += ", and " + std::to_string(group.count - 8) + " more";
    }
    return all;
  }

private:
  struct Group {
    const char *what;
    std::string keys;
    int count;
  };
  Group &find(const char *what) {
    for (Group &group : groups)
      if (group.what == what)
        return group;
    groups.push_back({what, {}, 0});
    return groups.back();
  }
  std::vector<Group> groups;
};

/// The part of a checkpoint that a key belongs to, a number below kNumParts:
/// the last one is that of models.
size_t partOf(const std::string &key) {
  size_t part = 0;
  while (part + 1 < kNumParts &&
         key.compare(0, strlen(kPartPrefixes[part]), kPartPrefixes[part]) != 0)
    ++part;
  return part;
}

/// "fc.weight (f64[3] in the file, f32[3] in the program)".
std::string describe(const FileTensor &tensor, const tdrt_slot &slot) {
  std::string type =
      tensor.dtype < 0
          ? tensor.dtypeText
          : typeText(tensor.dtype, tensor.dims.data(), tensor.dims.size());
  return tensor.key + " (" + type + " in the file, " +
         typeText(slot.dtype, slot.dims, slot.rank) + " in the program)";
}

/// The names of each slot; the first is its key.
std::vector<std::vector<std::string>> namesOf(const tdrt_checkpoint &what) {
  std::vector<std::vector<std::string>> names(what.num_slots);
  for (int32_t i = 0; i < what.num_slots; ++i)
    names[i].push_back(what.keys[i]);
  for (int32_t i = 0; i < what.num_aliases; ++i)
    names[what.aliases[i].slot].push_back(what.aliases[i].key);
  return names;
}

std::vector<Match> matchKeys(const Context &context,
                             const SafetensorsHeader &header,
                             const tdrt_checkpoint &what, KeyReport &skipped) {
  static const char missing[] = "missing", mismatched[] = "mismatched",
                    unexpected[] = "unexpected",
                    rounded[] = "not exact, which `cast=true` allows";
  KeyReport wrong;
  // With `lenient`, missing and unexpected keys go to a note and are no error.
  KeyReport &unmatched = what.lenient ? skipped : wrong;
  std::vector<Match> matches;
  std::vector<const FileTensor *> wanted;
  bool wantsPart[kNumParts] = {};
  wantsPart[kNumParts - 1] = true;
  const std::vector<std::vector<std::string>> names = namesOf(what);
  for (int32_t i = 0; i < what.num_slots; ++i) {
    wantsPart[partOf(names[i].front())] = true;
    const tdrt_slot &slot = getFileSlot(*context.program, what.slots[i]);
    std::vector<const FileTensor *> found;
    for (const std::string &name : names[i]) {
      const FileTensor *tensor = header.find(name);
      // PyTorch's name, if the model was saved as a part of a DataParallel.
      if (!tensor && partOf(name) == kNumParts - 1)
        tensor = header.find("module." + name);
      // Two names can be one tensor, by an alias in the file.
      bool isNew = tensor &&
                   std::find(found.begin(), found.end(), tensor) == found.end();
      if (!isNew)
        continue;
      found.push_back(tensor);
      if (checkTensorType(*tensor, tensor->dtype, slot.rank, slot.dims))
        wrong.add(mismatched, describe(*tensor, slot));
      else if (!what.casts && !isExact(tensor->dtype, slot.dtype))
        wrong.add(rounded, describe(*tensor, slot));
      else
        matches.push_back({what.slots[i], slot.dtype, *tensor, nullptr});
    }
    if (found.empty())
      unmatched.add(missing, names[i].front());
    wanted.insert(wanted.end(), found.begin(), found.end());
  }
  std::sort(wanted.begin(), wanted.end());
  for (const FileTensor &tensor : header.tensors) {
    if (std::binary_search(wanted.begin(), wanted.end(), &tensor))
      continue;
    // A model may be restored alone from a checkpoint that holds its optimizer
    // and a loader, too.
    if (!wantsPart[partOf(tensor.key)])
      continue;
    unmatched.add(unexpected, tensor.key);
  }
  if (!wrong.empty())
    failFile(741, -1, "the keys of the file do not fit" + wrong.text("\n  "));
  return matches;
}

/// Throws TR742 or TR721 if the bytes of a tensor are not those that were
/// saved.
void verify(const FileTensor &tensor, const SafetensorsHeader &header,
            const char *data) {
  // Files of other programs have no checksums.
  const std::string *sum = header.findMetadata(kSumPrefix + tensor.key);
  if (sum && *sum != hexText(xxh64(data, tensor.bytes)))
    failFile(742, tensor.offset,
             "the checkpoint is damaged: the checksum of " +
                 inQuotes(tensor.key) + " does not fit");
  if (tensor.dtype == TDRT_BOOL)
    refuseOddBools(data, tensor.bytes, tensor.offset);
}

/// Reads the data of a match, in the slot's dtype.
void readData(const InputFile &file, const SafetensorsHeader &header,
              Match &match) {
  const FileTensor &tensor = match.tensor;
  match.data.reset(new char[tensor.bytes]);
  file.read(tensor.offset, match.data.get(), tensor.bytes);
  verify(tensor, header, match.data.get());
  if (match.dtype == tensor.dtype)
    return;
  int64_t bytes =
      tensorBytes(match.dtype, tensor.dims.size(), tensor.dims.data());
  std::unique_ptr<char[]> converted(new char[bytes]);
  convert(match.data.get(), tensor.dtype, converted.get(), match.dtype,
          bytes / elementBytes(match.dtype));
  match.data = std::move(converted);
}

/// Throws TR745 if the file has different values for two names of one slot.
void refuseDifferent(const Match &a, const Match &b) {
  if (memcmp(a.data.get(), b.data.get(),
             tensorBytes(a.dtype, a.tensor.dims.size(),
                         a.tensor.dims.data())) != 0)
    failFile(745, b.tensor.offset,
             inQuotes(a.tensor.key) + " and " + inQuotes(b.tensor.key) +
                 " are one parameter of the program, and have different "
                 "values in the file");
}

/// Reads the slots of all matches. `inPlace`: a failure may leave some of them
/// changed.
void readSlots(Context &context, const InputFile &file,
               const SafetensorsHeader &header, std::vector<Match> &matches,
               bool inPlace) {
  for (size_t i = 0, next; i < matches.size(); i = next) {
    Match &match = matches[i];
    const tdrt_slot &slot = context.program->slots[match.slot];
    for (next = i + 1;
         next < matches.size() && matches[next].slot == match.slot; ++next)
      ;
    if (inPlace && next == i + 1 && match.dtype == match.tensor.dtype &&
        !slot.order) {
      char *to = context.state + slot.offset;
      file.read(match.tensor.offset, to, match.tensor.bytes);
      verify(match.tensor, header, to);
      continue;
    }
    readData(file, header, match);
    for (size_t other = i + 1; other < next; ++other) {
      readData(file, header, matches[other]);
      refuseDifferent(match, matches[other]);
      matches[other].data.reset();
    }
    if (!inPlace)
      continue;
    tdrt_slot_write(&context, match.slot, match.data.get());
    match.data.reset();
  }
  if (inPlace)
    return;
  // Nothing can fail any more.
  for (const Match &match : matches)
    if (match.data)
      tdrt_slot_write(&context, match.slot, match.data.get());
}

/// The number at a key of the metadata. Throws TR744 if there is none.
int64_t readCounter(const SafetensorsHeader &header, const char *key) {
  const std::string *text = header.findMetadata(key);
  int64_t value = 0;
  if (text) {
    auto result =
        std::from_chars(text->data(), text->data() + text->size(), value);
    if (result.ec == std::errc() && result.ptr == text->data() + text->size())
      return value;
  }
  failFile(744, -1,
           "it holds weights and is not a checkpoint: `model.load(path)` "
           "reads it");
}

} // namespace

int32_t tdrt_checkpoint_restore(tdrt_context *ctx, const char *path,
                                const tdrt_checkpoint *what, int32_t site) {
  Context &context = Context::of(ctx);
  HostSpan span(context, "load", site);
  return context.guarded(site, [&] {
    aboutFile(path, [&] {
      checkReadable(path, FileContents::State);
      InputFile file(path);
      SafetensorsHeader header = readSafetensors(file);
      checkMetadata(header);
      RandomState random = context.random;
      if (what->full) {
        random.seed = readCounter(header, kSeedKey);
        random.calls = readCounter(header, kRandomKey);
      }
      KeyReport skipped;
      std::vector<Match> matches = matchKeys(context, header, *what, skipped);
      readSlots(context, file, header, matches, context.isProcess);
      context.random = random;
      if (!skipped.empty())
        context.tellNote(inQuotes(path) + " was restored where its keys fit" +
                         skipped.text("; "));
    });
  });
}

int32_t tdrt_restore_value(tdrt_context *ctx, const char *path,
                           const char *name, int32_t type, tdrt_value *value,
                           int32_t site) {
  return Context::of(ctx).guarded(site, [&] {
    aboutFile(path, [&] {
      SafetensorsHeader header;
      if (FileFault fault = inspectSafetensors(path, header))
        throw fault;
      checkMetadata(header);
      static const char *const types[] = {"int", "float", "bool"};
      const std::string *text =
          header.findMetadata(std::string(kValuePrefix) + name);
      tdrt_value read;
      if (!text)
        failFile(743, -1, "it has no value " + inQuotes(name));
      if (!parseValue(*text, type, read))
        failFile(743, -1,
                 "its value " + inQuotes(name) + " is " + inQuotes(*text) +
                     ", not " + types[type]);
      *value = read;
    });
  });
}
