# Starts knfsd with an RDMA listener and a directory in memory to export.
. /host/lib.sh
mount -t tmpfs -o size=900m tmpfs /export
chmod 777 /export
mount -t rpc_pipefs rpc_pipefs /var/lib/nfs/rpc_pipefs
modprobe nfsd && mount -t nfsd nfsd /proc/fs/nfsd
rpcbind -w
echo "/export *(rw,no_root_squash,no_subtree_check,insecure,sec=${1:-sys},fsid=1)" >/etc/exports
check export exportfs -ra
check "threads" rpc.nfsd -N 4 4
check "RDMA listener" sh -c "echo 'rdma 20049' >/proc/fs/nfsd/portlist"
check "mountd" rpc.mountd -p 20048
tr '\n' ' ' </proc/fs/nfsd/portlist | sed 's/^/NOTE listens at: /'
echo
verdict
