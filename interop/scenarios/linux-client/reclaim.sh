# The server is killed and started again while files are open and locked: the client reclaims them, and nobody else
# gets a lock meanwhile.
. /host/lib.sh
. /host/hold.sh
other=/mnt/other
attach nosharecache
first=$mounted
mounted=$other
attach nosharecache
mounted=$first
echo content >$mounted/flocked
echo content >$mounted/ranged
exec 5>>$mounted/open
echo before >&5
hold flock -n $mounted/flocked range-lock try $mounted/ranged 100 50
ask restart-server
check "a write to an open file" sh -c 'echo after >&5'
sync $mounted/open
same "the open file" "before after" "$(paste -sd' ' $shared/open)"
check "flock: a second owner is refused" refused flock -n $other/flocked true
check "fcntl: an overlapping range is refused" refused range-lock try $other/ranged 149 1 /bin/true
check "fcntl: the range before is free" range-lock try $other/ranged 0 100 /bin/true
release
check "flock: it is free after the release" flock -n $other/flocked true
check "fcntl: so is the range" range-lock try $other/ranged 0 0 /bin/true
exec 5>&-
check "the client has lost nothing" sh -c '! dmesg | grep -i "reclaim\|lost"'
rm $mounted/open $mounted/flocked $mounted/ranged
umount $other
detach reconnected
verdict
