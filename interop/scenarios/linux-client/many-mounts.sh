# many-mounts.sh COUNT: mounts and unmounts in a row, with traffic.
. /host/lib.sh
count=$1
random 100000 /tmp/ref
i=0
worst=0
while [ $i -lt "$count" ]; do
  began=$(uptime_ms)
  attach
  cp /tmp/ref $mounted/f$i
  cmp -s /tmp/ref $shared/f$i || fail "file of mount $i"
  rm $mounted/f$i
  umount $mounted || { fail "unmount $i"; break; }
  took=$(($(uptime_ms) - began))
  [ $took -gt $worst ] && worst=$took
  i=$((i + 1))
done
same "mounts and unmounts" "$count" $i
echo "NOTE the slowest mount, copy and unmount took $worst ms"
verdict
