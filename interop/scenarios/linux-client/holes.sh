# Append, truncate and holes.
. /host/lib.sh
random 300000 /tmp/ref
attach
f=$mounted/file
g=/tmp/file
: >$g
for part in 1 4095 1 4096 4097 65537 3 100000; do
  head -c $part /tmp/ref >>$f
  head -c $part /tmp/ref >>$g
done
check "appended parts" cmp $g $shared/file
for length in 70001 65536 4097 4096 4095 1 0 9 5000 131073; do
  truncate -s $length $f
  truncate -s $length $g
  cmp -s $g $shared/file || fail "truncate to $length"
done
pass "truncated and extended"
dd if=/tmp/ref of=$f bs=1 count=7 seek=1000003 conv=notrunc status=none
dd if=/tmp/ref of=$g bs=1 count=7 seek=1000003 conv=notrunc status=none
dd if=/tmp/ref of=$f bs=4096 count=1 seek=100 conv=notrunc status=none
dd if=/tmp/ref of=$g bs=4096 count=1 seek=100 conv=notrunc status=none
sync
check "a file with holes on the server" cmp $g $shared/file
drop_caches
check "a file with holes on the client" cmp $g $f
truncate -s 6442450949 $f
printf end | dd of=$f bs=1 seek=6442450946 conv=notrunc status=none
same "a file longer than 4 GiB" end "$(tail -c 3 $shared/file)"
drop_caches
same "read at its end" end "$(tail -c 3 $f)"
same "its length" 6442450949 "$(stat -c %s $f)"
rm $f
detach
rm /tmp/ref $g
verdict
