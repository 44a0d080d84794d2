//===- Capture.cpp - stream capture: recording work instead of running it -===//
//
// CUDA Driver API, Stream Management (cuStreamBeginCapture and the functions
// after it); CUDA C++ Programming Guide, "Creating a Graph Using Stream
// Capture".
//
//===----------------------------------------------------------------------===//

#include "driver/Machine.h"
#include <algorithm>

using namespace tdc::sim;

namespace {

/// Whether all nodes precede or are in the frontier: no fork was left unjoined.
bool isJoined(const Graph &graph, const std::vector<unsigned> &frontier) {
  std::vector<bool> isBefore(graph.nodes.size());
  for (unsigned node : frontier)
    isBefore[node] = true;
  for (size_t node = graph.nodes.size(); node-- > 0;) {
    if (!isBefore[node])
      return false;
    for (unsigned earlier : graph.nodes[node].after)
      isBefore[earlier] = true;
  }
  return true;
}

void merge(std::vector<unsigned> &frontier,
           const std::vector<unsigned> &others) {
  for (unsigned node : others)
    if (std::find(frontier.begin(), frontier.end(), node) == frontier.end())
      frontier.push_back(node);
}

void checkValid(const Capture &capture) {
  if (!capture.isValid)
    fault(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
          "the capture was invalidated by an earlier call");
}

} // namespace

void Machine::invalidate(Capture &capture, CUresult code,
                         const std::string &message) {
  capture.isValid = false;
  fault(code, message);
}

void Machine::addNode(Stream &stream, Task task) {
  Capture &capture = *stream.capture;
  checkValid(capture);
  auto number = static_cast<unsigned>(capture.graph.nodes.size());
  capture.graph.nodes.push_back(
      {std::move(task), stream.device, std::move(stream.frontier)});
  stream.frontier = {number};
}

void Machine::beginCapture(Stream &stream, CUstreamCaptureMode mode) {
  if (stream.isDefault())
    fault(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
          "the default stream cannot be captured");
  if (stream.capture)
    fault(CUDA_ERROR_ILLEGAL_STATE, stream.describe() + " captures already");
  auto capture = std::make_shared<Capture>();
  capture->mode = mode;
  capture->thread = std::this_thread::get_id();
  capture->origin = &stream;
  capture->graph.device = stream.device;
  stream.capture = capture;
  stream.frontier.clear();
  captures.push_back(std::move(capture));
}

CUgraph Machine::endCapture(Stream &stream) {
  std::shared_ptr<Capture> capture = stream.capture;
  if (!capture)
    fault(CUDA_ERROR_ILLEGAL_STATE, stream.describe() + " does not capture");
  if (capture->origin != &stream)
    fault(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED,
          "the capture did not begin in " + stream.describe());
  if (capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED &&
      capture->thread != std::this_thread::get_id())
    fault(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD,
          "the capture was begun by another thread");

  std::vector<unsigned> frontier = stream.frontier;
  closeCapture(*capture);
  checkValid(*capture);
  if (!isJoined(capture->graph, frontier))
    fault(CUDA_ERROR_STREAM_CAPTURE_UNJOINED,
          "a stream that joined the capture was not joined to " +
              stream.describe() + " again");
  return graphs.add(std::make_unique<Graph>(std::move(capture->graph)));
}

void Machine::closeCapture(Capture &capture) {
  capture.hasEnded = true;
  for (auto &[handle, stream] : streams) {
    if (stream->capture.get() == &capture) {
      stream->capture = nullptr;
      stream->frontier.clear();
    }
  }
  auto hasEnded = [](const std::shared_ptr<Capture> &each) {
    return each->hasEnded;
  };
  captures.erase(std::remove_if(captures.begin(), captures.end(), hasEnded),
                 captures.end());
}

void Machine::recordCaptured(Event &event, Stream &stream) {
  checkValid(*stream.capture);
  event.isRecorded = true;
  event.point = {};
  event.capture = stream.capture;
  event.frontier = stream.frontier;
}

void Machine::waitCaptured(Stream &stream, const Event &event) {
  if (!event.capture) {
    checkValid(*stream.capture);
    if (event.isRecorded)
      invalidate(*stream.capture, CUDA_ERROR_STREAM_CAPTURE_ISOLATION,
                 "a captured stream waits for an event that was recorded "
                 "outside of the capture");
    return;
  }
  if (event.capture->hasEnded)
    fault(CUDA_ERROR_CAPTURED_EVENT,
          "the event was last recorded in a capture that has ended");
  checkValid(*event.capture);
  if (stream.isDefault())
    invalidate(*event.capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
               "the default stream cannot join a capture");
  if (stream.capture && stream.capture != event.capture) {
    stream.capture->isValid = false;
    invalidate(*event.capture, CUDA_ERROR_STREAM_CAPTURE_MERGE,
               "a captured stream waits for an event of another capture");
  }
  stream.capture = event.capture;
  merge(stream.frontier, event.frontier);
}

void Machine::checkUnsafeCall() {
  for (const std::shared_ptr<Capture> &capture : captures) {
    bool isOwn = capture->thread == std::this_thread::get_id();
    if (isOwn ? capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED
              : capture->mode == CU_STREAM_CAPTURE_MODE_GLOBAL)
      invalidate(*capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                 "the call is not allowed while a stream is captured");
  }
}

void Machine::checkNotCapturing(const Stream &stream) {
  if (stream.capture)
    invalidate(*stream.capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
               "the call is not allowed on " + stream.describe() +
                   ", which captures");
  checkImplicit(stream);
}

void Machine::checkNotCapturing(int device) {
  for (auto &[handle, stream] : streams)
    if (stream->device == device && stream->capture)
      checkNotCapturing(*stream);
}

void Machine::checkNotCaptured(const Event &event) {
  if (!event.capture)
    return;
  event.capture->isValid = false;
  fault(CUDA_ERROR_CAPTURED_EVENT, "the event was last recorded in a capture");
}

void Machine::checkImplicit(const Stream &stream) {
  if (!stream.isDefault())
    return;
  for (auto &[handle, other] : streams) {
    if (other->device == stream.device && other->isBlocking && other->capture)
      invalidate(*other->capture, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
                 "the default stream is used while " + other->describe() +
                     " captures, for which it would have to wait");
  }
}
