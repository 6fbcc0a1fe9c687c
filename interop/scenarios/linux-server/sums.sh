# Names and checksums of the files of the export, as the kernel sees them.
cd /export && find . -type f | LC_ALL=C sort | while read -r name; do printf '%s %s\n' "$(sha256sum <"$name" | cut -d' ' -f1)" "$name"; done
