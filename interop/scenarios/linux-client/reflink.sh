# Clones and copies of files on the server. The argument is the port of a server with /xfs, whose files can share
# blocks, and /ext4, whose files cannot. Files of the xfs have blocks of 4096 bytes.
. /host/lib.sh
PORT=$1
export LC_ALL=C
random 3000001 /tmp/source
random 2097152 /tmp/target
random 4096 /tmp/block
invalid="XFS_IOC_CLONE_RANGE: Invalid argument"
clone() { # clone SOURCE OFFSET TARGET OFFSET LENGTH: prints an error
  xfs_io -c "reflink -q $1 $2 $4 $5" "$3" 2>&1
}
copy() { # copy SOURCE OFFSET TARGET OFFSET LENGTH: prints an error
  xfs_io -c "copy_range -s $2 -d $4 -l $5 $1" "$3" 2>&1
}
splice() { # splice SOURCE OFFSET TARGET OFFSET LENGTH: the same in memory
  tail -c "+$(($2 + 1))" "$1" | head -c "$5" | dd of="$3" bs=64K seek="$4" oflag=seek_bytes conv=notrunc iflag=fullblock status=none
}
asked() { operations $mounted "$1"; }
equal() { # equal WHAT EXPECTED FILE: on the client with its caches and without
  check "$1, as the client sees it" cmp "$2" "$3"
  drop_caches
  check "$1, as the server has it" cmp "$2" "$3"
}
odd_copies() { # COPY in the server: odd offsets and lengths
  cp /tmp/target /tmp/copied
  cp /tmp/target $mounted/copied
  same "a copied range" "" "$(copy $mounted/source 1 $mounted/copied 4099 1000003)"
  splice /tmp/source 1 /tmp/copied 4099 1000003
  same "a copied end" "" "$(copy $mounted/source 2999000 $mounted/copied 2097152 1001)"
  splice /tmp/source 2999000 /tmp/copied 2097152 1001
  check "COPY was asked" test "$(asked COPY)" -ge 2
  equal "copied ranges" /tmp/copied $mounted/copied
}

EXPORT=/xfs
attach
file=$mounted/source
cp /tmp/source $file
check "cp --reflink=always" cp --reflink=always $file $mounted/clone
same "CLONE was asked" 1 "$(asked CLONE)"
same "nothing was copied" 0 "$(asked COPY)"
ask shared source 733
ask shared clone 733
equal "the clone" /tmp/source $mounted/clone

dd if=/tmp/block of=$mounted/clone bs=4096 seek=100 conv=notrunc,fsync status=none
cp /tmp/source /tmp/clone
dd if=/tmp/block of=/tmp/clone bs=4096 seek=100 conv=notrunc status=none
equal "a changed clone" /tmp/clone $mounted/clone
equal "its source" /tmp/source $file
ask shared source 732
ask shared clone 732

cp /tmp/target $mounted/target
cmp /tmp/target $mounted/target
same "a cloned range" "" "$(clone $file 1048576 $mounted/target 524288 262144)"
splice /tmp/source 1048576 /tmp/target 524288 262144
equal "a cloned range" /tmp/target $mounted/target
ask shared target 64
same "a cloned end" "" "$(clone $file 2998272 $mounted/target 2097152 1729)"
splice /tmp/source 2998272 /tmp/target 2097152 1729
equal "a cloned end" /tmp/target $mounted/target
ask shared target 65
same "a cloned range of one file" "" "$(clone $mounted/target 0 $mounted/target 1048576 65536)"
splice /tmp/target 0 /tmp/target 1048576 65536
equal "a cloned range of one file" /tmp/target $mounted/target
ask shared target 97

# The client knows the blocks of the server, and does not ask in vain.
before=$(asked CLONE)
same "an offset beside a block" "$invalid" "$(clone $file 1 $mounted/target 0 4096)"
same "a target beside a block" "$invalid" "$(clone $file 0 $mounted/target 1 4096)"
same "a length of no blocks" "$invalid" "$(clone $file 0 $mounted/target 0 4095)"
same "the client did not ask" "$before" "$(asked CLONE)"
same "a part of a block before the end of the target" "$invalid" "$(clone $file 2998272 $mounted/target 0 1729)"
same "a range beyond the source" "$invalid" "$(clone $file 2998272 $mounted/target 0 8192)"
same "an overlap in one file" "$invalid" "$(clone $file 0 $file 4096 8192)"
same "the server was asked for these three" $((before + 3)) "$(asked CLONE)"
equal "the target of what was refused" /tmp/target $mounted/target
equal "its source" /tmp/source $file
odd_copies
check "cp --reflink=auto" cp --reflink=auto $file $mounted/auto
equal "its copy" /tmp/source $mounted/auto
ask shared auto 733
check "a copy of all" test -z "$(copy $file 0 $mounted/target 0 3000001)"
equal "a copy of all" /tmp/source $mounted/target
echo "NOTE CLONE $(asked CLONE), COPY $(asked COPY) on xfs"
rm $mounted/*
detach

EXPORT=/ext4
attach
file=$mounted/source
cp /tmp/source $file
error=$(cp --reflink=always $file $mounted/clone 2>&1) && fail "cp --reflink=always on ext4"
same "its error" "cp: failed to clone '$mounted/clone' from '$file': Operation not supported" "$error"
same "the server was asked" 1 "$(asked CLONE)"
check "cp --reflink=auto on ext4" cp --reflink=auto $file $mounted/auto
check "it asked for COPY" test "$(asked COPY)" -ge 1
equal "its copy" /tmp/source $mounted/auto
odd_copies
echo "NOTE CLONE $(asked CLONE), COPY $(asked COPY) on ext4"
rm $mounted/source $mounted/auto $mounted/copied
detach
rm /tmp/source /tmp/target /tmp/block /tmp/clone /tmp/copied
verdict
