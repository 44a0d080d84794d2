//===- RaceTest.cpp - accesses that nothing orders ------------------------===//

#include "TestDevice.h"

namespace tdc::sim {

namespace {

constexpr Dim3 kOne{1, 1, 1};
constexpr uint64_t kSeeds = 16;

/// Two warps: warp 0 executes `first`, warp 1 `second`. The word that they
/// share is [%rd2], in shared memory.
std::string runWarps(const std::string &first, const std::string &second,
                     uint64_t seed) {
  TestDevice device(seed);
  device.load(kernelOf(
      1, ".shared .align 16 .b8 tile[64];\nmov.u64 %rd2, tile;\n"
         "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %warpid;\n"
         "setp.ne.u32 %p1, %r1, 0;\n@!%p1 st.shared.b32 [%rd2], 0;\n"
         "bar.sync 7;\nand.b32 %r3, %r1, 31;\nsetp.eq.u32 %p2, %r3, 0;\n"
         "setp.eq.u32 %p3, %r2, 0;\n@!%p3 bra SECOND;\n" +
             first + "\nbra.uni END;\nSECOND:\n" + second + "\nEND:"));
  return device.faultOf("k", kOne, Dim3{64, 1, 1}, 0u,
                        device.upload(std::vector<int>(64, 1)));
}

const std::string kRead = "@%p2 ld.shared.b32 %r5, [%rd2];\n";
const std::string kWrite = "@%p2 st.shared.b32 [%rd2], 1;\n";
const std::string kUpdate = "@%p2 red.shared.add.u32 [%rd2], 1;\n";

TEST(Race, SharedMemoryInAnyOrder) {
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    EXPECT_HAS(runWarps(kWrite, kWrite, seed), "a race: written by warp");
    EXPECT_HAS(runWarps(kWrite, kRead, seed), "a race: ");
    EXPECT_HAS(runWarps(kRead, kWrite, seed), "a race: ");
    EXPECT_HAS(runWarps(kUpdate, kRead, seed), "a race: ");
    EXPECT_HAS(runWarps(kUpdate, kWrite, seed), "a race: ");
    EXPECT_EQ(runWarps(kRead, kRead, seed), "");
    EXPECT_EQ(runWarps(kUpdate, kUpdate, seed), "");
  }
}

TEST(Race, BarriersOrder) {
  const std::string barrier = "bar.sync 0;\n";
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    EXPECT_EQ(runWarps(kWrite + barrier, barrier + kRead, seed), "");
    EXPECT_EQ(runWarps(kRead + barrier, barrier + kWrite, seed), "");
    EXPECT_EQ(runWarps(kUpdate + barrier, barrier + kWrite, seed), "");
    // But not accesses after the barrier.
    EXPECT_HAS(runWarps(barrier + kWrite, barrier + kRead, seed), "a race");
    // A warp that arrives does not wait: only its earlier accesses are ordered.
    EXPECT_EQ(runWarps(kWrite + "bar.arrive 2, 64;",
                       "bar.sync 2, 64;\n" + kRead, seed),
              "");
    EXPECT_HAS(runWarps("bar.arrive 2, 64;\n" + kWrite,
                        "bar.sync 2, 64;\n" + kRead, seed),
               "a race");
  }
}

/// Runs `body` in the lanes of one warp, in shared or global memory: %r2 and
/// %rd2 are the address of the lane's word, %r4 and %rd4 of its neighbour's.
std::string runLanes(std::string body, const std::string &space,
                     uint64_t seed) {
  TestDevice device(seed);
  auto replace = [&](const std::string &what, const std::string &by) {
    for (size_t at; (at = body.find(what)) != std::string::npos;)
      body.replace(at, what.size(), by);
  };
  bool isShared = space == "shared";
  replace("SPACE", space);
  replace("[mine", isShared ? "[%r2" : "[%rd2");
  replace("[next", isShared ? "[%r4" : "[%rd4");
  replace("[first", isShared ? "[tile" : "[%rd0");
  device.load(
      kernelOf(1, ".shared .align 16 .b8 tile[512];\nmov.u32 %r1, %tid.x;\n"
                  "mov.u32 %r3, tile;\nmad.lo.u32 %r2, %r1, 4, %r3;\n"
                  "mul.wide.u32 %rd1, %r1, 4;\nadd.u64 %rd2, %rd0, %rd1;\n"
                  "add.u32 %r5, %r1, 1;\nand.b32 %r5, %r5, 31;\n"
                  "mad.lo.u32 %r4, %r5, 4, %r3;\nmul.wide.u32 %rd1, %r5, 4;\n"
                  "add.u64 %rd4, %rd0, %rd1;\nsetp.eq.u32 %p1, %r1, 7;\n"
                  "st.shared.b32 [%r2], 1;\nbar.sync 0;\n" +
                      body));
  return device.faultOf("k", kOne, Dim3{32, 1, 1}, 0u,
                        device.upload(std::vector<int>(64, 1)));
}

