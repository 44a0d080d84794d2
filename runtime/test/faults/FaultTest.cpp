//===- FaultTest.cpp - every allocation and every system call fails -------===//
//
// Each scenario is run with its first, second, ... allocation or system call
// failing, once and from then on, until it runs through. A failure must be
// returned as a code, with a message that names the file and the place. The
// saved file is as it was before or as it would be, with no other file next to
// it. The same work succeeds at once when nothing fails any more. Nothing may
// leak: AddressSanitizer checks memory, this test counts open files.
//
//===----------------------------------------------------------------------===//

#include "support/Failpoints.h"
#include "support/Files.h"
#include "support/TestProgram.h"
#include <array>
#include <cstring>
#include <dirent.h>
#include <functional>
#include <map>
#include <memory>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/wait.h>

using namespace tdrt_test;

namespace {

const std::string data = TDRT_TEST_DATA "/";

const int64_t dims[] = {2, 3};
const int32_t order[] = {1, 0};
const tdrt_slot slots[] = {{"a long name of a weight",
                            "a long name of a weight", TDRT_SLOT_PARAM,
                            TDRT_F32, 2, 0, dims, order, 0, 0}};
const int32_t indexes[] = {0};
const char *const keys[] = {"a long name of a weight"};
const char *const names[] = {"a long name of a number"};
const int32_t types[] = {TDRT_FLOAT};
const tdrt_checkpoint what = {1, 1, indexes, keys, names,  types,
                              1, 0, 0,       0,    nullptr};
const tdrt_arg args[] = {{"epochs", "5", "training epochs", TDRT_INT, 0}};
const tdrt_site sites[] = {{"faults.tdsl", 3, 1, nullptr, nullptr}};
const int64_t rows[] = {2000};
const tdrt_port outputs[] = {{"y", TDRT_F32, 1, rows}};
const tdrt_export exports[] = {
    {"f", 0, 1, nullptr, outputs,
     [](tdrt_context *ctx, const tdrt_tensor *, tdrt_tensor *out) -> int32_t {
       *out = {nullptr, TDRT_F32, 1, rows};
       int32_t status =
           tdrt_alloc_tensor(ctx, 0, TDRT_F32, 1, rows, 0, &out->data);
       if (status == 0)
         memset(out->data, 0, 4 * rows[0]);
       return status;
     },
     0, 0, nullptr}};

using Contents = std::map<std::string, std::string>;

/// The names and contents of the files of a folder.
Contents contentsOf(const std::string &folder) {
  Contents contents;
  DIR *dir = opendir(folder.c_str());
  while (dirent *entry = readdir(dir))
    if (entry->d_type == DT_REG)
      contents[entry->d_name] = readFile(folder + "/" + entry->d_name);
  closedir(dir);
  return contents;
}

int countOpenFiles() {
  int count = 0;
  DIR *dir = opendir("/proc/self/fd");
  while (readdir(dir))
    ++count;
  closedir(dir);
  return count;
}

struct Scenario {
  const char *name;
  /// The work that meets the failures; returns a status.
  std::function<int32_t(tdrt_context *)> act;
  /// The contents of the folder before the work.
  Contents files = {};
};

class FaultTest : public testing::Test {
protected:
  FaultTest() {
    program.num_slots = 1;
    program.slots = slots;
    program.arena_bytes = 64;
    program.num_args = 1;
    program.args = args;
    program.num_sites = 1;
    program.sites = sites;
    program.num_exports = 1;
    program.exports = exports;
  }

  std::vector<Scenario> scenarios();
  void addLoads(std::vector<Scenario> &all);
  void addPrograms(std::vector<Scenario> &all);
  void addSaves(std::vector<Scenario> &all);
  void addCheckpoints(std::vector<Scenario> &all);
  void restoreFiles(const Contents &files);
  void check(const Scenario &scenario, const Failpoint &failpoint,
             const Contents &finished, tdrt_context *ctx, int32_t status);
  int64_t failEach(const Scenario &scenario, Failpoint failpoint);

  // The functions below must not allocate by themselves.

  using Sizes = std::array<int64_t, 3>;

