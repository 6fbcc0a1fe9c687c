# ours.sh PORT DESCRIPTORS: starts our server over TCP with the arguments in /host/served, on the host's JDK, with that many descriptors.
ulimit -n "$2"
mkdir -p /jdk
mount -t 9p -o trans=virtio,version=9p2000.L,ro,cache=loose,msize=262144 jdk /jdk || exit 1
export LC_ALL=C.UTF-8 XDG_STATE_HOME=/tmp/state
# The second compiler takes more time under emulation than it saves.
# shellcheck disable=SC2046
/jdk/bin/java -XX:TieredStopAtLevel=1 --enable-native-access=ALL-UNNAMED,io.github.rpcrdma4j.linux \
  --module-path /host/modules --module io.github.rpcrdma4j.cli/io.github.rpcrdma4j.cli.Rpcrdma \
  serve $(cat /host/served) --listen ":20049" --tcp ":$1" >/host/ours.log 2>&1 &
server=$!
until grep -q '^Serving' /host/ours.log; do
  kill -0 $server || { cat /host/ours.log; exit 1; }
  sleep 0.2
done
