# attributes.sh make DIRECTORY: makes a tree of modes, owners, times, names, holes, links and special files, on the host.
# attributes.sh list DIRECTORY: lists all of it; two trees are equal if their lists are. Runs on both sides.
# attributes.sh remove DIRECTORY
export LC_ALL=C TZ=UTC QUOTING_STYLE=c

make_tree() {
  mkdir "$1" && cd "$1" && mkdir modes names kinds holes || exit 1
  for tens in $(seq 0 41 511); do
    for special in 0 1 2 4 6 7; do
      # The owner must be able to read it.
      mode=$special$(printf %03o $((tens | 256)))
      echo "$mode" >"modes/$mode" && chmod "$mode" "modes/$mode"
    done
  done
  for byte in $(seq 1 255); do
    [ "$byte" = 46 ] || [ "$byte" = 47 ] || [ "$byte" = 10 ] || : >"names/$(printf '\%03o' "$byte" | xargs -0 printf)"
  done
  : >"names/$(printf '%0255d' 0)"
  mkfifo -m 640 kinds/fifo
  [ "$(id -u)" != 0 ] || { mknod -m 620 kinds/null c 1 3 && mknod kinds/loop b 7 200; }
  ln -s nowhere kinds/dangling
  ln -s "$(printf '/\377\376')" kinds/strange
  echo linked >kinds/one && ln kinds/one kinds/two && ln kinds/one names/three
  ln kinds/dangling kinds/again
  truncate -s 3000001 holes/all holes/front holes/middle
  echo end >>holes/front
  echo middle | dd of=holes/middle bs=1 seek=1500000 conv=notrunc status=none
  mkdir -m 2755 kinds/group
  mkdir kinds/closed && echo inside >kinds/closed/inside && chmod 555 kinds/closed
  # Reading a file does not change a time of access in the future.
  ahead=$(($(date +%s) + 40000))
  find . -depth -print0 | xargs -0 touch -h -a -d "@$ahead.123456789"
  find . -depth -print0 | xargs -0 touch -h -m -d '@1234567890.987654321'
  touch -m -d '@4294967295.5' kinds/one
  touch -a -d '@4294967295.6' kinds/one
}

list_tree() {
  cd "$1" || exit 1
  find . -print0 | sort -z | xargs -0 stat -c '%i %f %u:%g %h %b %s %.9Y %.9X %t,%T %N' | awk '{
    if (!($1 in first)) first[$1] = NR
    $1 = "file " first[$1]
    if ($2 ~ /^4...$/) $4 = $5 = $6 = "-"
    else $5 = $6 >= 4096 && $5 * 512 < $6 ? "holes" : "whole"
    print
  }'
  find . -type f -print0 | sort -z | xargs -0 cat | sha256sum
}

case $1 in
  make) make_tree "$2" ;;
  list) list_tree "$2" ;;
  remove) find "$2" -type d -exec chmod u+w {} + && rm -rf "$2" ;;
esac
