# Stops knfsd, which drops every connection, and starts it again.
. /host/lib.sh
rpc.nfsd 0
check "threads" rpc.nfsd -N 4 4
check "RDMA listener" sh -c "echo 'rdma 20049' >/proc/fs/nfsd/portlist"
verdict
