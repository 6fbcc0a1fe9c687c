# fail.sh FILE: from now on the disk fails for the blocks of a file, and for no others.
set -e
sync -f /disk
sectors=$(blockdev --getsz /dev/vda)
# The extents in sectors, in their order on the disk.
filefrag -e -b512 "/disk/export/$1" |
  sed -n 's/^ *[0-9]*: *[0-9]*\.\. *[0-9]*: *\([0-9]*\)\.\. *\([0-9]*\):.*/\1 \2/p' | sort -n |
  {
    at=0
    while read -r from to; do
      [ "$from" -le $at ] || echo "$at $((from - at)) linear /dev/vda $at"
      at=$((to + 1))
      echo "$from $((at - from)) error"
    done
    echo "$at $((sectors - at)) linear /dev/vda $at"
  } >/tmp/table
grep -q error /tmp/table
dmsetup suspend --noudevsync --nolockfs failing
dmsetup load failing /tmp/table
dmsetup resume --noudevsync failing