TEST(Race, LanesOfAWarp) {
  const std::string barrier = "bar.warp.sync 0xffffffff;\n";
  const std::string readMine = "ld.SPACE.b32 %r6, [mine];\n";
  const std::string readNext = "ld.SPACE.b32 %r6, [next];\n";
  const std::string readFirst = "ld.SPACE.b32 %r6, [first];\n";
  const std::string writeMine = "st.SPACE.b32 [mine], 2;\n";
  const std::string writeNext = "st.SPACE.b32 [next], 3;\n";
  const std::string writeOne = "@%p1 st.SPACE.b32 [first], 3;\n";
  const std::string updateNext = "red.SPACE.add.u32 [next], 3;\n";
  const std::string updateFirst = "red.SPACE.add.u32 [first], 3;\n";
  const std::string writeSame = "st.SPACE.b32 [first], 3;\n";
  for (const std::string space : {"shared", "global"})
    for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
      SCOPED_TRACE(space);
      for (const auto &[one, other] :
           {std::pair(writeMine, readNext), std::pair(readNext, writeMine),
            std::pair(writeMine, writeNext), std::pair(writeNext, writeMine),
            std::pair(readFirst, writeOne), std::pair(writeOne, readFirst),
            std::pair(updateNext, readMine), std::pair(readMine, updateNext),
            std::pair(updateFirst, readFirst),
            std::pair(updateNext, writeMine)}) {
        SCOPED_TRACE(one + other);
        EXPECT_HAS(runLanes(one + other, space, seed), "a race: ");
        EXPECT_HAS(runLanes(one + other, space, seed),
                   " of the same warp, with no barrier between");
        EXPECT_EQ(runLanes(one + barrier + other, space, seed), "");
        EXPECT_EQ(runLanes(one + "bar.sync 0;\n" + other, space, seed), "");
      }
      for (const std::string &fine :
           {readMine + writeMine + readMine, readFirst + readNext + readMine,
            writeNext + "ld.SPACE.b32 %r6, [next];\n" + writeNext,
            updateNext + updateFirst + updateNext,
            writeOne + "@%p1 ld.SPACE.b32 %r6, [first];\n"})
        EXPECT_EQ(runLanes(fine, space, seed), "");
      // If several lanes write one word at once, the value that stays is
      // undefined.
      EXPECT_HAS(runLanes(writeSame, space, seed), "a race: written by lane");
    }
}

/// A random program of a few accesses of shared memory, each with its own map
/// from threads to places, and barriers between some of them.
class RandomAccesses {
public:
  RandomAccesses(uint64_t seed) : random(seed), warps(1 + random() % 2) {
    for (unsigned i = 0; i < 2 + random() % 4; ++i) {
      Step step;
      step.kind = Kind(random() % 3);
      step.bytes = step.kind == Kind::Update ? 4 : 1u << random() % 3;
      step.factor = random() % 4;
      step.offset = random() % 64;
      step.skipped = random() % 2 ? random() % 64 : 0;
      step.barrier = Barrier(random() % 3);
      steps.push_back(step);
    }
  }

  std::string getFault(uint64_t seed) const {
    TestDevice device(seed);
    device.load(kernelOf(0, getText()));
    return device.faultOf("k", kOne, Dim3{warps * 32, 1, 1}, 0u);
  }

