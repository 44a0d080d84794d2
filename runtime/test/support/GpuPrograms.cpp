//===- GpuPrograms.cpp - programs with kernels, written by hand -----------===//

#include "support/GpuPrograms.h"
#include "base/Failure.h"
#include <numeric>
#include <regex>
#include <sys/wait.h>

using namespace tdrt_test;

static const char kPTX[] = R"(
.version 7.0
.target sm_80
.address_size 64

.extern .shared .align 16 .b8 buffer[];

.visible .entry add_one(
    .param .b64 add_one_param_0,
    .param .b64 add_one_param_1,
    .param .b64 add_one_param_2
)
{
    .reg .pred %p<2>;
    .reg .b32 %r<4>;
    .reg .f32 %f<3>;
    .reg .b64 %rd<9>;

    ld.param.u64 %rd1, [add_one_param_0];
    ld.param.u64 %rd2, [add_one_param_1];
    ld.param.u64 %rd3, [add_one_param_2];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mul.wide.u32 %rd4, %r1, %r2;
    cvt.u64.u32 %rd5, %r3;
    add.s64 %rd6, %rd4, %rd5;
    setp.ge.s64 %p1, %rd6, %rd3;
    @%p1 bra $L_done;
    shl.b64 %rd7, %rd6, 2;
    add.s64 %rd8, %rd1, %rd7;
    ld.global.f32 %f1, [%rd8];
    add.rn.f32 %f2, %f1, 0f3F800000;
    add.s64 %rd8, %rd2, %rd7;
    st.global.f32 [%rd8], %f2;
$L_done:
    ret;
}

.visible .entry report_index(
    .param .b64 report_index_param_0,
    .param .b64 report_index_param_1,
    .param .b64 report_index_param_2,
    .param .b64 report_index_param_3
)
{
    .reg .pred %p<2>;
    .reg .b32 %r<3>;
    .reg .b64 %rd<5>;

    ld.param.u64 %rd1, [report_index_param_0];
    ld.param.u64 %rd2, [report_index_param_1];
    ld.param.u64 %rd3, [report_index_param_2];
    ld.param.u64 %rd4, [report_index_param_3];
    atom.global.cas.b32 %r1, [%rd1], 0, 1;
    setp.ne.s32 %p1, %r1, 0;
    @%p1 bra $L_taken;
    cvt.u32.u64 %r2, %rd4;
    st.global.u32 [%rd1+4], %r2;
    st.global.u64 [%rd1+8], %rd2;
    st.global.u64 [%rd1+16], %rd3;
$L_taken:
    ret;
}

.visible .entry write_nowhere()
{
    .reg .b64 %rd<2>;
    .reg .b32 %r<2>;

    mov.u64 %rd1, 0;
    mov.u32 %r1, 7;
    st.global.u32 [%rd1], %r1;
    ret;
}

.visible .entry reverse_shared(
    .param .b64 reverse_shared_param_0,
    .param .b64 reverse_shared_param_1
)
{
    .reg .b32 %r<8>;
    .reg .f32 %f<3>;
    .reg .b64 %rd<7>;

    ld.param.u64 %rd1, [reverse_shared_param_0];
    ld.param.u64 %rd2, [reverse_shared_param_1];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ntid.x;
    mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd4, %rd1, %rd3;
    ld.global.f32 %f1, [%rd4];
    mov.u32 %r3, buffer;
    shl.b32 %r4, %r1, 2;
    add.s32 %r5, %r3, %r4;
    st.shared.f32 [%r5], %f1;
    bar.sync 0;
    sub.s32 %r6, %r2, %r1;
    add.s32 %r6, %r6, -1;
    shl.b32 %r6, %r6, 2;
    add.s32 %r7, %r3, %r6;
    ld.shared.f32 %f2, [%r7];
    add.s64 %rd5, %rd2, %rd3;
    st.global.f32 [%rd5], %f2;
    ret;
}
)";

const tdrt_site tdrt_test::gpuSites[10] = {
    {"gpu.tdsl", 1, 0, nullptr, nullptr},
    {"gpu.tdsl", 2, 0, nullptr, nullptr},
    {"gpu.tdsl", 3, 0, nullptr, nullptr},
    {"gpu.tdsl", 4, 0, nullptr, nullptr},
    {"gpu.tdsl", 5, 0, nullptr, nullptr},
    {"gpu.tdsl", 6, 0, nullptr, nullptr},
    {"gpu.tdsl", 7, 0, nullptr, nullptr},
    {"gpu.tdsl", 8, 0, nullptr, nullptr},
    {"gpu.tdsl", 9, 0, nullptr, nullptr},
    {"gpu.tdsl", 10, 0, nullptr, nullptr}};

GpuProgram::GpuProgram(int32_t gpus)
    : arenaBytes(gpus, 4096), images{{TDRT_IMAGE_PTX, 80, sizeof kPTX, kPTX}},
      kernels{{"add_one", 32, 0, 3, 0},
              {"report_index", 32, 0, 4, 1},
              {"write_nowhere", 32, 0, 0, 0},
              {"reverse_shared", 32, 64 << 10, 2, 0}} {
  for (int32_t from = 0; from <= gpus; ++from)
    for (int32_t to = 0; to <= gpus; ++to)
      transfers.push_back({from, from, to, 0, "x"});
  for (int32_t to = 0; to <= gpus; ++to)
    transfers.push_back({9, TDRT_ANY_DEVICE, to, 1, "handle"});
  gpu.backend = tdrt_cuda_backend;
  gpu.num_devices = gpus;
  gpu.num_images = static_cast<int32_t>(images.size());
  gpu.num_kernels = static_cast<int32_t>(kernels.size());
  gpu.num_transfers = static_cast<int32_t>(transfers.size());
  gpu.arena_bytes = arenaBytes.data();
  gpu.images = images.data();
  gpu.kernels = kernels.data();
  gpu.transfers = transfers.data();
  program.num_sites = 10;
  program.sites = gpuSites;
  program.cuda_devices = gpus;
  program.gpu = &gpu;
}

