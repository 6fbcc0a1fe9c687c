# commands.sh siw|rxe: our server and our client on a soft adapter of the guest, and the kernel's client at our server.
KIND=$1
. /host/adapter.sh
mkdir -p /tmp/served /tmp/back /mnt/n
chmod 777 /tmp/served
random=/tmp/random
head -c 2000000 /dev/urandom >$random
# The second compiler takes more time under emulation than it saves.
ours="/jdk/bin/java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC
  --enable-native-access=ALL-UNNAMED,io.github.rpcrdma4j.linux,io.github.rpcrdma4j.rdmacore
  --module-path /tmp/lib/cli.jar:/tmp/lib/runtime --module io.github.rpcrdma4j.cli/io.github.rpcrdma4j.cli.Rpcrdma"
plain() { tr '\r' '\n' | grep -v '0/0 MiB'; }

$ours devices "$ADDRESS"
$ours serve /tmp/served --provider rdma-core --listen "$ADDRESS:20049" --tcp "$ADDRESS:2049" >/host/serve.log 2>&1 &
server=$!
until grep -q '^Serving\.' /host/serve.log; do
  kill -0 $server || { cat /host/serve.log; exit 1; }
  sleep 1
done

linux() { # linux VERSION OPTIONS: the kernel writes a file at our server, and reads it
  mount -t nfs -o "proto=rdma,vers=$1,port=20049$2" "$ADDRESS:/served" /mnt/n || { fail "mount of version $1"; return; }
  check "Linux writes with version $1" cp $random /mnt/n/file
  echo 3 >/proc/sys/vm/drop_caches
  check "Linux reads with version $1" cmp $random /mnt/n/file
  check "Linux uses RDMA with version $1" grep -q '	xprt:	rdma' /proc/self/mountstats
  umount /mnt/n
}
linux 3 ",nolock,mountproto=tcp,mountport=2049"
linux 4.1 ""
linux 4.2 ""

copy() { # copy WHAT OPTION...: our client writes a file at our server, and reads it
  what=$1
  shift
  rm -f /tmp/served/copy /tmp/back/copy
  $ours put "$@" -v $random "rdma://$ADDRESS/served/copy" 2>&1 | plain
  $ours get "$@" -v "rdma://$ADDRESS/served/copy" /tmp/back/copy 2>&1 | plain
  check "$what" cmp $random /tmp/back/copy
}
copy "our client" --provider rdma-core
copy "our client with version 2" --provider rdma-core --rpcrdma-version 2
[ "$KIND" != siw ] || copy "our client in Java alone" --provider iwarp
$ours ping --provider rdma-core -n 300 "rdma://$ADDRESS/"

kill $server
wait $server
nothing_left
[ $failures -eq 0 ]
