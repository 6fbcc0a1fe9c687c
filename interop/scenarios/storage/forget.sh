# forget.sh: what is not on storage is lost from the caches only if it is not waiting for storage.
sync -f /disk
echo 3 >/proc/sys/vm/drop_caches
