#!/bin/sh
# agree.sh PROGRAM TEMPORARY: a program that forgets to move its tensors prints the same
# when the compiler moves them and when the program is fixed to do it.
set -e

show() {
    tdc emit --phase=placed --sim-cuda=2 --placement="$1" "$2" > "$fixed.mlir"
    tdc-interpret "$fixed.mlir"
}

fixed=$2.tdsl
cp "$1" "$fixed"
if tdc check --placement=strict --sim-cuda=2 "$fixed" > /dev/null 2>&1; then
    echo "nothing is forgotten"
    exit 1
fi
show insert "$1" > "$2.expected"
test -s "$2.expected"
show warn "$1" 2> /dev/null | diff - "$2.expected"
tdc fix --placement=strict --sim-cuda=2 "$fixed"
for mode in insert strict off; do
    show $mode "$fixed" | diff - "$2.expected"
done
