# wait.sh: descriptors that are not used are closed after a second.
sleep 3
