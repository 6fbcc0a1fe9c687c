# step.sh FOLDER: runs /host/step in a folder; what it prints goes to /host/step.out.
cd "$1" && sh /host/step >/host/step.out
