# names.sh ENTRIES: large directories, rename storms, links, long names, permissions and times.
. /host/lib.sh
entries=$1
attach
cd $mounted || exit 1
mkdir many
(cd $shared/many && seq -f 'a-file-with-a-longish-name-%.0f' 1 "$entries" | xargs touch)
same "a listing has $entries entries" "$entries" "$(ls many | sort -u | wc -l)"
check "READDIR used Reply chunks" used reply_chunks
same "so has one with attributes" "$entries" "$(ls -l many | grep -c a-file)"
(cd many && seq -f 'made-here-%.0f' 1 100 | xargs touch && seq -f 'made-here-%.0f' 1 100 | xargs rm)
same "removed again" "$entries" "$(ls $shared/many | wc -l)"
i=0
: >many/storm
while [ $i -lt 100 ]; do
  mv many/storm storm
  mv storm many/storm
  i=$((i + 1))
done
check "a storm of renames" test -e $shared/many/storm -a ! -e $shared/storm
echo one >one
echo two >two
mv one two
same "a rename replaces" one "$(cat $shared/two)"
ln two three
same "a hard link" "$(stat -c %i two)" "$(stat -c %i three)"
same "has two names" 2 "$(stat -c %h two)"
rm two
same "one name is left" one "$(cat three)"
long=$(printf '%0200d' 0 | tr 0 t)/../../some/where/else
ln -s "$long" link
same "a symbolic link" "$long" "$(readlink link)"
same "the server reads it alike" "$long" "$(readlink $shared/link)"
name=$(printf '%0255d' 0 | tr 0 n)
echo long >"$name"
same "a name of 255 bytes" long "$(cat "$shared/$name")"
touch "${name}x" 2>/dev/null && fail "a name of 256 bytes was taken"
touch 'grüße, мир' 'a b	c'
drop_caches
same "names that are not ASCII" "$(printf 'a b\tc|grüße, мир')" "$(ls -1 | grep -e mir -e ' ' -e мир | LC_ALL=C sort | paste -sd'|')"
chmod 600 three
touch -d '2001-02-03 04:05:06.5' three
same "mode and time" "600 $(date -d '2001-02-03 04:05:06' +%s)" "$(stat -c '%a %Y' $shared/three)"
mkdir -p deep/er/and/deeper
rmdir many 2>/dev/null && fail "a directory that is not empty was removed"
rm -rf many deep three link "$name" 'grüße, мир' 'a b	c'
same "all is gone" "" "$(ls -A $shared)"
cd /
detach
verdict
