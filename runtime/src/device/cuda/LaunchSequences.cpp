//===- LaunchSequences.cpp - launches that repeat, as CUDA graphs ---------===//

#include "device/cuda/LaunchSequences.h"
#include <algorithm>

using namespace tdrt;

/// Making a graph costs about as much as it saves in this many launches.
static constexpr int kLaunchesBefore = 4;
/// Graphs per sequence at most: words that keep changing are not worth more.
static constexpr size_t kMaxGraphs = 8;

static bool areEqual(const std::vector<uint64_t> &known, const uint64_t *words,
                     size_t size) {
  return std::equal(known.begin(), known.end(), words, words + size);
}

bool LaunchSequences::launch(int32_t index, const uint64_t *words,
                             const tdrt_site *site) {
  const tdrt_gpu_program &program = device.program;
  if (sequences.empty())
    sequences.resize(program.num_sequences);
  auto &[graphs, counted] = sequences[index];
  const tdrt_sequence &row = program.sequences[index];
  auto graph = std::find_if(graphs.begin(), graphs.end(), [&](auto &one) {
    return areEqual(one.first, words, row.num_words);
  });
  if (graph == graphs.end()) {
    if (graphs.size() == kMaxGraphs || !areLaunchable(row, words))
      return false;
    Counted &one = count(counted, words, row.num_words);
    if (one.launches < kLaunchesBefore) {
      ++one.launches;
      return false;
    }
    graphs.emplace_back(one.words, record(row, words));
    graph = graphs.end() - 1;
  }
  int32_t last = row.kernels[row.num_launches - 1];
  device.context.noteLaunch(program.kernels[last].name, site);
  graph->second->launch();
  return true;
}

/// The count of these words. If there is none, a count of 0 replaces the one
/// that was not used for longer.
LaunchSequences::Counted &LaunchSequences::count(Counted (&counted)[2],
                                                 const uint64_t *words,
                                                 size_t size) {
  auto &[first, second] = counted;
  if (areEqual(first.words, words, size))
    return first;
  std::swap(first, second);
  if (!areEqual(first.words, words, size))
    first = {{words, words + size}};
  return first;
}

template <class Visit>
void LaunchSequences::visitLaunches(const tdrt_sequence &row,
                                    const uint64_t *words, Visit visit) const {
  for (int32_t i = 0; i < row.num_launches; ++i) {
    visit(row.kernels[i], *words, words + 1);
    words += 1 + device.program.kernels[row.kernels[i]].num_parameters;
  }
}

bool LaunchSequences::areLaunchable(const tdrt_sequence &row,
                                    const uint64_t *words) const {
  bool fits = true;
  visitLaunches(row, words, [&](int32_t, uint64_t blocks, const uint64_t *) {
    fits &= blocks <= INT32_MAX;
  });
  return fits;
}

std::unique_ptr<CudaGraph> LaunchSequences::record(const tdrt_sequence &row,
                                                   const uint64_t *words) {
  auto graph = std::make_unique<CudaGraph>(device);
  graph->begin();
  visitLaunches(
      row, words,
      [&](int32_t kernel, uint64_t blocks, const uint64_t *parameters) {
        if (blocks > 0)
          device.launch(kernel, static_cast<unsigned>(blocks), parameters,
                        nullptr);
      });
  graph->end();
  return graph;
}
