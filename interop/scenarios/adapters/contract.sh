# contract.sh siw|rxe CLASS[#METHOD]...: runs test classes on a soft adapter of the guest, on the host's JDK.
KIND=$1
shift
. /host/adapters/adapter.sh
check "the tests pass" /jdk/bin/java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmx512m --enable-native-access=ALL-UNNAMED \
  -Dadapter.address="$ADDRESS" \
  -cp "/tmp/lib/main:/tmp/lib/test:/tmp/lib/verbs:/tmp/lib/contract:$(ls /tmp/lib/*.jar | tr '\n' ':')" \
  io.github.rpcrdma4j.rdmacore.ContractRun "$@" 2>&1
nothing_left
[ $failures -eq 0 ]
