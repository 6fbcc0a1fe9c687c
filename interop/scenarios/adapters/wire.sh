# wire.sh siw|rxe: what the kernel counts, and what a capture holds, of a mount and a copy at our server.
KIND=$1
. /host/adapters/adapter.sh
mkdir -p /mnt/n
small=/tmp/small
head -c 60000 $random >$small
serve
# rxe does not send what is for its own address.
if [ "$KIND" = siw ]; then
  tcpdump -Z root -i lo -s 0 -U -w /host/capture.pcap "tcp port 20049" 2>/dev/null &
  capture=$!
  sleep 2
fi
mount -t nfs -o "proto=rdma,vers=3,nolock,port=20049,mountproto=tcp,mountport=2049" "$ADDRESS:/served" /mnt/n
cp $small /mnt/n/file
echo 3 >/proc/sys/vm/drop_caches
check "Linux reads what it wrote" cmp $small /mnt/n/file
# The counters of the kernel's client: its chunks, and the invalidations that the server did not do for it.
grep '	xprt:	rdma' /proc/self/mountstats
# shellcheck disable=SC2046
set -- $(grep '	xprt:	rdma' /proc/self/mountstats)
check "Linux sent Read chunks" test "${13}" -gt 0
check "Linux sent Write chunks" test "${14}" -gt 0
check "Linux sent Reply chunks" test "${15}" -gt 0
case $KIND in
  # These counters count segments. A reply can invalidate one handle, and ours does that only if the call has one.
  siw) check "the server closed no windows of Linux" test "${27}" = $((${13} + ${14} + ${15})) ;;
  rxe) check "the server closed the windows of READ and WRITE of Linux" test "${27}" = "${15}" ;;
esac
umount /mnt/n
copy "our client" $small served --provider rdma-core
if [ "$KIND" = rxe ]; then
  check "the server closed windows of our client" sh -c "grep \"windows that the server's Sends closed\" /tmp/printed | grep -v ' 0 *$'"
  rdma statistic show link rxe0/1
fi
echo "$(rdma resource show mr | wc -l) registrations while the server runs"
kill $server
wait $server
[ "$KIND" != siw ] || kill $capture
nothing_left
[ $failures -eq 0 ]
