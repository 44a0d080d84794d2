#!/bin/sh
# link-test.sh CC ARCHIVE INCLUDE SOURCE FOLDER
#
# Links a program as `tdc build` does and checks its size, its libraries and
# that errors are printed; and that a program which reads only .npy files
# contains no other format.
set -eu
cc=$1 archive=$2 include=$3 source=$4 folder=$5
program=$folder/link-test
# link DEFINITION LIMIT
link() {
  $cc -O2 -I"$include" "$1" "$source" "$archive" -lm -lpthread \
      -Wl,--gc-sections -s -o "$program"
  size=$(stat -c %s "$program")
  echo "size with $1: $size bytes"
  [ "$size" -le "$2" ] || { echo "larger than $2 bytes"; exit 1; }
}
link -DLOADER=tdrt_load_npy 690000
link -DLOADER=tdrt_load 1400000

if ldd "$program" | grep -vE 'linux-vdso|libc\.so|libm\.so|libpthread|ld-linux'
then echo "needs another library"; exit 1; fi

code=0
output=$("$program" 2>&1) || code=$?
expected='0.1
error[TR703]: `/dev/null`: it is a device, not a regular file
  --> link.tdsl:3:1'
[ "$code" = 3 ] && [ "$output" = "$expected" ] ||
  { echo "exit $code: $output"; exit 1; }
