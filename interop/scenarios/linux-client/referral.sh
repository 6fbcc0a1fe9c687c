# A server that sends its clients to another one, which is that of the cell, and goes on with copies after their
# replies. The argument is its port; it has /data and /moved.
. /host/lib.sh
usual=$PORT
PORT=$1
EXPORT=/
echo "at the other server" >$shared/elsewhere
attach
same "a file of the other server" "at the other server" "$(cat $mounted/moved/elsewhere)"
line=$(grep " $mounted/moved " /proc/mounts)
echo "NOTE $line"
for option in proto=rdma "port=$usual"; do
  case ",${line#* nfs4 }," in
    *",$option,"*) pass "$option" ;;
    *) fail "the other server is mounted with no $option: $line" ;;
  esac
done
rm $mounted/moved/elsewhere
check "unmount the other server" umount $mounted/moved

random 25000001 $mounted/data/source
sync
check "cp" cp $mounted/data/source $mounted/data/copy
drop_caches
check "the copy" cmp $mounted/data/source $mounted/data/copy
same "one COPY for all of it" 1 "$(operations $mounted/data COPY)"
rm $mounted/data/source $mounted/data/copy
check "unmount the data" umount $mounted/data
detach
verdict