void GpuProgram::setSequence(std::vector<int32_t> launched,
                             std::vector<int32_t> at) {
  sequenceKernels = std::move(launched);
  sequenceSites = std::move(at);
  auto count = static_cast<int32_t>(sequenceKernels.size());
  int32_t words = count;
  for (int32_t kernel : sequenceKernels)
    words += kernels[kernel].num_parameters;
  sequence = {1, count, words, 0, sequenceKernels.data(), sequenceSites.data()};
  gpu.num_sequences = 1;
  gpu.sequences = &sequence;
}

std::map<std::string, int>
tdrt_test::countCalls(int gpus, const std::function<void()> &body) {
  TemporaryFolder folder;
  std::string file = folder / "stats.json";
  checkWithGpus(gpus, {{"TDC_SIM_STATS", file}}, body);
  std::string text = readFile(file);
  std::map<std::string, int> calls;
  std::regex entry("\"(cu[A-Za-z0-9_]+)\": ([0-9]+)");
  for (std::sregex_iterator it(text.begin(), text.end(), entry), end; it != end;
       ++it)
    calls[(*it)[1]] = std::stoi((*it)[2]);
  return calls;
}

std::vector<float> tdrt_test::counting(int64_t n, float first) {
  std::vector<float> values(n);
  std::iota(values.begin(), values.end(), first);
  return values;
}

void *tdrt_test::allocate(tdrt_context *ctx, int32_t device, int64_t floats) {
  void *data = nullptr;
  EXPECT_EQ(tdrt_alloc_tensor(ctx, device, TDRT_F32, 1, &floats, 0, &data), 0)
      << tdrt_error_text(ctx);
  return data;
}

std::vector<float> tdrt_test::floatsOf(tdrt_context *ctx, GpuProgram &gpus,
                                       int32_t device, const void *from,
                                       int64_t n) {
  std::vector<float> values(n);
  EXPECT_EQ(
      tdrt_transfer(ctx, gpus.transfer(device, 0), values.data(), from, n * 4),
      0)
      << tdrt_error_text(ctx);
  return values;
}

int32_t tdrt_test::addOne(tdrt_context *ctx, int32_t device, const void *x,
                          void *y, int64_t n, int32_t site) {
  const uint64_t parameters[] = {word(x), word(y), static_cast<uint64_t>(n)};
  return tdrt_launch(ctx, device, AddOne, (n + 31) / 32, parameters, site);
}

int32_t tdrt_test::reportIndex(tdrt_context *ctx, int32_t device, int64_t index,
                               int64_t size, int32_t site) {
  const uint64_t parameters[] = {
      word(ctx->devices[device - 1].record), static_cast<uint64_t>(index),
      static_cast<uint64_t>(size), static_cast<uint64_t>(site)};
  return tdrt_launch(ctx, device, ReportIndex, 2, parameters, 0);
}

/// The failures of the running test so far. A child starts with those of its
/// parent.
static int countFailures() {
  const testing::UnitTest &all = *testing::UnitTest::GetInstance();
  return all.current_test_info()->result()->total_part_count();
}

Outcome tdrt_test::runWithGpus(int gpus, const Environment &environment,
                               const std::function<void()> &body) {
  TemporaryFolder folder;
  pid_t child = fork();
  if (child == 0) {
    for (auto [fd, name] : {std::pair(1, "out"), std::pair(2, "err")})
      dup2(open((folder / name).c_str(), O_WRONLY | O_CREAT, 0600), fd);
    alarm(60); // a child must not outlive a test program that is stopped
    setenv("TDC_SIM_CUDA", std::to_string(gpus).c_str(), 1);
    setenv("TDC_SIM_CUDA_LIBRARY", TDRT_SIM_LIBRARY, 1);
    setenv("TDC_SIM_SEED", "1", 0);
    for (auto &[name, value] : environment)
      value.empty() ? unsetenv(name.c_str())
                    : setenv(name.c_str(), value.c_str(), 1);
    int before = countFailures();
    try {
      body();
    } catch (const tdrt::Failure &failure) {
      ADD_FAILURE() << "TR" << failure.code << ": " << failure.message;
    }
    fflush(stdout);
    _exit(countFailures() > before ? 99 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status),
          readFile(folder / "out"), readFile(folder / "err")};
}

void tdrt_test::expectSuccess(const Outcome &outcome) {
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
}

void tdrt_test::checkWithGpus(int gpus, const Environment &environment,
                              const std::function<void()> &body) {
  expectSuccess(runWithGpus(gpus, environment, body));
}

void tdrt_test::expectFault(int gpus, const std::function<void()> &body) {
  for (const char *seed : {"1", "2", "3", "4", "5"})
    EXPECT_NE(runWithGpus(gpus, {{"TDC_SIM_SEED", seed}}, body).code, 0)
        << "seed " << seed;
}
