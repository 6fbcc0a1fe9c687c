# Locks of version 3 against those of other kinds: of version 4.2, and of a process on the host. And a client that
# restarts loses its locks.
. /host/lib.sh
. /host/hold.sh
new=/mnt/new
attach
mkdir -p $new
check "version 4.2" mount -t nfs -o "proto=$PROTO,vers=4.2,hard,port=$PORT" "$SERVER:$EXPORT" $new
echo content >$mounted/locked

hold range-lock try $mounted/locked 100 50
check "version 4.2 is refused what version 3 has" refused range-lock try $new/locked 149 1 /bin/true
check "it gets the range before" range-lock try $new/locked 0 100 /bin/true
ask try-locally
same "so is a process on the host" refused "$(cat /host/answer)"
(range-lock wait $new/locked 149 1 /bin/sh -c 'cat /tmp/release && echo >/tmp/waited' 2>/dev/null) &
waiter=$!
release
wait $waiter
check "version 4.2 gets it after the release" test -e /tmp/waited
rm -f /tmp/waited

hold range-lock try $new/locked 100 50
check "version 3 is refused what version 4.2 has" refused range-lock try $mounted/locked 149 1 /bin/true
(range-lock wait $mounted/locked 149 1 /bin/sh -c 'cat /tmp/release && echo >/tmp/waited' 2>/dev/null) &
waiter=$!
began=$(uptime_ms)
release
wait $waiter
check "version 3 gets it after the release" test -e /tmp/waited
# It asks again by itself after 30 seconds.
check "and soon" test $(($(uptime_ms) - began)) -lt 20000
ask try-locally
same "a process on the host gets it then" got "$(cat /host/answer)"
ask hold-locally
check "version 3 is refused what a process on the host has" refused range-lock try $mounted/locked 149 1 /bin/true
ask release-locally
check "and gets it then" range-lock try $mounted/locked 149 1 /bin/true

hold range-lock try $mounted/locked 100 50
check "it is refused before the restart" refused range-lock try $new/locked 149 1 /bin/true
# What it tells is not true while its statd runs, and says otherwise.
cp -r /var/lib/nfs/sm /tmp/monitored
sm-notify -f -d -m 1 >/tmp/sm-notify 2>&1
same "its notice arrives" 0 $?
sleep 2
check "its statd does not confirm it, so its locks stay" refused range-lock try $new/locked 149 1 /bin/true
cp /tmp/monitored/* /var/lib/nfs/sm/
chown -R statd /var/lib/nfs/sm
kill "$(pidof rpc.statd)"
sm-notify -f -d -m 1 >>/tmp/sm-notify 2>&1 &
notifier=$!
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  range-lock try $new/locked 149 1 /bin/true && break
  sleep 1
done
check "the locks of a client that restarts are free" range-lock try $new/locked 149 1 /bin/true
kill $notifier 2>/dev/null
sed 's/^/NOTE /' /tmp/sm-notify
release
rm $mounted/locked
check "unmount of version 4.2" umount $new
detach reconnected
verdict
