# One mount over four connections.
. /host/lib.sh
random 8000000 /tmp/ref
attach nconnect=4
for i in 1 2 3 4 5 6 7 8; do
  (dd if=/tmp/ref of=$mounted/n$i bs=256k conv=fsync status=none) &
done
wait
drop_caches
for i in 1 2 3 4 5 6 7 8; do
  cmp -s /tmp/ref $mounted/n$i || fail "file $i"
done
rm $mounted/n?
if mistook_crc; then
  check "at least four connections" test "$(counter connects)" -ge 4
else
  same "four connections" 4 "$(counter connects)"
fi
detach
rm /tmp/ref
verdict
