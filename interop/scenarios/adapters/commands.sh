# commands.sh siw|rxe [quick]: our server and our client on a soft adapter of the guest, and the kernel's client at our server.
KIND=$1
. /host/adapters/adapter.sh
mkdir -p /mnt/n
if [ "$2" != quick ]; then
  $ours devices "$ADDRESS"
  # It copies the current directory.
  cd /host/adapters || exit 1
  check "the demo" timeout 300 $ours demo --provider rdma-core
fi
serve

linux() { # linux VERSION OPTIONS: the kernel writes a file at our server, and reads it
  mount -t nfs -o "proto=rdma,vers=$1,port=20049$2" "$ADDRESS:/served" /mnt/n || { fail "mount of version $1"; return; }
  check "Linux writes with version $1" cp $random /mnt/n/file
  echo 3 >/proc/sys/vm/drop_caches
  check "Linux reads with version $1" cmp $random /mnt/n/file
  check "Linux uses RDMA with version $1" grep -q '	xprt:	rdma' /proc/self/mountstats
  umount /mnt/n
}
linux 3 ",nolock,mountproto=tcp,mountport=2049"
[ "$2" = quick ] || linux 4.1 ""
[ "$2" = quick ] || linux 4.2 ""

copy "our client" $random served --provider rdma-core
if [ "$2" != quick ]; then
  copy "our client with version 2" $random served --provider rdma-core --rpcrdma-version 2
  [ "$KIND" != siw ] || copy "our client in Java alone" $random served --provider iwarp
  # Many calls are outstanding at a time: the server sends replies while it waits for the data of its RDMA Reads.
  large=/tmp/large
  head -c 60000000 /dev/urandom >$large
  copy "our client with a large file" $large served --provider rdma-core
  [ "$KIND" != siw ] || copy "our client in Java alone with a large file" $large served --provider iwarp
  check "our server still answers" $ours ping --provider rdma-core -n 300 "rdma://$ADDRESS/"
fi

kill $server
wait $server
nothing_left
[ $failures -eq 0 ]
