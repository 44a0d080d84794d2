//===- Descriptor.cpp - texts to file descriptors -------------------------===//

#include "base/Descriptor.h"
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <unistd.h>

using namespace tdrt;

int tdrt::writeAll(int descriptor, const char *text, size_t size) noexcept {
  while (size > 0) {
    ssize_t n = write(descriptor, text, size);
    if (n >= 0) {
      text += n;
      size -= n;
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      pollfd room = {descriptor, POLLOUT, 0};
      poll(&room, 1, -1);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

int tdrt::writeText(int descriptor, const char *text) noexcept {
  return writeAll(descriptor, text, strlen(text));
}
