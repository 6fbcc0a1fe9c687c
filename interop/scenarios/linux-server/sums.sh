# Names and checksums of what the export holds, as the kernel sees it.
cd /export && find . -type f | LC_ALL=C sort | while read -r name; do printf '%s %s\n' "$(sha256sum <"$name" | cut -d' ' -f1)" "$name"; done
