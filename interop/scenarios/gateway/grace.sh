# Before start.sh: knfsd grants no delegation as long as lockd waits for clients that reclaim locks. By default that is for
# 50 seconds after its start.
. /host/lib.sh
modprobe lockd
echo 1 >/proc/sys/fs/nfs/nlm_grace_period
verdict
