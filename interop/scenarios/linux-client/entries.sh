# entries.sh COUNT: a directory that the host fills and empties.
. /host/lib.sh
attach
ask fill
began=$(uptime_ms)
same "a listing" "$1" "$(ls -U $mounted/filled | sort -u | wc -l)"
echo "NOTE listed in $(($(uptime_ms) - began)) ms"
began=$(uptime_ms)
same "a listing with attributes" "$1" "$(ls -lU $mounted/filled | grep -c ^-)"
echo "NOTE listed with attributes in $(($(uptime_ms) - began)) ms"
rm $mounted/filled/entry-000000 $mounted/filled/entry-000777
same "two fewer" $(($1 - 2)) "$(ls -U $mounted/filled | wc -l)"
ask empty
drop_caches
same "all is gone" "" "$(ls -A $mounted)"
detach
verdict
