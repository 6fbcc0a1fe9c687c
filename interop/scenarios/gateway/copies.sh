# copies.sh [FLAVOR]: files and a tree, in and out, at a server whose files this guest sees through the mount alone.
. /host/lib.sh
flavor=${1:-sys}
from=/tmp/from
mkdir -p $from/tree/inner/deep $from/tree/empty
for size in 0 1 4095 4097 65537 1048577 6000003; do random $size $from/tree/file$size; done
cp $from/tree/file4095 "$from/tree/inner/deep/$(printf '%0255d' 0 | tr 0 n)"
echo program >$from/tree/inner/program
chmod 755 $from/tree/inner/program
attach "sec=$flavor"
cp -r $from/tree $mounted/
sync
ask sums
(cd $from && find . -type f | LC_ALL=C sort | while read -r name; do echo "$(sum "$name") $name"; done) >/tmp/sums
check "the server has the same files" cmp /tmp/sums /host/sums
drop_caches
check "so has the client" diff -r $from/tree $mounted/tree
check "and the mode of a program" test -x $mounted/tree/inner/program
if [ "$PROTO" = rdma ]; then
  case $flavor in
    sys | krb5)
      check "WRITE data was fetched" used read_chunks
      check "READ data was placed" used write_chunks
      ;;
    *) same "no data was placed" 0 "$(counter write_chunks)" ;;
  esac
fi
ln -s inner/program $mounted/tree/symbolic
ln $mounted/tree/file4097 $mounted/tree/hard
mv $mounted/tree/file4097 $mounted/tree/empty/moved
same "a symbolic link" program "$(cat $mounted/tree/symbolic)"
same "a moved file with two names" 2 "$(stat -c %h $mounted/tree/empty/moved)"
check "has its bytes" cmp $from/tree/file4097 $mounted/tree/hard
(cd $mounted/tree/empty && seq -f 'a-file-with-a-longish-name-%.0f' 1 300 | xargs touch)
drop_caches
same "a listing" 301 "$(ls $mounted/tree/empty | wc -l)"
rm -r $mounted/tree
same "all is gone" "" "$(ls -A $mounted)"
detach
rm -r $from
verdict
