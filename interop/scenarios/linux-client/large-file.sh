# 20 MB in and back: through the page cache, with caches dropped, and with direct I/O.
. /host/lib.sh
random 20000000 /tmp/ref
attach
check "write 20 MB" dd if=/tmp/ref of=$mounted/large bs=1M conv=fsync status=none
check "the server has the same bytes" cmp /tmp/ref $shared/large
check "WRITE used Read chunks" used read_chunks
drop_caches
check "read them back" cmp /tmp/ref $mounted/large
check "READ used Write chunks" used write_chunks
same "READ data was placed, not copied" 0 "$(counter fixup_bytes)"
check "read with direct I/O" sh -c "dd if=$mounted/large iflag=direct bs=1M status=none | cmp - /tmp/ref"
check "write with direct I/O" dd if=/tmp/ref of=$mounted/direct oflag=direct bs=1000003 status=none
check "the server has these as well" cmp /tmp/ref $shared/direct
rm $mounted/large $mounted/direct
detach
rm /tmp/ref
verdict
