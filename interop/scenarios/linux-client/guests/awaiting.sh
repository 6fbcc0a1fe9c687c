# Waits for the locks of a guest that loses its power and boots again, at the request of this one.
. /host/lib.sh
. /host/hold.sh
hostname awaiting
attach
check "flock: the other guest's lock is refused" refused flock -n $mounted/flocked true
check "fcntl: so is its range" refused range-lock try $mounted/ranged 149 1 /bin/true
check "fcntl: the range before is free" range-lock try $mounted/ranged 0 100 /bin/true
rm -f /tmp/flocked /tmp/ranged
flock $mounted/flocked sh -c 'echo >/tmp/flocked' &
range-lock wait $mounted/ranged 149 1 /bin/sh -c 'echo >/tmp/ranged' &
ask power-off
# Locks of hosts have no leases: that of the server has 10 seconds.
sleep 15
check "flock: the lock of a guest without power stays" refused flock -n $mounted/flocked true
check "fcntl: so does its range" refused range-lock try $mounted/ranged 149 1 /bin/true
ask boot
began=$(uptime_ms)
for lock in flocked ranged; do
  until [ -e /tmp/$lock ] || [ $(($(uptime_ms) - began)) -gt 90000 ]; do sleep 0.1; done
  check "the wait for $lock has ended" test -e /tmp/$lock
  echo "NOTE $lock was granted $(($(uptime_ms) - began)) ms after the boot"
done
wait
ask lock
detach
verdict
