# Prints the properties of this system that affect access.
echo "Linux $(uname -r), knfsd on ext4"
sysctl fs.protected_hardlinks fs.protected_symlinks fs.protected_regular fs.protected_fifos
