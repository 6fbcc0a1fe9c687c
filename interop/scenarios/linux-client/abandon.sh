# Leaves a mount with traffic behind, of version 4 with a lock: the host cuts the power.
. /host/lib.sh
. /host/hold.sh
random 30000000 /tmp/ref
attach
[ "$VERSION" = 3 ] || {
  echo content >$mounted/kept
  hold flock -n $mounted/kept
}
while :; do dd if=/tmp/ref of=$mounted/abandoned bs=1M conv=fsync status=none; done &
while :; do cat $mounted/* >/dev/null; drop_caches; done &
while [ ! -s $shared/abandoned ]; do sleep 0.05; done
ask power-off
verdict