  /// The definition: two accesses of different threads race if one of them
  /// writes, not both are atomic, and no barrier of both is between them.
  bool hasRace() const {
    const unsigned threads = warps * 32;
    for (size_t i = 0; i < steps.size(); ++i)
      for (size_t j = i; j < steps.size(); ++j)
        for (unsigned one = 0; one < threads; ++one)
          for (unsigned other = 0; other < threads; ++other)
            if (one != other && isActive(i, one) && isActive(j, other) &&
                doConflict(i, one, j, other) &&
                !areOrdered(i, j, one / 32 == other / 32))
              return true;
    return false;
  }

  std::string getText() const {
    std::string text = ".shared .align 16 .b8 tile[1024];\n"
                       "mov.u32 %r1, %tid.x;\nmov.u32 %r3, tile;\n"
                       "shl.b32 %r2, %r1, 2;\nadd.u32 %r4, %r2, %r3;\n"
                       "mov.u32 %r5, 0;\n";
    for (unsigned part = 0; part < 1024; part += warps * 128)
      text += "st.shared.b32 [%r4+" + std::to_string(part) + "], 1;\n";
    text += "bar.sync 0;\n";
    for (const Step &step : steps) {
      text += "mad.lo.u32 %r2, %r1, " + std::to_string(step.factor) + ", " +
              std::to_string(step.offset) + ";\nand.b32 %r2, %r2, 63;\n" +
              "mad.lo.u32 %r2, %r2, " + std::to_string(step.bytes) +
              ", %r3;\nand.b32 %r4, %r1, " + std::to_string(step.skipped) +
              ";\nsetp.eq.u32 %p1, %r4, 0;\n@%p1 ";
      const std::string bits = std::to_string(step.bytes * 8);
      const std::string value = step.bytes == 4 ? "%r5" : "%h1";
      if (step.kind == Kind::Read)
        text += "ld.shared.b" + bits + " " + value + ", [%r2];\n";
      else if (step.kind == Kind::Write)
        text += "st.shared.b" + bits + " [%r2], " + value + ";\n";
      else
        text += "red.shared.add.u32 [%r2], 1;\n";
      text += step.barrier == Barrier::Block  ? "bar.sync 0;\n"
              : step.barrier == Barrier::Warp ? "bar.warp.sync 0xffffffff;\n"
                                              : "";
    }
    return text;
  }

private:
  enum class Kind : uint8_t { Read, Write, Update };
  enum class Barrier : uint8_t { None, Warp, Block };
  struct Step {
    Kind kind;
    unsigned bytes, factor, offset;
    unsigned skipped; ///< threads with one of these bits do nothing
    Barrier barrier;  ///< follows the access
  };

  bool isActive(size_t step, unsigned thread) const {
    return !(thread & steps[step].skipped);
  }
  unsigned getPlace(size_t step, unsigned thread) const {
    const Step &of = steps[step];
    return ((thread * of.factor + of.offset) & 63) * of.bytes;
  }
  bool doConflict(size_t i, unsigned one, size_t j, unsigned other) const {
    unsigned a = getPlace(i, one), b = getPlace(j, other);
    Kind first = steps[i].kind, second = steps[j].kind;
    return a < b + steps[j].bytes && b < a + steps[i].bytes &&
           (first != Kind::Read || second != Kind::Read) &&
           (first != Kind::Update || second != Kind::Update);
  }
  bool areOrdered(size_t i, size_t j, bool isOneWarp) const {
    for (size_t step = i; step < j; ++step)
      if (steps[step].barrier == Barrier::Block ||
          (isOneWarp && steps[step].barrier == Barrier::Warp))
        return true;
    return false;
  }

  std::mt19937_64 random;
  unsigned warps;
  std::vector<Step> steps;
};

/// No false alarms; and few of the races are missed.
TEST(Race, RandomAccessesOfThreads) {
  unsigned races = 0, found = 0;
  for (uint64_t seed = 1; seed <= 2000; ++seed) {
    RandomAccesses program(seed);
    std::string fault = program.getFault(seed);
    if (program.hasRace()) {
      ++races;
      found += fault.find("a race: ") != std::string::npos;
    } else {
      EXPECT_EQ(fault, "") << program.getText();
    }
  }
  EXPECT_GT(races, 500u);
  EXPECT_LT(races, 1500u);
  EXPECT_GE(found, races * 0.95);
  RecordProperty("races", int(races));
  RecordProperty("found", int(found));
}

