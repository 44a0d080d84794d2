//===- CrashStatesTest.cpp - states of the disk after a power failure -----===//
//
// The steps of a save are recorded. After each step every state is built that a
// disk may have if the power fails there. The disk keeps no order but the one
// that fsync enforces: a write since a file's last fsync may be present, be
// zeros, be cut off anywhere, or be missing; and each name may be old or new,
// independently, until its folder is synced. From each of these states a
// restore must give the state before the save or the state after it; once the
// save has returned, only the latter. Writers that do less must fail in the
// same way, or the test shows nothing.
//
// Alagappan and others call this ALICE (OSDI 2014).
//
//===----------------------------------------------------------------------===//

#include "support/Failpoints.h"
#include "support/TestProgram.h"
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>

using namespace tdrt_test;

namespace {

/// File names and contents.
using Files = std::map<std::string, std::string>;

/// A disk: its certain contents, and the changes since.
class Disk {
public:
  /// `files` were there before, safely on the disk.
  explicit Disk(const Files &files) {
    for (const auto &[name, text] : files) {
      names[name] = nodes.size();
      nodes.push_back({text, {}, text});
    }
    sureNames = names;
  }

  void apply(const Step &step) {
    switch (step.kind) {
    case Step::Create:
      if (names.count(step.path))
        return;
      changes.push_back({step.path, int(nodes.size()), ""});
      names[step.path] = nodes.size();
      nodes.push_back({});
      return;
    case Step::Truncate:
      if (node(step.path).text.empty())
        return;
      node(step.path).text.clear();
      node(step.path).pending.push_back({true, ""});
      return;
    case Step::Write:
      node(step.path).text += step.text;
      node(step.path).pending.push_back({false, step.text});
      return;
    case Step::Sync:
      node(step.path).sure = node(step.path).text;
      node(step.path).pending.clear();
      return;
    case Step::SyncFolder:
      sureNames = names;
      changes.clear();
      return;
    case Step::Rename:
      changes.push_back({step.text, names[step.path], step.path});
      names[step.text] = names[step.path];
      names.erase(step.path);
      return;
    }
  }

  /// All states that may remain after a power failure now.
  std::set<Files> crashes() const {
    std::set<Files> all;
    // Each change of a name is present or not, independently of the others.
    for (unsigned mask = 0; mask < 1u << changes.size(); ++mask) {
      std::map<std::string, int> present = sureNames;
      for (size_t i = 0; i < changes.size(); ++i)
        if (mask >> i & 1) {
          if (!changes[i].from.empty())
            present.erase(changes[i].from);
          present[changes[i].name] = changes[i].node;
        }
      addContents(all, present);
    }
    return all;
  }

private:
  struct Change {
    bool truncates;
    std::string text;
  };
  struct Node {
    std::string sure;            ///< contents that are on the disk for certain
    std::vector<Change> pending; ///< changes since then
    std::string text;            ///< contents as programs see them
  };
  struct NameChange {
    std::string name;
    int node;
    std::string from; ///< the previous name, if any
  };

  Node &node(const std::string &name) { return nodes[names.at(name)]; }

  /// Possible contents of a file: its changes up to any one, the last of them
  /// whole, half or as zeros; or all changes but one.
  static std::set<std::string> contents(const Node &node) {
    std::set<std::string> all = {node.sure};
    std::string text = node.sure;
    for (const Change &change : node.pending) {
      if (change.truncates) {
        text.clear();
      } else {
        size_t half = change.text.size() / 2;
        all.insert(text + change.text.substr(0, half));
        all.insert(text + change.text.substr(0, half) +
                   std::string(change.text.size() - half, '\0'));
        all.insert(text + std::string(change.text.size(), '\0'));
        text += change.text;
      }
      all.insert(text);
    }
    for (size_t lost = 0; lost < node.pending.size(); ++lost) {
      std::string hole = node.sure;
      for (size_t i = 0; i < node.pending.size(); ++i)
        if (node.pending[i].truncates && i != lost)
          hole.clear();
        else if (!node.pending[i].truncates)
          hole += i == lost ? std::string(node.pending[i].text.size(), '\0')
                            : node.pending[i].text;
      all.insert(hole);
    }
    return all;
  }

  void addContents(std::set<Files> &all,
                   const std::map<std::string, int> &present) const {
    std::vector<Files> built = {{}};
    for (const auto &[name, node] : present) {
      std::vector<Files> more;
      for (const std::string &text : contents(nodes[node]))
        for (Files files : built) {
          files[name] = text;
          more.push_back(std::move(files));
        }
      built = std::move(more);
    }
    all.insert(built.begin(), built.end());
  }

  std::vector<Node> nodes;
  std::map<std::string, int> names, sureNames;
  std::vector<NameChange> changes;
};

/// Saves states in which all numbers are equal, and checks the restored state.
class CrashStatesTest : public testing::Test {
protected:
  void setElements(int64_t n) {
    elements = n;
    slot = {"state", "state",   TDRT_SLOT_PARAM, TDRT_I64, 1,
            0,       &elements, nullptr,         0,        0};
    program.num_slots = 1;
    program.slots = &slot;
    program.arena_bytes = n * 8;
  }

  void fill(tdrt_context *ctx, int64_t state) const {
    auto *numbers = reinterpret_cast<int64_t *>(ctx->arena);
    std::fill(numbers, numbers + elements, state);
  }

