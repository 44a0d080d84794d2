/* The lower bound: the same program in hand-written C, for these sizes only.
   The weights are in the file in the order of their names, after a header.
   usage: startup_c FOLDER */
#include <stdint.h>
#include <stdio.h>

static struct {
  float b1[50], w1[50][10], b2[1], w2[50];
} net;
static float x[100][10];

static FILE *open_in(const char *folder, const char *name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return fopen(path, "rb");
}

/* safetensors: the header's length, the header, the tensors. */
static int load_weights(FILE *file) {
  uint64_t header;
  return file && fread(&header, 8, 1, file) == 1 &&
         fseek(file, header, SEEK_CUR) == 0 &&
         fread(&net, sizeof net, 1, file) == 1;
}

/* npy: 8 bytes, the header's length, the header, the array. */
static int load_input(FILE *file) {
  uint16_t header;
  return file && fseek(file, 8, SEEK_SET) == 0 &&
         fread(&header, 2, 1, file) == 1 &&
         fseek(file, header, SEEK_CUR) == 0 && fread(x, sizeof x, 1, file) == 1;
}

int main(int argc, char **argv) {
  if (argc != 2 || !load_weights(open_in(argv[1], "weights.safetensors")) ||
      !load_input(open_in(argv[1], "x.npy")))
    return 1;
  float total = 0;
  for (int row = 0; row < 100; ++row) {
    float y = net.b2[0];
    for (int i = 0; i < 50; ++i) {
      float hidden = net.b1[i];
      for (int k = 0; k < 10; ++k)
        hidden += net.w1[i][k] * x[row][k];
      y += net.w2[i] * (hidden > 0 ? hidden : 0);
    }
    total += y;
  }
  printf("%.9g\n", total);
}
