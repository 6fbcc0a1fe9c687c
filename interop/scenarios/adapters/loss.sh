# loss.sh siw|rxe: what our commands say and leave behind when the link, the server, the adapter or memory is lost.
KIND=$1
. /host/adapters/adapter.sh
client() { # client: starts a client that goes on, with the process in $client, and waits until it is connected
  : >/tmp/client.err
  $ours ping --provider rdma-core --deadline 5 -n 1000000 "rdma://$ADDRESS/" >/tmp/client.out 2>/tmp/client.err &
  client=$!
  until [ "$(rdma resource show qp | grep -c 'state RTS')" -ge 2 ]; do
    kill -0 $client || { cat /tmp/client.err; fail "the client ended before"; return; }
    sleep 0.2
  done
}
ends() { # ends WHAT WORDS: the client ends with one line, which contains the words
  what=$1
  for _ in $(seq 300); do
    kill -0 $client 2>/dev/null || break
    sleep 0.1
  done
  kill -9 $client 2>/dev/null && fail "$what: the client hangs"
  wait $client
  cat /tmp/client.err
  # Before it gives up, a client tries to connect once more, and says why.
  check "$what: one line, and one of the new connection" test "$(grep -vc '^reconnecting: ' /tmp/client.err)" = 1
  check "$what: its words" grep -q "$2" /tmp/client.err
}
says() { # says WHAT WORDS: the client tells why its connection ended
  for _ in $(seq 300); do
    grep -q "$2" /tmp/client.err && break
    sleep 0.1
  done
  check "$1: the client says so" grep -q "$2" /tmp/client.err
}
packets() { awk '$1 == "lo:" { print $3 }' /proc/net/dev; }
goes_on() { # goes_on WHAT: the client is connected again, and makes calls
  for _ in $(seq 100); do
    [ "$(rdma resource show qp | grep -c 'state RTS')" -ge 2 ] && break
    sleep 0.1
  done
  before=$(packets)
  sleep 2
  check "$1: the client goes on" test "$(packets)" -gt $((before + 20))
  kill $client
  wait $client
  cat /tmp/client.err
}
answers() { check "$1" timeout 60 $ours ping --provider rdma-core -n 3 "rdma://$ADDRESS/"; }

serve
client
kill -9 $server
ends "server killed" "reconnecting: the peer closed the connection"
wait $server

chmod 666 /dev/infiniband/*
chmod -R a+rX /tmp/lib
serve
setpriv --reuid=1000 --regid=1000 --clear-groups sh -c "ulimit -l 16; exec \"\$@\"" sh $ours ping --provider rdma-core -n 3 \
  "rdma://$ADDRESS/" >/tmp/client.out 2>/tmp/client.err
cat /tmp/client.err
# The first two lines are of libibverbs.
check "little locked memory: one line" test "$(grep -c '^rpcrdma: [0-9]* bytes of memory' /tmp/client.err)" = 1
check "little locked memory: its words" grep -q "ulimit -l" /tmp/client.err

client
timeout 60 rdma link delete "${KIND}0" &
removal=$!
ends "adapter removed" "reconnecting: the device .* was removed"
wait $server
tail -n 2 /host/serve.log
check "adapter removed: the server says so" grep -q "rpcrdma: the server failed: the device ${KIND}0 was removed" /host/serve.log
check "the adapter is removed" wait $removal
check "its module is removed" modprobe -r "$module"

modprobe "$module"
rdma link add "${KIND}0" type "$KIND" netdev eth0
serve
client
ip link set eth0 down
says "link down" "reconnecting: the link of .* went down"
case $KIND in
  # TCP reaches the machine's own address without the link, so the client is connected again.
  siw) goes_on "link down" ;;
  rxe) ends "link down" "reconnecting: the link of .* went down" ;;
esac
ip link set eth0 up
ip route add default via "$PEER" 2>/dev/null
sleep 1
# rxe (Linux 6.12) reaches its own address no more.
[ "$KIND" = rxe ] || answers "after the link is up again"
kill $server
wait $server
nothing_left
[ $failures -eq 0 ]
