# Waits until a large file is being written, stops knfsd, which drops every connection, and starts it again.
. /host/lib.sh
while [ -z "$(find /export -type f -size +8000k)" ]; do sleep 0.05; done
rpc.nfsd 0
check "threads" rpc.nfsd -N 4 4
check "RDMA listener" sh -c "echo 'rdma 20049' >/proc/fs/nfsd/portlist"
verdict
