# One mount over four connections. The client sends all WRITEs at once, and ends each connection without a word if one
# of them has no reply after 60 seconds. So they are few enough for a guest that gets little processor time.
. /host/lib.sh
random 2500000 /tmp/ref
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
