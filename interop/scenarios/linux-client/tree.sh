# A tree with files, links, modes, owners and times, in and out, compared byte by byte. Without OWNERS the server
# has no right to change owners.
. /host/lib.sh
from=/tmp/from
mkdir -p $from/tree/inner/deep $from/tree/empty
for size in 0 1 4095 4097 65537 1048577; do random $size $from/tree/file$size; done
cp $from/tree/file4095 "$from/tree/inner/deep/$(printf '%0255d' 0 | tr 0 n)"
echo program >$from/tree/inner/program
chmod 755 $from/tree/inner/program
chmod 2750 $from/tree/empty
touch -d '2001-02-03 04:05:06.123456789' $from/tree/file4097
ln -s inner/program $from/tree/symbolic
ln $from/tree/file4097 $from/tree/hard
mkfifo $from/tree/fifo
preserved=mode,timestamps,links owner=
if [ -n "$OWNERS" ]; then
    chown 1000:1000 $from/tree/file1
    preserved=all owner=%u:%g
fi
# Version 2 has no nanoseconds.
precise() { if [ "$VERSION" = 2 ]; then sed 's/\(\.[0-9]\{6\}\)[0-9]\{3\} /\1 /'; else cat; fi; }
listing() {
    (cd "$1" && find . ! -name . -exec stat -c "%n %F %a $owner %h %s %y" {} + | grep -v ' directory ' | precise | LC_ALL=C sort)
}
attach
cp -dR --preserve=$preserved $from/tree $mounted/
drop_caches
check "the same files" diff -r --no-dereference --exclude=fifo $from/tree $mounted/tree
listing $from/tree >/tmp/expected
listing $mounted/tree >/tmp/found
check "the same attributes" diff /tmp/expected /tmp/found
same "the mode of a directory" 2750 "$(stat -c %a $mounted/tree/empty)"
mv $mounted/tree/inner $mounted/tree/empty/moved
same "a moved directory" program "$(cat $mounted/tree/empty/moved/program)"
rm -r $mounted/tree
same "all is gone" "" "$(ls -A $shared)"
detach
rm -r $from
verdict
