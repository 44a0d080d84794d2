// Compiles net.tdsl, trains it on exclusive or, and lets four threads ask it at
// the same time; then shows what errors look like.
#include <cstdio>
#include <tdc/tdc.hpp>
#include <thread>

int main(int argc, char **argv) {
  tdc::Expected<tdc::Module> net = tdc::load(argc > 1 ? argv[1] : "net.tdsl");
  if (!net) {
    std::fputs(net.error().text(), stderr);
    return net.error().status();
  }
  std::vector<float> x = {0, 0, 0, 1, 1, 0, 1, 1}, y = {0, 1, 1, 0};
  for (int i = 0; i < 200; ++i)
    net->call("step", {{x.data(), {4, 2}}, {y.data(), {4, 1}}}).value();

  std::vector<float> sums(4);
  std::vector<std::thread> threads;
  for (float &sum : sums)
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) {
        auto results = net->call("predict", {{x.data(), {4, 2}}}).value();
        const float *guess = results[0].data<float>();
        sum += guess[0] - guess[1] - guess[2] + guess[3];
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  for (float sum : sums)
    std::printf("%.1f\n", sum / 1000);

  // Three numbers a row instead of two.
  auto results = net->call("predict", {{x.data(), {1, 3}}});
  std::fputs(results.error().text(), stdout);
  // A folder that is not there.
  tdc::Status saved = net->save("nowhere/net.safetensors");
  std::fputs(saved.error().text(), stdout);
}
