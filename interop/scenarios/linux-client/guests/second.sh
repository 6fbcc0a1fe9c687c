# second.sh STEP: what the second guest does while the first has a mount.
. /host/lib.sh
. /host/hold.sh
case $1 in
  refused)
    hostname second
    attach
    check "flock: the first guest's lock is refused" refused flock -n $mounted/flocked true
    check "fcntl: so is its range" refused range-lock try $mounted/ranged 149 1 /bin/true
    check "fcntl: the range before is free" range-lock try $mounted/ranged 0 100 /bin/true
    check "fcntl: the range behind is free" range-lock try $mounted/ranged 150 0 /bin/true
    ;;
  wait)
    flock $mounted/flocked sh -c 'echo >/tmp/flocked' >/dev/null 2>&1 &
    range-lock wait $mounted/ranged 149 1 /bin/sh -c 'echo >/tmp/ranged' >/dev/null 2>&1 &
    ;;
  granted)
    for lock in flocked ranged; do
      tries=0
      until [ -e /tmp/$lock ] || [ $tries -ge 600 ]; do
        tries=$((tries + 1))
        sleep 0.1
      done
      check "the wait for $lock has ended" test -e /tmp/$lock
      echo "NOTE $lock was granted within $tries tenths of a second"
    done
    ;;
  hold)
    rm -f /tmp/held /tmp/release
    flock -n $mounted/flocked range-lock try $mounted/ranged 100 50 \
      /bin/sh -c 'echo >/tmp/held; while [ ! -e /tmp/release ]; do sleep 0.1; done' >/dev/null 2>&1 &
    tries=0
    until [ -e /tmp/held ] || [ $tries -ge 100 ]; do
      tries=$((tries + 1))
      sleep 0.1
    done
    check "the second guest holds the locks" test -e /tmp/held
    ;;
  release) : >/tmp/release ;;
  leave) detach ;;
  abandoned)
    attach
    began=$(uptime_ms)
    check "the lock of the guest without power" flock -w 90 $mounted/kept true
    echo "NOTE it was granted after $(($(uptime_ms) - began)) ms"
    rm $mounted/*
    detach
    ;;
esac
verdict
