# Sourced by the scenarios of interop/adapters with KIND (siw or rxe): mounts the host's JDK, and adds the soft adapter to eth0.
. /host/address
mkdir -p /jdk
mount -t 9p -o trans=virtio,version=9p2000.L,ro,cache=loose,msize=262144 jdk /jdk || exit 1
mkdir -p /tmp/lib && cp -r /host/lib/. /tmp/lib/
modprobe -a ib_uverbs rdma_ucm rpcrdma || exit 1
case $KIND in
  siw) module=siw ;;
  rxe) module=rdma_rxe ;;
esac
modprobe $module || exit 1
rdma link add "${KIND}0" type "$KIND" netdev eth0 || exit 1
rdma link
ulimit -l unlimited
dmesg -C
export LC_ALL=C.UTF-8 XDG_STATE_HOME=/tmp/state

pass() { echo "PASS $*"; }
fail() { echo "FAIL $*"; failures=$((failures + 1)); }
failures=0
check() { # check WHAT COMMAND...
  what=$1
  shift
  if "$@"; then pass "$what"; else fail "$what ($* ended with $?)"; fi
}

# The first queue pair of an adapter for InfiniBand or RoCE is the kernel's own. So are its domain and its completion queue.
nothing_left() {
  case $KIND in
    siw) own=0 ;;
    rxe) own=1 ;;
  esac
  rdma resource show
  check "no resource of the adapter is left" sh -c "rdma resource show | grep -q ' pd $own cq $own qp $own cm_id 0 mr 0 ctx 0 '"
  dmesg | grep -v 'speed is unknown' >/host/kernel-log
  [ ! -s /host/kernel-log ] || tail -n 30 /host/kernel-log
}

# The second compiler takes more time under emulation than it saves.
ours="/jdk/bin/java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC
  --enable-native-access=ALL-UNNAMED,io.github.rpcrdma4j.linux,io.github.rpcrdma4j.rdmacore
  --module-path /tmp/lib/cli.jar:/tmp/lib/runtime --module io.github.rpcrdma4j.cli/io.github.rpcrdma4j.cli.Rpcrdma"
plain() { tr '\r' '\n' | grep -v '0/0 MiB'; }
random=/tmp/random
head -c 2000000 /dev/urandom >$random

await() { # await WHAT FILE PROCESS: waits until a process has printed a line that begins with that
  until grep -q "^$1" "$2"; do
    kill -0 "$3" || { cat "$2"; exit 1; }
    sleep 0.2
  done
}

serve() { # serve OPTION...: starts our server on the adapter, with the process in $server
  mkdir -p /tmp/served && chmod 777 /tmp/served
  # The process below empties it too late: what an earlier server has said would count.
  : >/host/serve.log
  $ours serve /tmp/served --allow any --provider rdma-core --listen "$ADDRESS:20049" --tcp "$ADDRESS:2049" "$@" >/host/serve.log 2>&1 &
  server=$!
  await 'Serving\.' /host/serve.log $server
}

copy() { # copy WHAT FILE DIRECTORY OPTION...: our client writes a file at a server, and reads it; what it printed is in /tmp/printed
  what=$1 file=$2 at="rdma://$ADDRESS/$3/copy"
  shift 3
  rm -f /tmp/back
  { $ours put "$@" -v "$file" "$at" && $ours get "$@" -v "$at" /tmp/back; } 2>&1 | plain >/tmp/printed
  cat /tmp/printed
  check "$what" cmp "$file" /tmp/back
  rm -f /tmp/back
}

knfsd() { # knfsd OPTION...: starts the kernel's server of /export over RDMA and TCP
  mkdir -p /export && mount -t tmpfs tmpfs /export && chmod 777 /export
  mount -t rpc_pipefs rpc_pipefs /var/lib/nfs/rpc_pipefs
  modprobe nfsd && mount -t nfsd nfsd /proc/fs/nfsd
  rpcbind -w
  echo "/export *(rw,no_root_squash,no_subtree_check,insecure,sec=sys,fsid=1)" >/etc/exports
  exportfs -ra && rpc.nfsd -N 4 2 && echo 'rdma 20049' >/proc/fs/nfsd/portlist && rpc.mountd -p 20048
}
