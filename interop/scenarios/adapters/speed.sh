# speed.sh siw|rxe: Sends of the provider beside ib_send_bw and ib_send_lat on one adapter, in turn, and the cost of registration.
KIND=$1
. /host/adapters/adapter.sh
speed="/jdk/bin/java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmx512m --enable-native-access=ALL-UNNAMED
  -Dadapter.address=$ADDRESS -cp /tmp/lib/main:/tmp/lib/test:/tmp/lib/verbs io.github.rpcrdma4j.rdmacore.AdapterSpeed"

perftest() { # perftest PROGRAM OPTION...: prints the last line of the client
  program=$1
  shift
  # shellcheck disable=SC2068
  timeout 60 $program -d "${KIND}0" -R -F $@ >/tmp/perftest.server 2>&1 &
  sleep 2
  # shellcheck disable=SC2068
  timeout 60 $program -d "${KIND}0" -R -F $@ "$ADDRESS" 2>/tmp/perftest.client | grep '^ *[0-9]' | tail -n 1
  wait $!
}

# One round of rping is four Sends, an RDMA Read and an RDMA Write.
rping_rounds() {
  rping -s -a "$ADDRESS" -p 7175 -S 64 -C 300 >/dev/null 2>&1 &
  sleep 2
  start=$(date +%s%N)
  timeout 60 rping -c -a "$ADDRESS" -p 7175 -S 64 -C 300 >/dev/null 2>&1 || { echo failed; return; }
  echo $((($(date +%s%N) - start) / 300000))
  wait $!
}

$speed registration
for round in 1 2 3; do
  echo "round $round"
  echo "1 MiB, MB/s: ib_send_bw $(perftest ib_send_bw -e --output=bandwidth -s 1048576 -n 100 -t 16 -r 32), ours $($speed bandwidth 1048576 100)"
  echo "4 KiB, MB/s: ib_send_bw $(perftest ib_send_bw -e --output=bandwidth -s 4096 -n 2000 -t 16 -r 32), ours $($speed bandwidth 4096 2000)"
  echo "64 bytes, us a round: rping $(rping_rounds)"
  # With events it hangs. Its columns are: bytes, count, minimum, maximum, typical, average.
  echo "64 bytes, us: ib_send_lat $(perftest ib_send_lat -s 64 -n 300), ours $($speed latency 64 300)"
done
nothing_left
[ $failures -eq 0 ]
