// A program with an allocator of its own, which compiles and runs another. All
// memory that libtdc.so frees must come from it.
#include "tdc/tdc.h"
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void __libc_free(void *block);

struct header {
  void *block;
  size_t size;
  uint64_t mark;
};
static const uint64_t kMark = 0x7464632077617320;

static void *allocate(size_t alignment, size_t size) {
  char *block = __libc_malloc(size + alignment + sizeof(struct header));
  if (!block)
    return NULL;
  uintptr_t start = (uintptr_t)block + sizeof(struct header);
  char *given = (char *)((start + alignment - 1) / alignment * alignment);
  struct header header = {block, size, kMark};
  memcpy(given - sizeof header, &header, sizeof header);
  return given;
}

static struct header get_header(void *given) {
  struct header header;
  memcpy(&header, (char *)given - sizeof header, sizeof header);
  if (header.mark != kMark) {
    static const char text[] = "freed what was allocated elsewhere\n";
    (void)!write(1, text, sizeof text - 1);
    _exit(1);
  }
  return header;
}

void *malloc(size_t size) { return allocate(16, size); }
void *memalign(size_t alignment, size_t size) {
  return allocate(alignment, size);
}
void *aligned_alloc(size_t alignment, size_t size) {
  return allocate(alignment, size);
}
int posix_memalign(void **given, size_t alignment, size_t size) {
  *given = allocate(alignment, size);
  return *given ? 0 : ENOMEM;
}
void *calloc(size_t count, size_t size) {
  void *given = allocate(16, count * size);
  return given ? memset(given, 0, count * size) : NULL;
}
void *realloc(void *old, size_t size) {
  void *given = allocate(16, size);
  if (old && given) {
    size_t known = get_header(old).size;
    memcpy(given, old, known < size ? known : size);
    free(old);
  }
  return given;
}
void free(void *given) {
  if (given)
    __libc_free(get_header(given).block);
}

int main(void) {
  const char *text = "print(ones(2).sum())\n";
  tdc_program *program;
  tdc_error *error;
  if (tdc_compile_text(text, strlen(text), "sum.tdsl", NULL, &program,
                       &error) != 0) {
    fputs(tdc_error_text(error), stdout);
    return 1;
  }
  int code = tdc_run(program);
  tdc_program_free(program);
  return code;
}
