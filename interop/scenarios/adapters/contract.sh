# contract.sh siw|rxe CLASS[#METHOD]...: runs test classes on a soft adapter of the guest, on the host's JDK.
kind=$1
shift
mkdir -p /jdk
mount -t 9p -o trans=virtio,version=9p2000.L,ro,cache=loose,msize=262144 jdk /jdk || exit 1
mkdir -p /tmp/lib && cp -r /host/lib/. /tmp/lib/
modprobe -a ib_uverbs rdma_ucm || exit 1
case $kind in
  siw) modprobe siw ;;
  rxe) modprobe rdma_rxe ;;
esac
rdma link add "${kind}0" type "$kind" netdev eth0 || exit 1
rdma link
ulimit -l unlimited
. /host/address
dmesg -C
/jdk/bin/java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmx512m --enable-native-access=ALL-UNNAMED \
  -Dadapter.address="$ADDRESS" \
  -cp "/tmp/lib/main:/tmp/lib/test:/tmp/lib/verbs:/tmp/lib/contract:$(ls /tmp/lib/*.jar | tr '\n' ':')" \
  io.github.rpcrdma4j.rdmacore.ContractRun "$@" 2>&1
status=$?
echo "resources left:"
rdma resource show
dmesg | grep -v 'speed is unknown' >/host/kernel-log
[ ! -s /host/kernel-log ] || tail -n 30 /host/kernel-log
exit $status
