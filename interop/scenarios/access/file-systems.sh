# Makes the file systems of the table in memory: a large one, and two small ones with space reserved for root and a
# quota of 4 MiB for root and one other user.
set -e
modprobe -a loop ext4 quota_v2
# As distributions set them.
sysctl -qw fs.protected_hardlinks=1 fs.protected_symlinks=1 fs.protected_regular=2 fs.protected_fifos=1
truncate -s 512M /tmp/table.image
mke2fs -q -F -t ext4 -N 65536 /tmp/table.image
mkdir -p /table /small/knfsd /small/ours
mount -o loop /tmp/table.image /table
mkdir /table/knfsd /table/ours
for server in knfsd ours; do
  truncate -s 32M /tmp/$server.image
  mke2fs -q -F -t ext4 -m 25 -O quota -E quotatype=usrquota /tmp/$server.image
  mount -o loop,usrquota /tmp/$server.image /small/$server
  mkdir -m 777 /small/$server/open
  setquota -u 0 0 4096 0 0 /small/$server
  setquota -u 1000 0 4096 0 0 /small/$server
done
