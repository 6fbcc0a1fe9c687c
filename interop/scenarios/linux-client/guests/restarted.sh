# restarted.sh STEP: a guest that loses its power while it has locks of version 3, and boots again. What its statd knows
# is on a disk.
export LOCKS=lock
. /host/lib.sh
. /host/hold.sh
disk() {
  hostname restarted
  modprobe -a virtio_blk ext4
  check "the disk" mount -t ext4 /dev/vda /var/lib/nfs
}
statd() { # statd [OPTION]: without --no-notify it tells the hosts that it knew before the boot
  rpcbind -w
  check "rpc.statd" rpc.statd "$@"
}
case $1 in
  hold)
    disk
    mkdir -p /var/lib/nfs/sm /var/lib/nfs/sm.bak
    chown -R statd /var/lib/nfs
    statd --no-notify
    attach
    echo content >$mounted/flocked
    echo content >$mounted/ranged
    hold flock -n $mounted/flocked range-lock try $mounted/ranged 100 50
    same "statd knows the server" "$SERVER" "$(ls /var/lib/nfs/sm)"
    ;;
  boot)
    disk
    same "statd knew the server" "$SERVER" "$(ls /var/lib/nfs/sm)"
    statd
    ;;
  lock)
    attach
    for lock in flocked ranged; do check "it gets $lock anew" flock -n $mounted/$lock true; done
    rm $mounted/flocked $mounted/ranged
    detach
    ;;
esac
verdict
