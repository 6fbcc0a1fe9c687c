# The root of the server, mounted with no option but the transport: both sides agree on the rest.
. /host/lib.sh
mkdir -p $mounted
check "mount -o rdma" mount -t nfs -o rdma "$SERVER:/" $mounted
line=$(grep " $mounted " /proc/mounts)
echo "NOTE $line"
for option in vers=4.2 proto=rdma sec=sys rsize=1048576 wsize=1048576 local_lock=none; do
  case ",${line#* nfs4 }," in
    *[,\ ]$option,*) pass "$option" ;;
    *) fail "the mount has no $option: $line" ;;
  esac
done
same "the root lists the export" export "$(ls $mounted)"
refused() { ! "$@" 2>/dev/null; }
check "nothing can be made beside it" refused mkdir $mounted/other
echo hello >$mounted/export/small
same "a small file is on the server" hello "$(cat $shared/small)"
check "the export is another file system" test "$(stat -c %d $mounted)" != "$(stat -c %d $mounted/export)"
rm $mounted/export/small
detach
verdict
