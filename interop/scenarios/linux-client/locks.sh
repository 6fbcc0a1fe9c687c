# Locks at the server. Two mounts of one server, each with its own cache, have two owners of locks but one client: the
# kernel does not see their conflicts, so the server has to.
. /host/lib.sh
. /host/hold.sh
other=/mnt/other
attach nosharecache
first=$mounted
mounted=$other
attach nosharecache
mounted=$first
echo content >$mounted/locked
# A client that the server promises to tell of a free lock asks again after 30 seconds, others do so each few seconds.
soon() { [ $(($(uptime_ms) - began)) -lt 20000 ]; }

hold flock -n $mounted/locked
check "flock: a second owner is refused" refused flock -n $other/locked true
check "flock: so is a second process of the first mount" refused flock -n $mounted/locked true
(flock $other/locked sh -c 'cat /tmp/release && echo >/tmp/waited' 2>/dev/null) &
waiter=$!
began=$(uptime_ms)
release
wait $waiter
check "flock: a waiting owner gets it after the release" test -e /tmp/waited
check "flock: and soon" soon
check "flock: it is free in the end" flock -n $other/locked true

hold range-lock try $mounted/locked 100 50
check "fcntl: an overlapping range is refused" refused range-lock try $other/locked 149 1 /bin/true
check "fcntl: the range before is free" range-lock try $other/locked 0 100 /bin/true
check "fcntl: the range behind is free" range-lock try $other/locked 150 0 /bin/true
check "fcntl: the kernel's own view agrees" refused range-lock try $mounted/locked 120 1 /bin/true
rm -f /tmp/waited
(range-lock wait $other/locked 149 1 /bin/sh -c 'cat /tmp/release && echo >/tmp/waited' 2>/dev/null) &
waiter=$!
began=$(uptime_ms)
release
wait $waiter
check "fcntl: a waiting owner gets it after the release" test -e /tmp/waited
check "fcntl: and soon" soon
check "fcntl: all is free in the end" range-lock try $other/locked 0 0 /bin/true

# One process with both mounts. Versions of 4 have owners in each superblock, version 3 has those of the host.
through_both() { range-lock try $mounted/locked 100 50 /usr/bin/range-lock try $other/locked 149 1 /bin/true; }
same "the superblocks" 2 "$(awk -v port="$(printf '%x' "$PORT")" '$3 == port { print $4 }' /proc/fs/nfsfs/volumes | sort -u | wc -l)"
if [ "$VERSION" = 3 ]; then
  check "fcntl: a process has its range through the other mount, too" through_both
else
  through_both
  # 1 is a conflict, other failures are other numbers.
  same "fcntl: a process with both mounts is two owners" 1 $?
  same "they are one client" 1 "$(awk -v port="$(printf '%x' "$PORT")" '$3 == port' /proc/fs/nfsfs/servers | wc -l)"
fi
check "fcntl: nothing is left of it" range-lock try $other/locked 0 0 /bin/true

for each in $mounted $other; do
  # The locks of version 3 have a program of their own.
  [ "$VERSION" = 3 ] && break
  check "the server was asked for the locks of $each" test "$(operations $each LOCK)" -ge 2
done
rm $mounted/locked
umount $other
detach
verdict
