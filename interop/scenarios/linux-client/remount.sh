# Written data is there after the next mount.
. /host/lib.sh
random 1000001 /tmp/ref
attach
cp /tmp/ref $mounted/kept
detach
drop_caches
attach
check "the data is still there" cmp /tmp/ref $mounted/kept
rm $mounted/kept
detach
rm /tmp/ref
verdict
