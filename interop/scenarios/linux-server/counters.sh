# What the kernel's RPC-over-RDMA server has counted.
. /host/lib.sh
for name in read recv write sq_starve; do
  echo "NOTE rdma_stat_$name=$(cat /proc/sys/sunrpc/svc_rdma/rdma_stat_$name 2>/dev/null)"
done
awk '/^proc3/ { print "NOTE " $0 }' /proc/net/rpc/nfsd
check "the export is empty" test -z "$(ls -A /export)"
verdict
