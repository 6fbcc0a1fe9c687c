# forget.sh: drops the caches. It syncs first, because data that waits for storage stays in them.
sync -f /disk
echo 3 >/proc/sys/vm/drop_caches