  /// Loads a file and frees its data.
  static int32_t load(tdrt_context *ctx, const std::string &path,
                      const char *key, int32_t dtype, int32_t rank,
                      Sizes sizes) {
    void *values = nullptr;
    int32_t status = tdrt_load(ctx, path.c_str(), key, dtype, rank,
                               sizes.data(), &values, 0);
    EXPECT_EQ(values != nullptr, status == 0);
    tdrt_free(ctx, 0, values);
    return status;
  }

  int32_t saveTensor(tdrt_context *ctx, const std::string &to) {
    static float values[100000];
    const int64_t size = 100000;
    tdrt_tensor tensor = {values, TDRT_F32, 1, &size};
    return tdrt_save_tensor(ctx, to.c_str(), &tensor, 0);
  }

  int32_t saveCheckpoint(tdrt_context *ctx) {
    memset(ctx->arena, 1, 24);
    tdrt_value value;
    value.f = 0.1;
    return tdrt_checkpoint_save(ctx, path.c_str(), &what, &value, 0);
  }

  tdrt_program program = emptyProgram();
  TemporaryFolder folder;
  std::string path = folder / "a long name of a file.safetensors";
  std::string outOption = "y=" + (folder / "a long name of a result.npy");

  /// Writes a file that is large enough to be mapped as a view, most of it a
  /// hole.
  void writeView() {
    std::string header =
        "{'descr': '<f4', 'fortran_order': False, 'shape': (65536, 256), }";
    header += std::string(117 - header.size(), ' ') + "\n";
    writeFile(view, npy(header));
    ASSERT_EQ(truncate(view.c_str(), 128 + TDRT_MAP_FROM), 0);
  }

