# mend.sh: the disk works again.
set -e
dmsetup suspend --noudevsync --nolockfs failing
dmsetup load failing --table "0 $(blockdev --getsz /dev/vda) linear /dev/vda 0"
dmsetup resume --noudevsync failing
