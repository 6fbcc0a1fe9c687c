# Extended attributes of users (RFC 8276).
. /host/lib.sh
attach
file=$mounted/with
echo content >$file
mkdir $mounted/directory
refused() { ! "$@" 2>/dev/null; }
for each in $file $mounted/directory; do
  check "set" setfattr -n user.color -v blue $each
  check "set another" setfattr -n user.größe -v 'viel größer' $each
  same "get" blue "$(getfattr --absolute-names --only-values -n user.color $each)"
  same "list" "user.color user.größe" "$(getfattr --absolute-names $each | grep user | LC_ALL=C sort | paste -sd' ')"
  check "change" setfattr -n user.color -v red $each
done
value=$(head -c 2000 /dev/zero | tr '\0' x)
check "a value of 2000 bytes" setfattr -n user.long -v "$value" $file
check "SETXATTR was asked" test "$(operations $mounted SETXATTR)" -ge 7
detach
drop_caches
attach
same "a new mount sees them" red "$(getfattr --absolute-names --only-values -n user.color $file)"
same "the long one as well" "$value" "$(getfattr --absolute-names --only-values -n user.long $file)"
check "remove" setfattr -x user.color $file
check "it is gone" refused getfattr --absolute-names --only-values -n user.color $file
check "what is not there cannot be removed" refused setfattr -x user.color $file
check "other names than those of users are refused" refused setfattr -n trusted.color -v red $file
check "REMOVEXATTR was asked" test "$(operations $mounted REMOVEXATTR)" -ge 1
rm -r $file $mounted/directory
detach
verdict
