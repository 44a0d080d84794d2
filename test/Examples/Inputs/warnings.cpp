// Opens a program, and prints what the compiler reports of it.
#include <cstdio>
#include <tdc/tdc.hpp>

int main(int, char **argv) {
  tdc::Options options;
  options.report = [](const tdc_diagnostic &found) {
    std::printf("%s %s, line %d\n",
                found.severity == TDC_WARNING ? "warning" : "error", found.code,
                found.line);
    std::fflush(stdout);
  };
  tdc::Expected<tdc::Module> opened = tdc::load(argv[1], options);
  std::puts(opened ? "opened" : "not opened");
}
