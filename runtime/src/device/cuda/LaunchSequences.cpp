//===- LaunchSequences.cpp - launches that come again as they were --------===//

#include "device/cuda/LaunchSequences.h"
#include <algorithm>

using namespace tdrt;

/// To make a graph costs about as much as it then saves in so many turns.
static constexpr int kLaunchesBefore = 4;
/// Words that change again and again are not worth any more graphs.
static constexpr int kMaxGraphs = 8;

bool LaunchSequences::launch(int32_t index, const uint64_t *words,
                             const tdrt_site *site) {
  const tdrt_gpu_program &program = device.program;
  if (sequences.empty())
    sequences.resize(program.num_sequences);
  Sequence &sequence = sequences[index];
  const tdrt_sequence &row = program.sequences[index];
  Recording &recording = find(sequence, words, row.num_words);
  if (!recording.graph) {
    if (sequence.graphs == kMaxGraphs)
      return false;
    if (recording.launches < kLaunchesBefore) {
      ++recording.launches;
      return false;
    }
    ++sequence.graphs;
    record(row, recording);
  }
  int32_t last = row.kernels[row.num_launches - 1];
  device.context.noteLaunch(program.kernels[last].name, site);
  recording.graph->launch();
  return true;
}

/// The recording with these words, in place of the one that was not used for
/// longer if there is none.
LaunchSequences::Recording &
LaunchSequences::find(Sequence &sequence, const uint64_t *words, size_t count) {
  auto &[first, second] = sequence.recordings;
  auto isIt = [&](const Recording &recording) {
    return std::equal(recording.words.begin(), recording.words.end(), words,
                      words + count);
  };
  if (isIt(first))
    return first;
  std::swap(first, second);
  if (!isIt(first)) {
    first = {};
    first.words.assign(words, words + count);
  }
  return first;
}

void LaunchSequences::record(const tdrt_sequence &row, Recording &recording) {
  auto graph = std::make_unique<CudaGraph>(device);
  graph->begin();
  const uint64_t *words = recording.words.data();
  for (int32_t i = 0; i < row.num_launches; ++i) {
    auto blocks = static_cast<unsigned>(*words++);
    if (blocks > 0)
      device.launch(row.kernels[i], blocks, words, nullptr);
    words += device.program.kernels[row.kernels[i]].num_parameters;
  }
  graph->end();
  recording.graph = std::move(graph);
}