  int32_t save(int64_t state) {
    Opened ctx(program);
    fill(ctx, state);
    tdrt_value step;
    step.i = state;
    return tdrt_checkpoint_save(ctx, path.c_str(), &what, &step, -1);
  }

  /// A writer that does not sync; it renames (`renames`) or overwrites in
  /// place.
  void saveUnsynced(int64_t state, bool renames) {
    save(state);
    std::string text = readFile(path);
    save(state - 1);
    std::string target = renames ? path + ".new" : path;
    Recording recording;
    int fd = open(target.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    for (size_t at = 0; at < text.size(); at += 4096)
      ASSERT_GT(
          write(fd, text.data() + at, std::min<size_t>(4096, text.size() - at)),
          0);
    close(fd);
    if (renames)
      ASSERT_EQ(rename(target.c_str(), path.c_str()), 0);
    steps = recording.steps;
  }

  /// The state in the file; 0 if there is no file, -1 if it is invalid.
  int64_t restored() {
    if (!tdrt_exists(path.c_str()))
      return 0;
    Opened ctx(program);
    fill(ctx, -5);
    tdrt_value step;
    if (tdrt_checkpoint_restore(ctx, path.c_str(), &what, -1) != 0 ||
        tdrt_restore_value(ctx, path.c_str(), "step", TDRT_INT, &step, -1) != 0)
      return -1;
    auto *numbers = reinterpret_cast<int64_t *>(ctx->arena);
    bool equal = std::all_of(numbers, numbers + elements,
                             [&](int64_t n) { return n == step.i; });
    return equal ? step.i : -1;
  }

  Files read() const {
    Files files;
    for (const auto &entry : std::filesystem::directory_iterator(folder.path))
      files[entry.path()] = readFile(entry.path());
    return files;
  }

  void place(const Files &files) {
    for (const auto &[name, text] : read())
      unlink(name.c_str());
    for (const auto &[name, text] : files)
      writeFile(name, text);
  }

  /// Goes through the crashes after each of `steps`; `isFine` judges the
  /// restored state and the number of steps done. Returns the number of crash
  /// states, and counts those that are not fine in `broken`.
  int replay(const Files &before,
             const std::function<bool(int64_t, size_t)> &isFine) {
    Disk disk(before);
    std::set<Files> seen;
    int states = 0;
    for (size_t done = 0; done <= steps.size(); ++done) {
      if (done > 0)
        disk.apply(steps[done - 1]);
      for (const Files &files : disk.crashes()) {
        ++states;
        place(files);
        broken += !isFine(restored(), done);
      }
    }
    return states;
  }

  /// Checks `count` saves, one after the other, from state `first` on.
  void checkSaves(int64_t first, int count, int atLeast) {
    Files before = read();
    std::vector<size_t> ends; // steps after which a save has returned
    {
      Recording recording;
      for (int i = 0; i < count; ++i) {
        ASSERT_EQ(save(first + i), 0);
        ends.push_back(recording.steps.size());
      }
      steps = recording.steps;
    }
    int states = replay(before, [&](int64_t state, size_t done) {
      auto finished = std::upper_bound(ends.begin(), ends.end(), done);
      int64_t old = first - 1 + (finished - ends.begin());
      return state == old || (finished != ends.end() && state == old + 1);
    });
    EXPECT_EQ(broken, 0) << "of " << states;
    EXPECT_GE(states, atLeast);
    RecordProperty("states", states);
    // After any crash the next save works.
    EXPECT_EQ(save(99), 0);
    EXPECT_EQ(restored(), 99);
  }

  int64_t elements = 0;
  tdrt_slot slot;
  const int32_t indexes[1] = {0}, types[1] = {TDRT_INT};
  const char *const keys[1] = {"state"}, *const names[1] = {"step"};
  const tdrt_checkpoint what = {1, 1, indexes, keys, names,  types,
                                1, 0, 0,       0,    nullptr};
  tdrt_program program = emptyProgram();
  TemporaryFolder folder;
  std::string path = folder / "state.safetensors";
  std::vector<Step> steps;
  int broken = 0;
};

TEST_F(CrashStatesTest, FirstSave) {
  setElements(100);
  checkSaves(1, 1, 10);
}

TEST_F(CrashStatesTest, Overwrite) {
  setElements(100);
  ASSERT_EQ(save(1), 0);
  checkSaves(2, 1, 10);
}

TEST_F(CrashStatesTest, TwoSaves) {
  setElements(100);
  ASSERT_EQ(save(1), 0);
  checkSaves(2, 2, 20);
}

TEST_F(CrashStatesTest, LargeFile) {
  // Several writes: the buffer, and data larger than it.
  setElements(100000);
  ASSERT_EQ(save(1), 0);
  checkSaves(2, 2, 20);
}

TEST_F(CrashStatesTest, ALeftoverOfACrashStays) {
  setElements(100);
  ASSERT_EQ(save(1), 0);
  writeFile(folder / ".tdc-tmp-0123456789abcdef", std::string(9999, 'x'));
  checkSaves(2, 1, 10);
}

TEST_F(CrashStatesTest, WritersThatDoNotSyncFail) {
  setElements(1000);
  for (bool renames : {false, true}) {
    place({});
    ASSERT_EQ(save(1), 0);
    Files before = read();
    broken = 0;
    saveUnsynced(2, renames);
    place(before);
    int states = replay(
        before, [](int64_t state, size_t) { return state == 1 || state == 2; });
    EXPECT_GT(broken, states / 10) << renames;
  }
}

} // namespace