  TemporaryFolder elsewhere;
  std::string view = elsewhere / "view.npy";
};

void FaultTest::addLoads(std::vector<Scenario> &all) {
  auto loads = [](const char *name, const char *key, int32_t dtype,
                  int32_t rank, Sizes sizes) {
    return Scenario{name, [=, path = data + name](tdrt_context *ctx) {
                      return load(ctx, path, key, dtype, rank, sizes);
                    }};
  };
  writeView();
  for (const Scenario &one :
       {loads("f4.npy", nullptr, TDRT_F32, 2, {-1, 3}),
        loads("columns.npy", nullptr, TDRT_I32, 3, {-1, 3, 4}),
        loads("some.safetensors", "b.weight", TDRT_I64, 1, {-1}),
        loads("stored.npz", "a", TDRT_F32, 2, {-1, 3}),
        loads("deflated.npz", "columns", TDRT_I32, 3, {-1, 3, 4}),
        loads("quoted.csv", nullptr, TDRT_F32, 2, {-1, 2}),
        loads("f8-idx2-ubyte", nullptr, TDRT_F64, 2, {-1, 3}),
        loads("u1.idx2.gz", nullptr, TDRT_U8, 2, {-1, 3}),
        loads("rgb.png", nullptr, TDRT_U8, 3, {-1, -1, 3}),
        loads("rgb16-interlaced.png", nullptr, TDRT_I32, 3, {-1, -1, 3}),
        loads("subsampled.jpg", nullptr, TDRT_U8, 3, {-1, -1, 3}),
        loads("progressive.jpg", nullptr, TDRT_U8, 3, {-1, -1, 3})})
    all.push_back(one);
  all.push_back({"a view of a file", [&](tdrt_context *ctx) {
                   return load(ctx, view, nullptr, TDRT_F32, 2, {-1, 256});
                 }});
}

void FaultTest::addPrograms(std::vector<Scenario> &all) {
  all.push_back({"start", [&](tdrt_context *) {
                   const char *argv[] = {"a program", "--epochs", "7"};
                   tdrt_context *ctx = nullptr;
                   int32_t status = tdrt_open(&program, 3, argv, &ctx);
                   tdrt_close(ctx);
                   return status;
                 }});
  all.push_back({"a whole program", [&](tdrt_context *) {
                   tdrt_program own = program;
                   own.main = [](tdrt_context *ctx) -> int32_t {
                     tdrt_out_text(ctx, "hello\n", 6);
                     return tdrt_out_end(ctx, 1, -1);
                   };
                   const char *argv[] = {"a program"};
                   return tdrt_run_program(&own, 1, argv);
                 }});
  all.push_back({"a call from a command line", [&](tdrt_context *) {
                   const char *argv[] = {"a program", "--fn", "f", "--out",
                                         outOption.c_str()};
                   return tdrt_run_exports(&program, 5, argv, tdrt_load);
                 }});
  all.push_back({"print", [](tdrt_context *ctx) {
                   tdrt_out_i64(ctx, 12345, nullptr);
                   static const char much[500] = {};
                   tdrt_out_text(ctx, much, sizeof much);
                   return tdrt_out_end(ctx, 1, -1);
                 }});
  all.push_back({"text", [](tdrt_context *ctx) {
                   float values[] = {1, 2.5, 3, 4, 5, 6};
                   tdrt_tensor tensor = {values, TDRT_F32, 2, dims};
                   int64_t mark = tdrt_str_mark(ctx);
                   tdrt_str_begin(ctx);
                   tdrt_out_f64(ctx, 12345.678, nullptr);
                   tdrt_out_tensor(ctx, &tensor);
                   const char *text;
                   int32_t status = tdrt_str_end(ctx, &text);
                   EXPECT_EQ(strlen(text) > 20, status == 0) << text;
                   tdrt_str_release(ctx, mark);
                   return status;
                 }});
  all.push_back({"call", [](tdrt_context *ctx) {
                   tdrt_tensor out;
                   int32_t status = tdrt_call(ctx, 0, nullptr, &out);
                   if (status == 0)
                     tdrt_free(ctx, 0, out.data);
                   return status;
                 }});
  all.push_back(
      {"epoch of a loader", [](tdrt_context *ctx) {
         const int64_t n = 1000;
         void *images = nullptr, *order = nullptr, *batch = nullptr;
         int32_t status = 0;
         for (void **block : {&images, &order, &batch})
           if (status == 0)
             status = tdrt_alloc_tensor(ctx, 0, TDRT_I64, 1, &n, 0, block);
         if (status == 0)
           tdrt_random_permutation_i64(static_cast<int64_t *>(order), n, 1, 2);
         for (void *block : {images, order, batch})
           tdrt_free(ctx, 0, block);
         return status;
       }});
}

void FaultTest::addSaves(std::vector<Scenario> &all) {
  auto saves = [&](const char *name, Contents files = {}) {
    return Scenario{name,
                    [this, to = folder / name](tdrt_context *ctx) {
                      return saveTensor(ctx, to);
                    },
                    std::move(files)};
  };
  all.push_back(saves("x.npy"));
  all.push_back(saves("x.npy", {{"x.npy", "old"}}));
  all.push_back(saves("x.npz"));
  // /dev/null is standard output here, so one of the scenarios appends to it.
  for (const char *device : {"/dev/zero", "/dev/null"})
    all.push_back({device, [this, device](tdrt_context *ctx) {
                     return saveTensor(ctx, device);
                   }});
}

void FaultTest::addCheckpoints(std::vector<Scenario> &all) {
  std::string checkpoint, older;
  {
    Opened ctx(program);
    tdrt_value value;
    value.f = 7;
    tdrt_checkpoint_save(ctx, path.c_str(), &what, &value, 0);
    older = readFile(path);
    saveCheckpoint(ctx);
    checkpoint = readFile(path);
    unlink(path.c_str());
  }
  const char *file = "a long name of a file.safetensors";
  all.push_back({"first checkpoint",
                 [&](tdrt_context *ctx) { return saveCheckpoint(ctx); }});
  all.push_back({"checkpoint over another",
                 [&](tdrt_context *ctx) { return saveCheckpoint(ctx); },
                 {{file, older}}});
  all.push_back(
      {"restore",
       [&](tdrt_context *ctx) {
         char before[24];
         memset(before, 9, sizeof before);
         memcpy(ctx->arena, before, sizeof before);
         int32_t status = tdrt_checkpoint_restore(ctx, path.c_str(), &what, 0);
         EXPECT_EQ(memcmp(ctx->arena, before, sizeof before) == 0, status != 0);
         return status;
       },
       {{file, checkpoint}}});
  all.push_back({"restore a number",
                 [&](tdrt_context *ctx) {
                   tdrt_value value;
                   return tdrt_restore_value(ctx, path.c_str(), names[0],
                                             TDRT_FLOAT, &value, 0);
                 },
                 {{file, checkpoint}}});
}

std::vector<Scenario> FaultTest::scenarios() {
  std::vector<Scenario> all;
  addLoads(all);
  addPrograms(all);
  addSaves(all);
  addCheckpoints(all);
  return all;
}

void FaultTest::restoreFiles(const Contents &files) {
  for (const auto &[name, text] : contentsOf(folder.path))
    unlink((folder / name).c_str());
  for (const auto &[name, text] : files)
    writeFile(folder / name, text);
}

void FaultTest::check(const Scenario &scenario, const Failpoint &failpoint,
                      const Contents &finished, tdrt_context *ctx,
                      int32_t status) {
  std::string told = tdrt_error_text(ctx);
  bool ofMemory = failpoint.calls == Calls::Allocations;
  // 3 is the exit code of a program that has reported its error itself.
  EXPECT_TRUE(status == 0 || status == 3 ||
              (ofMemory ? status == 201 : status >= 702 && status <= 753))
      << status << told;
  if (status > 3 && !told.empty()) {
    EXPECT_NE(told.find("error[TR" + std::to_string(status)), std::string::npos)
        << told;
  }
  for (const auto &[name, text] : contentsOf(folder.path)) {
    auto before = scenario.files.find(name), after = finished.find(name);
    bool isOld = before != scenario.files.end() && before->second == text;
    bool isNew = after != finished.end() && after->second == text;
    EXPECT_TRUE(isOld || isNew) << name << " is torn";
    EXPECT_TRUE(isNew || status != 0) << name << " was not saved";
  }
  EXPECT_EQ(tdrt_bytes_in_use(ctx), 64) << "of the arena";
}

/// Discards the output of programs while it lives.
class Silence {
public:
  Silence() {
    int nowhere = open("/dev/null", O_WRONLY);
    for (int stream : {1, 2}) {
      fflush(nullptr);
      kept[stream - 1] = dup(stream);
      dup2(nowhere, stream);
    }
    close(nowhere);
  }
  ~Silence() {
    for (int stream : {1, 2}) {
      dup2(kept[stream - 1], stream);
      close(kept[stream - 1]);
    }
  }

private:
  int kept[2];
};

/// Runs the scenario with its program's output hidden; the output of checks is
/// shown.
static int32_t actQuietly(const Scenario &scenario, tdrt_context *ctx,
                          const Failpoint *failpoint = nullptr,
                          int64_t *failures = nullptr) {
  Silence silence;
  if (failpoint)
    arm(*failpoint);
  int32_t status = scenario.act(ctx);
  if (failpoint)
    *failures = disarm();
  return status;
}

/// Returns the number of calls that can fail.
int64_t FaultTest::failEach(const Scenario &scenario, Failpoint failpoint) {
  restoreFiles(scenario.files);
  {
    Opened ctx(program);
    EXPECT_EQ(actQuietly(scenario, ctx), 0) << ctx.error();
  }
  Contents finished = contentsOf(folder.path);
  int open = countOpenFiles();
  for (int64_t k = 0;; ++k) {
    SCOPED_TRACE(std::string(scenario.name) + ", call " + std::to_string(k) +
                 (failpoint.lasting ? " and later" : "") + ", error " +
                 std::to_string(failpoint.error));
    restoreFiles(scenario.files);
    Opened ctx(program);
    failpoint.succeeding = k;
    int64_t failures = 0;
    int32_t status = actQuietly(scenario, ctx, &failpoint, &failures);
    if (failures == 0) {
      EXPECT_EQ(status, 0);
      return k;
    }
    check(scenario, failpoint, finished, ctx, status);
    EXPECT_EQ(actQuietly(scenario, ctx), 0) << "the next call";
    EXPECT_EQ(contentsOf(folder.path), finished);
    EXPECT_EQ(countOpenFiles(), open);
    if (HasFailure())
      return k;
  }
}

TEST_F(FaultTest, EveryAllocation) {
  for (const Scenario &scenario : scenarios())
    for (bool lasting : {false, true})
      failEach(scenario, {Calls::Allocations, 0, lasting});
}

TEST_F(FaultTest, EverySystemCall) {
  const std::pair<bool, int> kinds[] = {
      {false, EIO}, {false, ENOSPC}, {false, EACCES}, {true, EIO}};
  for (const Scenario &scenario : scenarios())
    for (auto [lasting, error] : kinds)
      failEach(scenario, {Calls::System, 0, lasting, error});
}

TEST_F(FaultTest, InterruptedCallsGoOn) {
  for (const Scenario &scenario : scenarios()) {
    restoreFiles(scenario.files);
    Opened ctx(program);
    ASSERT_EQ(actQuietly(scenario, ctx), 0);
    Contents finished = contentsOf(folder.path);
    // Pieces of 1009 bytes, one after another.
    restoreFiles(scenario.files);
    int32_t status;
    {
      Silence silence;
      Interrupted interrupted(1009);
      status = scenario.act(ctx);
    }
    EXPECT_EQ(status, 0) << scenario.name << ": " << ctx.error();
    EXPECT_EQ(contentsOf(folder.path), finished) << scenario.name;
  }
}

TEST_F(FaultTest, FailuresNameTheFileAndThePlace) {
  Opened ctx(program);
  arm({Calls::System, 2, false, EIO});
  int32_t status = load(ctx, data + "f4.npy", nullptr, TDRT_F32, 2, {-1, 3});
  disarm();
  EXPECT_EQ(status, 704);
  EXPECT_EQ(ctx.error(), "error[TR704]: `" + data +
                             "f4.npy`: byte 0: cannot be read: Input/output "
                             "error\n  --> faults.tdsl:3:1\n");
  // One of the last calls of a save syncs the new name to the disk.
  std::string unsynced;
  for (int64_t before = 0; before != 64 && status != 753; ++before) {
    Opened saver(program);
    arm({Calls::System, before, false, EIO});
    status = saveTensor(saver, folder / "saved.npy");
    disarm();
    unsynced = saver.error();
  }
  EXPECT_EQ(unsynced, "error[TR753]: `" + (folder / "saved.npy") +
                          "`: is written, but its folder cannot be brought to "
                          "the disk: Input/output error\n"
                          "  --> faults.tdsl:3:1\n");
  Opened other(program);
  const int64_t n = 1000000;
  void *block = nullptr;
  arm({Calls::Allocations, 0, true});
  status = tdrt_alloc_tensor(other, 0, TDRT_F32, 1, &n, 0, &block);
  disarm();
  EXPECT_EQ(status, 201);
  EXPECT_EQ(block, nullptr);
  // With no memory left for a message, the error has only the code and the
  // place.
  EXPECT_EQ(other.error(), "error[TR201]: out of memory\n"
                           "  --> faults.tdsl:3:1\n");
  Opened third(program);
  arm({Calls::Allocations, 0, false});
  tdrt_alloc_tensor(third, 0, TDRT_F32, 1, &n, 0, &block);
  disarm();
  tdrt_free(third, 0, block);
}

TEST_F(FaultTest, Refusals) {
  // The message may be lost for lack of memory, but not the failure itself.
  std::string broken = folder / "a long name of a broken file.npy";
  writeFile(broken, "\x93NUMPY and nothing of use");
  int32_t status = 0;
  for (int64_t k = 0; k < 40; ++k) {
    Opened ctx(program);
    int64_t size = -1;
    void *values = nullptr;
    arm({Calls::Allocations, k});
    status =
        tdrt_load(ctx, broken.c_str(), nullptr, TDRT_F32, 1, &size, &values, 0);
    const char *text = tdrt_error_text(ctx);
    disarm();
    EXPECT_TRUE(status == 201 || status == 712) << status;
    EXPECT_NE(strstr(text, "error[TR"), nullptr);
  }
  EXPECT_EQ(status, 712) << "with all the memory that it wants";
}

/// Runs `body` in a child process; returns its exit code.
int inChild(const std::function<int()> &body) {
  pid_t child = fork();
  if (child == 0)
    _exit(body());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/// Shares a task that needs scratch; whether all of it was done.
bool sharesWork() {
  constexpr int64_t kBytes = 4096;
  alignas(64) static char scratch[kBytes];
  int64_t sums[1000] = {};
  tdrt_parallel_for(
      [](void *to, int64_t begin, int64_t end, void *scratch) {
        memset(scratch, 1, kBytes);
        for (int64_t i = begin; i < end; ++i)
          static_cast<int64_t *>(to)[i] = i;
      },
      sums, 1000, TDRT_LEAST_SHARED_WORK, scratch, kBytes);
  for (int64_t i = 0; i < 1000; ++i)
    if (sums[i] != i)
      return false;
  return true;
}

TEST_F(FaultTest, WithoutThreadsTheWorkIsDone) {
  for (Calls calls : {Calls::System, Calls::Allocations})
    for (bool lasting : {false, true})
      for (int64_t k = 0; k < 8; ++k)
        EXPECT_EQ(inChild([&] {
                    tdrt_set_num_threads(4);
                    arm({calls, k, lasting, EAGAIN});
                    bool isDone = sharesWork();
                    disarm();
                    return isDone && sharesWork() ? 0 : 1;
                  }),
                  0)
            << k;
}

// A bad page outside of the views is handled by the program itself.
TEST_F(FaultTest, OtherPagesThatCannotBeBrought) {
  writeView();
  std::string other = elsewhere / "other";
  writeFile(other, "short");
  // As without the view: ends by the signal, or as the sanitizers handle it.
  auto readBehindTheEnd = [&] {
    int fd = open(other.c_str(), O_RDONLY);
    auto *page = static_cast<volatile const char *>(
        mmap(nullptr, 8192, PROT_READ, MAP_PRIVATE, fd, 0));
    return int(page[4096]);
  };
  int expected = inChild(readBehindTheEnd);
  EXPECT_NE(expected, 0);
  EXPECT_EQ(inChild([&] {
              Opened ctx(program);
              int64_t sizes[] = {-1, 256};
              void *values = nullptr;
              tdrt_load(ctx, view.c_str(), nullptr, TDRT_F32, 2, sizes, &values,
                        0);
              return readBehindTheEnd();
            }),
            expected);
}

// There are at most 64 views; further files are read instead.
TEST_F(FaultTest, MoreFilesThanViews) {
  writeView();
  Opened ctx(program);
  std::vector<void *> loaded;
  for (int i = 0; i < 66; ++i) {
    Sizes sizes = {-1, 256};
    loaded.push_back(nullptr);
    ASSERT_EQ(tdrt_load(ctx, view.c_str(), nullptr, TDRT_F32, 2, sizes.data(),
                        &loaded.back(), 0),
              0);
  }
  for (void *values : loaded) {
    EXPECT_EQ(static_cast<float *>(values)[1 << 20], 0);
    tdrt_free(ctx, 0, values);
  }
  EXPECT_EQ(tdrt_bytes_in_use(ctx), 64);
}

/// Creates a file that fills the rest of a disk.
void fill(const std::string &path) {
  int fd = open(path.c_str(), O_WRONLY | O_CREAT, 0600);
  char block[512] = {};
  while (write(fd, block, sizeof block) > 0)
    ;
  close(fd);
}

TEST_F(FaultTest, FullDisk) {
  // A disk of 64 KB, where this process may mount one.
  if (unshare(CLONE_NEWNS) != 0 ||
      mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      mount("none", folder.path.c_str(), "tmpfs", 0, "size=64k") != 0)
    GTEST_SKIP() << "no disk can be made";
  Opened ctx(program);
  EXPECT_EQ(saveCheckpoint(ctx), 0);
  std::string before = readFile(path);
  // 400 KB.
  EXPECT_EQ(saveTensor(ctx, folder / "x.npy"), 751);
  EXPECT_NE(ctx.error().find("No space left on device"), std::string::npos);
  fill(folder / "filler");
  tdrt_context *changed = ctx;
  memset(changed->state, 1, 4);
  EXPECT_EQ(saveCheckpoint(ctx), 751);
  EXPECT_NE(ctx.error().find("No space left on device"), std::string::npos);
  EXPECT_EQ(readFile(path), before);
  EXPECT_EQ(contentsOf(folder.path).size(), 2u);
  umount(folder.path.c_str());
}

TEST_F(FaultTest, ReadOnlyFolder) {
  mkdir((folder / "box").c_str(), 0700);
  writeFile(folder / "box/x.npy", "old");
  chmod(folder.path.c_str(), 0711);
  chmod((folder / "box").c_str(), 0555);
  // Root can write to every folder.
  EXPECT_EQ(inChild([&] {
              if (geteuid() == 0 && seteuid(65534) != 0)
                return 1;
              Opened ctx(program);
              return saveTensor(ctx, folder / "box/x.npy") == 751 &&
                             ctx.error().find("Permission denied") !=
                                 std::string::npos
                         ? 0
                         : 2;
            }),
            0);
  EXPECT_EQ(readFile(folder / "box/x.npy"), "old");
  EXPECT_EQ(contentsOf(folder / "box").size(), 1u);
  chmod((folder / "box").c_str(), 0700);
}

} // namespace
