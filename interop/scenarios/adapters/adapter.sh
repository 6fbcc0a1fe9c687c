# Sourced by the scenarios of interop/adapters with KIND (siw or rxe): mounts the host's JDK, and adds the soft adapter to eth0.
. /host/address
mkdir -p /jdk
mount -t 9p -o trans=virtio,version=9p2000.L,ro,cache=loose,msize=262144 jdk /jdk || exit 1
mkdir -p /tmp/lib && cp -r /host/lib/. /tmp/lib/
modprobe -a ib_uverbs rdma_ucm rpcrdma || exit 1
case $KIND in
  siw) modprobe siw ;;
  rxe) modprobe rdma_rxe ;;
esac
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
