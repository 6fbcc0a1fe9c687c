# knfsd.sh siw|rxe: our client and our gateway on a soft adapter of the guest, at the kernel's server.
KIND=$1
. /host/adapters/adapter.sh
check "knfsd listens" knfsd
copy "our client at knfsd" $random export --provider rdma-core --mount-tcp 20048
$ours ls --provider rdma-core --mount-tcp 20048 "rdma://$ADDRESS/export/" >/tmp/listed
check "ls shows the file" grep -q copy /tmp/listed
check "knfsd read the file by RDMA Reads" test "$(cat /proc/sys/sunrpc/svc_rdma/rdma_stat_read)" -gt 0
check "knfsd wrote the file by RDMA Writes" test "$(cat /proc/sys/sunrpc/svc_rdma/rdma_stat_write)" -gt 0

gateway() { # gateway FROM TO: starts our gateway on the adapter, with the process in $gateway
  $ours gateway --provider rdma-core --listen "$1" --to "$2" >/tmp/gateway.log 2>&1 &
  gateway=$!
  await Passing /tmp/gateway.log $gateway
}
gateway "tcp://$ADDRESS:3049" "rdma://$ADDRESS:20049"
mkdir -p /mnt/n
check "Linux mounts knfsd through our gateway" \
  mount -t nfs -o "proto=tcp,vers=3,nolock,port=3049,mountproto=tcp,mountport=20048" "$ADDRESS:/export" /mnt/n
check "Linux reads through our gateway" cmp $random /mnt/n/copy
check "Linux writes through our gateway" cp $random /mnt/n/second
umount /mnt/n
check "knfsd has the file" cmp $random /export/second
kill $gateway
wait $gateway
gateway "rdma://$ADDRESS:20050" "tcp://$ADDRESS:2049"
check "Linux mounts knfsd over RDMA through our gateway" \
  mount -t nfs -o "proto=rdma,vers=3,nolock,port=20050,mountproto=tcp,mountport=20048" "$ADDRESS:/export" /mnt/n
check "Linux reads over RDMA through our gateway" cmp $random /mnt/n/second
umount /mnt/n
kill $gateway
wait $gateway
rpc.nfsd 0
nothing_left
[ $failures -eq 0 ]
