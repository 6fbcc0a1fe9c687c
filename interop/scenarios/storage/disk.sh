# disk.sh: mounts the ext4 of the first disk, and makes a directory to serve on it.
set -e
modprobe -a virtio_blk ext4
mkdir -p /disk
mount -t ext4 /dev/vda /disk
mkdir -p /disk/export
chmod 777 /disk/export
sync -f /disk
