# pullups.sh start|end: counts how often the kernel copies a message together, instead of giving it to RDMA in pieces.
. /host/lib.sh
traces=/sys/kernel/tracing
case $1 in
  start)
    mount -t tracefs tracefs $traces
    for event in $traces/events/*/*pullup*; do
      echo "NOTE ${event##*/}"
      echo 1 >"$event/enable" || fail "$event cannot be traced"
    done
    ;;
  end)
    same "copies" 0 "$(grep -vc '^#' $traces/trace)"
    grep -v '^#' $traces/trace | head -n 3 | sed 's/^/NOTE /'
    ;;
esac
verdict
