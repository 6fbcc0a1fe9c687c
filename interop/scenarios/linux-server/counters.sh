# Prints the counters of the kernel's RPC-over-RDMA server.
. /host/lib.sh
stat() { cat "/proc/sys/sunrpc/svc_rdma/rdma_stat_$1"; }
for name in read recv write sq_starve; do
  echo "NOTE rdma_stat_$name=$(stat $name)"
done
awk '/^proc3/ { print "NOTE " $0 }' /proc/net/rpc/nfsd
check "knfsd fetched Read chunks" test "$(stat read)" -gt 0
check "knfsd filled Write and Reply chunks" test "$(stat write)" -gt 0
check "the export is empty" test -z "$(ls -A /export)"
verdict
