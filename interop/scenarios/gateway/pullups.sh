# pullups.sh start|end: counts how often the kernel copies a message together, instead of giving it to RDMA in pieces.
# knfsd always does so with a reply of less than 512 bytes, because copying it is cheaper (RPCRDMA_PULLUP_THRESH).
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
    grep -v '^#' $traces/trace | sed 's/^\(.*(total \([0-9]*\)).*\)$/\2 \1/' | awk '!/^[0-9]/ || $1 >= 512' >/tmp/copies
    same "copies" 0 "$(wc -l </tmp/copies)"
    head -n 3 /tmp/copies | sed 's/^/NOTE /'
    ;;
esac
verdict
