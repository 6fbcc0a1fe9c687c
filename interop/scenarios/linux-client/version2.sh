# Version 2: what it moves at a time, and how long files may be.
. /host/lib.sh
attach
line=$(grep " $mounted " /proc/mounts)
echo "NOTE $line"
for option in vers=2 rsize=8192 wsize=8192 "proto=$PROTO"; do
  case ",${line#* nfs }," in
    *",$option,"*) pass "$option" ;;
    *) fail "no $option: $line" ;;
  esac
done
random 1000003 /tmp/ref
check "write" dd if=/tmp/ref of=$mounted/file bs=1M conv=fsync status=none
check "the server has the same bytes" cmp /tmp/ref $shared/file
drop_caches
check "read" cmp /tmp/ref $mounted/file
check "WRITE moves 8 KiB" test "$(operations $mounted WRITE)" -ge 123
check "READ moves 8 KiB" test "$(operations $mounted READ)" -ge 123
if [ "$PROTO" = rdma ]; then
  check "WRITE used Read chunks" used read_chunks
  check "READ used Write chunks" used write_chunks
fi
at() { dd of=$mounted/long bs=1 seek="$1" conv=notrunc status=none; } # at OFFSET: writes what it reads there
echo abc | head -c 3 | at 2147483644
same "the length of the longest file" 2147483647 "$(stat -c %s $shared/long)"
error=$(echo d | at 2147483647 2>&1) && fail "a byte beyond it"
case $error in
  *"File too large"*) pass "a byte beyond it is refused" ;;
  *) fail "a byte beyond it: $error" ;;
esac
drop_caches
same "its end" abc "$(tail -c 3 $mounted/long)"
for length in 4294967294 4294967295 4294967296 9999999999; do
  truncate -s $length $shared/host$length
done
for each in 4294967294:4294967294 4294967295:4294967295 4294967296:4294967295 9999999999:4294967295; do
  same "the length of a file of the host" "${each#*:}" "$(stat -c %s "$mounted/host${each%:*}")"
done
check "its first bytes can be read" sh -c "head -c 10 $mounted/host9999999999 | cmp -n 10 - /dev/zero"
rm $mounted/*
same "all is gone" "" "$(ls -A $shared)"
detach
rm /tmp/ref
verdict