/// A copy is available to other lanes after a barrier that follows its wait.
TEST(Race, LanesAndCopies) {
  const std::string copy = "mov.u32 %r2, tile;\nmov.u32 %r4, tile;\n"
                           "mad.lo.u32 %r2, %r1, 16, %r2;\n"
                           "mad.lo.u32 %r4, %r5, 16, %r4;\n"
                           "cp.async.cg.shared.global [%r2], [%rd0], 16;\n"
                           "cp.async.wait_all;\n";
  const std::string readMine = "ld.shared.b32 %r6, [%r2];\n";
  const std::string readNext = "ld.shared.b32 %r6, [%r4];\n";
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    EXPECT_EQ(runLanes(copy + readMine, "shared", seed), "");
    EXPECT_HAS(runLanes(copy + readNext, "shared", seed), "a race: ");
    EXPECT_EQ(runLanes(copy + "bar.warp.sync 0xffffffff;\n" + readNext,
                       "shared", seed),
              "");
  }
}

/// ldmatrix gives a lane words of rows that other lanes address.
TEST(Race, LanesAndMatrices) {
  const std::string address = "mov.u32 %r3, tile;\n"
                              "mad.lo.u32 %r2, %r1, 16, %r3;\n";
  const std::string write = "st.shared.v4.b32 [%r2], {1, 1, 1, 1};\n";
  const std::string load =
      "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r6, %r7, %r8, %r9}, [%r2];\n";
  const std::string barrier = "bar.warp.sync 0xffffffff;\n";
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    EXPECT_HAS(runLanes(address + barrier + write + load, "shared", seed),
               "a race: written by lane");
    EXPECT_HAS(runLanes(address + barrier + write + barrier + load + write,
                        "shared", seed),
               "a race: read by several lanes");
    EXPECT_EQ(
        runLanes(address + barrier + write + barrier + load + barrier + write,
                 "shared", seed),
        "");
  }
}

/// Lanes may write different bytes of one word.
TEST(Race, BytesOfLanes) {
  const std::string address = "mov.u32 %r3, tile;\nadd.u32 %r2, %r1, %r3;\n"
                              "add.u32 %r4, %r5, %r3;\n";
  const std::string write = "st.shared.b8 [%r2], 1;\n";
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    EXPECT_EQ(runLanes(address + write + write + "ld.shared.b8 %h1, [%r2];",
                       "shared", seed),
              "");
    EXPECT_HAS(
        runLanes(address + write + "ld.shared.b8 %h1, [%r4];", "shared", seed),
        "a race: written by lane");
    EXPECT_HAS(runLanes(address + write + "ld.shared.b32 %r6, [tile];",
                        "shared", seed),
               "a race: written by lane");
  }
}

/// Bytes of one word are different locations.
TEST(Race, BytesOfAWord) {
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    EXPECT_EQ(runWarps("@%p2 st.shared.b16 [%rd2], 1;",
                       "@%p2 st.shared.b16 [%rd2+2], 1;", seed),
              "");
    EXPECT_HAS(runWarps("@%p2 st.shared.b16 [%rd2], 1;",
                        "@%p2 st.shared.b8 [%rd2+1], 1;", seed),
               "a race");
  }
}

/// A barrier of two warps does not order a third.
TEST(Race, NamedBarriersOrderTheirWarps) {
  const std::string text = kernelOf(0, R"(
      .shared .align 4 .b8 word[4];
      mov.u32 %r1, %tid.x;
      mov.u32 %r2, %warpid;
      and.b32 %r3, %r1, 31;
      setp.eq.u32 %p2, %r3, 0;
      setp.eq.u32 %p3, %r2, 2;
      @%p3 bra THIRD;
      setp.eq.u32 %p4, %r2, 0;
      and.pred %p5, %p2, %p4;
      @%p5 st.shared.b32 [word], 1;
      bar.sync 1, 64;
      not.pred %p4, %p4;
      and.pred %p5, %p2, %p4;
      @%p5 st.shared.b32 [word], 2;
      bar.sync 0;
      bra.uni END;
    THIRD:
      BEFORE
      bar.sync 0;
      @%p2 ld.shared.b32 %r4, [word];
    END:)");
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    for (bool races : {false, true}) {
      std::string variant = text;
      variant.replace(variant.find("BEFORE"), 6,
                      races ? "@%p2 st.shared.b32 [word], 3;" : "");
      TestDevice device(seed);
      device.load(variant);
      std::string fault = device.faultOf("k", kOne, Dim3{96, 1, 1}, 0u);
      EXPECT_EQ(fault.empty(), !races) << fault;
    }
  }
}

