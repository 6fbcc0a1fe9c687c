# Concurrent writers: eight files at once, and four writers into the parts of one file.
. /host/lib.sh
random 1500000 /tmp/ref
attach
for i in 1 2 3 4 5 6 7 8; do
  (tail -c +$i /tmp/ref | dd of=$mounted/w$i bs=64k conv=fsync status=none) &
done
wait
for i in 1 2 3 4 5 6 7 8; do
  tail -c +$i /tmp/ref | cmp -s - $shared/w$i || fail "writer $i"
done
pass "eight writers"
for i in 0 1 2 3; do
  dd if=/tmp/ref of=$mounted/parts bs=375000 count=1 skip=$i seek=$i conv=notrunc,fsync status=none &
done
wait
check "four writers of one file" cmp /tmp/ref $shared/parts
for i in 1 2 3 4; do
  (drop_caches; cmp -s /tmp/ref $mounted/parts || echo wrong >>/tmp/readers) &
done
wait
check "four readers" test ! -e /tmp/readers
rm $mounted/w? $mounted/parts
detach
rm -f /tmp/ref /tmp/readers
verdict
