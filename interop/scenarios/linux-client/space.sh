# The operations of version 4.2 on data: ALLOCATE, DEALLOCATE, SEEK, COPY.
. /host/lib.sh
random 3000000 /tmp/ref
attach
file=$mounted/space
check "fallocate" fallocate -l 8M $file
same "the length" 8388608 "$(stat -c %s $shared/space)"
check "the space is taken" test $(($(stat -c %b $shared/space) * 512)) -ge 8388608
dd if=/tmp/ref of=$file bs=1M conv=notrunc,fsync status=none
check "a hole" fallocate -p -o 1M -l 1M $file
check "the hole reads as zeros" sh -c "dd if=$shared/space bs=1M skip=1 count=1 status=none | cmp -n 1048576 - /dev/zero"
check "the hole takes no space" test $(($(stat -c %b $shared/space) * 512)) -lt 7500000
drop_caches
check "the parts around it are there" sh -c "head -c 1048576 /tmp/ref | cmp -n 1048576 - $file"
check "behind it as well" cmp -i 2097152 -n 902848 /tmp/ref $file
truncate -s 0 $file
dd if=/tmp/ref of=$file bs=1M seek=4 count=1 conv=notrunc,fsync status=none
check "cp keeps holes" cp --sparse=auto $file /tmp/sparse
check "and data" cmp $file /tmp/sparse
check "SEEK was asked" test "$(operations $mounted SEEK)" -gt 0
cp /tmp/ref $mounted/dense
check "a copy on the server" cp $mounted/dense $mounted/copy
check "has the data" cmp /tmp/ref $shared/copy
check "COPY was asked" test "$(operations $mounted COPY)" -gt 0
for name in ALLOCATE DEALLOCATE SEEK COPY; do echo "NOTE $name $(operations $mounted $name)"; done
rm $file $mounted/dense $mounted/copy /tmp/sparse /tmp/ref
detach
verdict
