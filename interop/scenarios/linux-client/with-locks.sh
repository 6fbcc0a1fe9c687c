# with-locks.sh PORT MOUNT_PORT SCRIPT [ARGUMENT...]: runs a script whose mounts of version 3 lock files at the server,
# by NLM and NSM. The server has these ports, and an rpcbind.
mkdir -p /var/lib/nfs/sm /var/lib/nfs/sm.bak
chown -R statd /var/lib/nfs/sm /var/lib/nfs/sm.bak 2>/dev/null
rpcinfo >/dev/null 2>&1 || rpcbind -w
pidof rpc.statd >/dev/null || rpc.statd --no-notify
export LOCKS=lock OTHER_PORT=$1 OTHER_TCP_PORT=$2
script=$3
shift 3
exec sh "/host/$script" "$@"
