//===- Forms.cpp - the opcodes that can be executed -----------------------===//

#include "ptx/Forms.h"
#include <algorithm>
#include <iterator>
#include <string_view>

namespace tdc::sim {

const FormTable &FormTable::get() {
  static const FormTable table = [] {
    FormTable table;
    addAsyncCopyForms(table);
    addAtomicForms(table);
    addCompareForms(table);
    addControlForms(table);
    addConvertForms(table);
    addFloatForms(table);
    addHalfForms(table);
    addIntegerForms(table);
    addLoadStoreForms(table);
    addMatrixForms(table);
    addMoveForms(table);
    addWarpForms(table);
    return table;
  }();
  return table;
}

void FormTable::add(const std::string &opcode, Form form) {
  forms[opcode].push_back(std::move(form));
}

void FormTable::add(std::initializer_list<std::string_view> parts, Form form) {
  std::string opcode;
  for (std::string_view part : parts)
    opcode += part;
  add(opcode, std::move(form));
}

const std::vector<Form> *FormTable::find(const std::string &opcode) const {
  auto found = forms.find(opcode);
  return found == forms.end() ? nullptr : &found->second;
}

namespace {

/// Qualifiers for caching and ordering of memory accesses (PTX ISA 9.7.9 "Data
/// Movement" and 8 "Memory Consistency Model").
constexpr std::string_view kAccessQualifiers[] = {"weak",
                                                  "volatile",
                                                  "relaxed",
                                                  "acquire",
                                                  "release",
                                                  "acq_rel",
                                                  "cta",
                                                  "cluster",
                                                  "gpu",
                                                  "sys",
                                                  "ca",
                                                  "cg",
                                                  "cs",
                                                  "lu",
                                                  "cv",
                                                  "wb",
                                                  "wt",
                                                  "nc",
                                                  "L2::64B",
                                                  "L2::128B",
                                                  "L2::256B",
                                                  "L1::no_allocate",
                                                  "L1::evict_normal",
                                                  "L1::evict_unchanged",
                                                  "L1::evict_first",
                                                  "L1::evict_last"};

bool isAccessQualifier(std::string_view part) {
  return std::find(std::begin(kAccessQualifiers), std::end(kAccessQualifiers),
                   part) != std::end(kAccessQualifiers);
}

bool isAccessOpcode(std::string_view base) {
  return base == "ld" || base == "ldu" || base == "st" || base == "atom" ||
         base == "red";
}

} // namespace

std::string simplifyOpcode(const std::string &opcode) {
  std::string simple;
  bool isAccess = false;
  for (size_t begin = 0; begin <= opcode.size();) {
    size_t end = std::min(opcode.find('.', begin), opcode.size());
    std::string_view part = std::string_view(opcode).substr(begin, end - begin);
    if (begin == 0)
      isAccess = isAccessOpcode(part);
    if (part == "shared::cta")
      part = "shared";
    // ld.nc must not read what the kernel writes; the check for races enforces
    // that.
    bool isHint =
        isAccess ? isAccessQualifier(part) : part.substr(0, 4) == "L2::";
    if (begin == 0 || !isHint)
      simple.append(simple.empty() ? "" : ".").append(part);
    begin = end + 1;
  }
  return simple == "ldu" || simple.rfind("ldu.", 0) == 0
             ? "ld" + simple.substr(3)
             : simple;
}

} // namespace tdc::sim
