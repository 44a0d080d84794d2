/* launch REPORT COMMAND...: runs the command and writes to the file REPORT its
   wall seconds, its processor seconds (its own and those of starting it) and
   its peak memory in kilobytes. The launcher is static and small: a child of a
   larger process such as Python would start with the memory of that process as
   its own peak. */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec + time.tv_nsec * 1e-9;
}

static double seconds(struct timeval t) { return t.tv_sec + t.tv_usec * 1e-6; }

int main(int argc, char **argv) {
  struct rusage usage;
  int status;
  if (argc < 3)
    return 2;
  double wall = now(CLOCK_MONOTONIC), busy = now(CLOCK_PROCESS_CPUTIME_ID);
  pid_t child = vfork();
  if (child == 0) {
    execvp(argv[2], argv + 2);
    _exit(127);
  }
  wait4(child, &status, 0, &usage);
  wall = now(CLOCK_MONOTONIC) - wall;
  busy = now(CLOCK_PROCESS_CPUTIME_ID) - busy + seconds(usage.ru_utime) +
         seconds(usage.ru_stime);
  FILE *report = fopen(argv[1], "w");
  if (!report)
    return 2;
  fprintf(report, "%.6f %.6f %ld\n", wall, busy, usage.ru_maxrss);
  fclose(report);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
