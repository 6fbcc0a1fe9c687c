# step.sh DIRECTORY: runs /host/step in a directory; its output goes to /host/step.out.
cd "$1" && sh /host/step >/host/step.out
