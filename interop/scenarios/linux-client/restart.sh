# The server is killed and started again while the client writes; a hard mount finishes with the right data.
. /host/lib.sh
random 30000000 /tmp/ref
attach
(i=0
  while [ $i -lt 30 ]; do
    dd if=/tmp/ref of=$mounted/survivor bs=1000000 count=1 skip=$i seek=$i conv=notrunc status=none || echo wrong >>/tmp/writer
    [ $i -eq 8 ] && sync
    i=$((i + 1))
  done
  sync $mounted/survivor || echo wrong >>/tmp/writer) &
while [ ! -s $shared/survivor ]; do sleep 0.05; done
ask restart-server
wait
check "the writer saw no error" test ! -e /tmp/writer
check "the server has the right bytes" cmp /tmp/ref $shared/survivor
drop_caches
check "the client as well" cmp /tmp/ref $mounted/survivor
rm $mounted/survivor
check "it connected again" test "$(counter connects)" -gt 1
detach reconnected
rm -f /tmp/ref /tmp/writer
verdict