/// In global memory accesses of blocks are compared, too: nothing orders them.
TEST(Race, GlobalMemory) {
  auto run = [](const std::string &body, Dim3 grid, Dim3 block, uint64_t seed) {
    TestDevice device(seed);
    device.load(kernelOf(1, "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %warpid;\n"
                            "mov.u32 %r3, %tid.x;\n"
                            "mul.wide.u32 %rd1, %r3, 4;\n"
                            "add.u64 %rd2, %rd0, %rd1;\n"
                            "setp.eq.u32 %p1, %r1, 0;\n" +
                                body));
    return device.faultOf("k", grid, block, 0u,
                          device.upload(std::vector<int>(64, 1)));
  };
  Dim3 two{2, 1, 1}, warp{32, 1, 1}, pair{64, 1, 1};
  const std::string write = "st.global.b32 [%rd0], 1;\n";
  const std::string read = "ld.global.b32 %r5, [%rd0];\n";
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    EXPECT_EQ(run(read, two, pair, seed), "");
    EXPECT_EQ(run("red.global.add.u32 [%rd0], 1;", two, pair, seed), "");
    EXPECT_HAS(run("st.global.b32 [%rd2], 1;", two, warp, seed),
               "of the same launch, and nothing orders the two blocks");
    EXPECT_HAS(run("@%p1 " + write + "@!%p1 " + read, two, warp, seed),
               "a race: ");
    EXPECT_HAS(run("and.b32 %r4, %r3, 31;\nmul.wide.u32 %rd3, %r4, 4;\n"
                   "add.u64 %rd3, %rd0, %rd3;\nst.global.b32 [%rd3], 1;",
                   kOne, pair, seed),
               "of the same block");
    EXPECT_EQ(run("st.global.b32 [%rd2], 1;\nbar.sync 0;\nxor.b32 %r4, %r3, 32;"
                  "\nmul.wide.u32 %rd3, %r4, 4;\nadd.u64 %rd3, %rd0, %rd3;\n"
                  "ld.global.b32 %r5, [%rd3];",
                  kOne, pair, seed),
              "");
    EXPECT_HAS(run("st.global.b32 [%rd2], 1;\nxor.b32 %r4, %r3, 32;"
                   "\nmul.wide.u32 %rd3, %r4, 4;\nadd.u64 %rd3, %rd0, %rd3;\n"
                   "ld.global.b32 %r5, [%rd3];",
                   kOne, pair, seed),
               "a race: ");
  }
}

/// Launches are ordered.
TEST(Race, NotBetweenLaunches) {
  TestDevice device;
  device.load(kernelOf(1, "st.global.b32 [%rd0], 1;"));
  uint64_t address = device.allocate(4);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(device.faultOf("k", kOne, kOne, 0u, address), "");
}

/// So many barriers that segments are renumbered.
TEST(Race, AfterVeryManyBarriers) {
  TestDevice device;
  device.load(kernelOf(1, R"(
      .shared .align 4 .b8 tile[256];
      mov.u32 %r1, %tid.x;
      mul.wide.u32 %rd1, %r1, 4;
      mov.u64 %rd2, tile;
      add.u64 %rd3, %rd2, %rd1;
      xor.b32 %r2, %r1, 32;
      mul.wide.u32 %rd4, %r2, 4;
      add.u64 %rd4, %rd2, %rd4;
      mov.u32 %r3, 0;
    LOOP:
      bar.sync 0;
      add.u32 %r3, %r3, 1;
      setp.lt.u32 %p1, %r3, 1200;
      @%p1 bra LOOP;
      st.shared.u32 [%rd3], %r1;
      bar.sync 0;
      ld.shared.u32 %r4, [%rd4];)"));
  // 3,600 blocks of 1,201 barriers are more than 2^22 segments.
  EXPECT_EQ(device.faultOf("k", Dim3{3600, 1, 1}, Dim3{64, 1, 1}, 0u,
                           device.allocate(4)),
            "");
}

} // namespace
} // namespace tdc::sim
