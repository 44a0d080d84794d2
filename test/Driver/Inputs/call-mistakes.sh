# Mistakes in calls of a program's functions: the messages and exit codes.
call() { $program "$@"; echo "exit code $?"; }
program=$1
call --fn scal --in x=a.x.npy
call --fn scale
call --fn scale --in z=a.x.npy
call --fn scale --in x=a.x.npy --out a=a --out b=b
call --fn scale --in x=a.x.npy --in x=a.x.npy
call --fn scale --in x=none.npy
call --fn scale --in x=a.x.npy --out y=y.txt
