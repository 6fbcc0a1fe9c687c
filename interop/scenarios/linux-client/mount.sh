# Mount, space, unmount.
. /host/lib.sh
attach
grep " $mounted " /proc/mounts | sed 's/^/NOTE /'
check "df sees space" sh -c "df -k $mounted | awk 'END { exit !(\$2 > 0 && \$4 > 0) }'"
same "an empty export lists nothing" "" "$(ls $mounted)"
echo hello >$mounted/small
same "a small file is on the server" hello "$(cat $shared/small)"
rm $mounted/small
same "it is gone from the server" "" "$(ls $shared)"
detach
verdict
