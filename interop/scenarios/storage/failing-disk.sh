# failing-disk.sh FILE...: makes an ext4 on the first disk, which fail.sh can make fail, and a directory to serve on it.
# The files in it have blocks, but no data.
set -e
modprobe -a virtio_blk ext4 dm_mod
sectors=$(blockdev --getsz /dev/vda)
dmsetup create --noudevsync failing --table "0 $sectors linear /dev/vda 0"
dmsetup mknodes
mke2fs -q -F -t ext4 -b 4096 /dev/mapper/failing
mkdir -p /disk
mount -t ext4 /dev/mapper/failing /disk
mkdir /disk/export
chmod 777 /disk/export
for name in "$@"; do
  fallocate -l 4M "/disk/export/$name"
done
sync -f /disk
