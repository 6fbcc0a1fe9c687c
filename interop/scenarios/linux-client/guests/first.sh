# Locks against those of the second guest, whose steps the host starts.
. /host/lib.sh
. /host/hold.sh
hostname first
attach
echo content >$mounted/flocked
echo content >$mounted/ranged
hold flock -n $mounted/flocked range-lock try $mounted/ranged 100 50
ask refused
ask wait
release
ask granted
ask hold
check "flock: the second guest's lock is refused" refused flock -n $mounted/flocked true
check "fcntl: so is its range" refused range-lock try $mounted/ranged 149 1 /bin/true
flock $mounted/flocked true &
waiter=$!
ask release
check "flock: a wait ends with the release" wait $waiter
check "fcntl: the range is free" range-lock wait $mounted/ranged 0 0 /bin/true
ask leave
rm $mounted/flocked $mounted/ranged
detach
verdict
