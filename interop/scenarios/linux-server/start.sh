# start.sh [FLAVORS [VERSIONS]]: starts knfsd with an RDMA listener and a directory in memory to export. Version 4 is served
# only if VERSIONS is "all".
. /host/lib.sh
mount -t tmpfs -o size=900m tmpfs /export
chmod 777 /export
mount -t rpc_pipefs rpc_pipefs /var/lib/nfs/rpc_pipefs
modprobe nfsd && mount -t nfsd nfsd /proc/fs/nfsd
rpcbind -w
echo "/export *(rw,no_root_squash,no_subtree_check,insecure,sec=${1:-sys},fsid=1)" >/etc/exports
check export exportfs -ra
if [ "${2:-}" = all ]; then without=; else without="-N 4"; fi
# shellcheck disable=SC2086
check "threads" rpc.nfsd $without 4
check "RDMA listener" sh -c "echo 'rdma 20049' >/proc/fs/nfsd/portlist"
check "mountd" rpc.mountd -p 20048
tr '\n' ' ' </proc/fs/nfsd/portlist | sed 's/^/NOTE listens at: /'
echo
verdict
