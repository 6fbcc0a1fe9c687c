# Access control lists of version 3, on a server whose file system has POSIX ACLs, and what version 4.2 shows of them.
. /host/lib.sh
EXPORT=/acls
new=/mnt/new
tree=$mounted/tree
memory=/tmp/acls/tree
refused() { ! "$@" 2>/dev/null; }
as() { # as USER COMMAND...
  user=$1
  shift
  chroot --userspec="$user:$user" --groups= / "$@"
}
listing() { (cd "$1" && find . | LC_ALL=C sort | getfacl --numeric --no-effective -); }
both() { # both WHAT COMMAND...: in the mount and in memory; $at is the place
  what=$1
  shift
  for at in $tree $memory; do
    (cd $at && "$@") || fail "$what in $at"
  done
}
equal() { # equal WHAT: the mount, memory and the server's host have the same lists
  listing $memory >/tmp/expected
  [ -s /tmp/expected ] || fail "$1: nothing in memory"
  listing $tree >/tmp/found
  check "$1: as in memory" diff /tmp/expected /tmp/found
  ask tree
  check "$1: as on the host of the server" diff /tmp/expected /host/answer
}

attach
mkdir -p $tree $memory
both "a file" sh -c 'echo content >file && chmod 640 file && chown 7:8 file'
equal "no lists"
both "a list" setfacl -m u:1000:rw-,g:1001:r-- file
equal "a list"
same "the mode has the mask" 660 "$(stat -c %a $tree/file)"
check "a user of the list writes" as 1000 sh -c "echo more >>$tree/file"
check "a group of the list reads" as 1001 cat $tree/file >/dev/null
check "it does not write" refused as 1001 sh -c "echo more >>$tree/file"
check "others do not read" refused as 1002 cat $tree/file
both "a mask" setfacl -m m::r-- file
equal "a mask"
check "the mask withholds the right to write" refused as 1000 sh -c "echo more >>$tree/file"
both "chmod" chmod 600 file
equal "chmod"
both "an entry removed" setfacl -x u:1000 file
equal "an entry removed"
both "a directory" mkdir directory
both "a default list" setfacl -d -m u:1000:rwx,g::r-x,o::--- directory
equal "a default list"
both "what is made there" sh -c 'umask 077; echo content >directory/file; mkdir directory/inner; echo content >directory/inner/file'
equal "what is made there"
check "a user of the default list writes" as 1000 sh -c "echo more >>$tree/directory/inner/file"
both "the default list removed" setfacl -k directory/inner
both "many entries" sh -c 'i=2000; while [ $i -lt 2060 ]; do echo "u:$i:r-x"; i=$((i + 1)); done | setfacl -M - directory/inner'
equal "many entries"
check "no list for a symbolic link" sh -c "ln -s file $tree/link && setfacl -m u:1000:r-- $tree/link"
rm $tree/link
setfacl -m u:1000:r-- $memory/file
equal "the file of a symbolic link"

mkdir -p $new
check "version 4.2" mount -t nfs -o "proto=$PROTO,vers=4.2,hard,port=$PORT" "$SERVER:$EXPORT" $new
modes() { (cd "$1" && find . -exec stat -c '%n %a %u %g' {} + | LC_ALL=C sort); }
modes $tree >/tmp/expected
modes $new/tree >/tmp/found
check "version 4.2 has the same modes" diff /tmp/expected /tmp/found
check "a user of a list writes with version 4.2" as 1000 sh -c "echo more >>$new/tree/directory/inner/file"
check "others do not" refused as 1002 sh -c "echo more >>$new/tree/directory/inner/file"
error=$(setfacl -m u:1000:r-- $new/tree/file 2>&1) && fail "setfacl with version 4.2"
case $error in
  *"Operation not supported"*) pass "setfacl is not supported with version 4.2" ;;
  *) fail "setfacl with version 4.2: $error" ;;
esac
same "getfacl shows the mode" "user::rw- group::r-- other::---" \
  "$(cd $new/tree && getfacl --numeric --omit-header file | paste -sd' ' | sed 's/ *$//')"
check "chmod with version 4.2" chmod 640 $new/tree/directory/inner/file
check "unmount of version 4.2" umount $new
detach
attach
chmod 640 $memory/directory/inner/file
equal "a mode that version 4.2 has changed"
both "all lists removed" setfacl -R -b directory file
equal "all lists removed"
rm -r $tree /tmp/acls
detach
verdict
