# The connection is lost after the server has carried out a call and before its reply: no command sees an error, and no
# call is carried out twice. The argument is the port of a relay.
. /host/lib.sh
PORT=$1
attach
mkdir $mounted/replies $mounted/replies/old
cd $mounted/replies || verdict
echo content >file
echo other >victim

ask lose mkdir
check "mkdir" mkdir new
ask lose symlink
check "symlink" ln -s file symlink
ask lose link
check "link" ln file link
ask lose create
check "create, exclusively" sh -c 'set -C; echo mine >created'
ask lose rename
check "rename" mv file renamed
ask lose remove
check "remove" rm victim
ask lose rmdir
check "rmdir" rmdir old

same "everything was done once" "created link new renamed symlink" "$(ls | sort | tr '\n' ' ' | sed 's/ $//')"
same "the link counts" 2 "$(stat -c %h renamed)"
same "what was created has its content" mine "$(cat created)"
check "it connected anew each time" test "$(counter connects)" -ge 8
cd /
rm -r $mounted/replies
detach reconnected
verdict
