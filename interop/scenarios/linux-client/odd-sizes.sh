# odd-sizes.sh STEP: lengths 0 to 9000 in that step, written and read with direct I/O at offsets that straddle
# 4 KiB and 64 KiB edges, with every remainder of the offset by four.
. /host/lib.sh
step=$1
random 150000 /tmp/ref
: >/tmp/image
attach
: >$mounted/odd
set -- 0 3 4093 4095 4098 60001 61438 64000 65535
length=0
count=0
wrong=0
while [ $length -le 9000 ]; do
  offset=$(($1 + count % 4))
  first=$1
  shift
  set -- "$@" "$first"
  for target in $mounted/odd /tmp/image; do
    flags=seek_bytes,direct
    [ $target = /tmp/image ] && flags=seek_bytes
    dd if=/tmp/ref of=$target bs=$((length > 0 ? length : 1)) count=$((length > 0)) iflag=skip_bytes skip=$count \
      oflag=$flags seek=$offset conv=notrunc status=none || wrong=$((wrong + 1))
  done
  [ $length -eq 0 ] || dd if=$mounted/odd iflag=direct,skip_bytes bs=$length count=1 skip=$offset status=none |
    cmp -s -n $length - /tmp/ref -i 0:$count || wrong=$((wrong + 1))
  length=$((length + step))
  count=$((count + 1))
done
same "$count lengths were written and read back" 0 $wrong
check "the server has the same bytes" cmp /tmp/image $shared/odd
drop_caches
check "so has the client" cmp /tmp/image $mounted/odd
rm $mounted/odd
detach
rm /tmp/ref /tmp/image
verdict
