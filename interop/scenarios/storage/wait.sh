# wait.sh: waits until our server has closed its unused descriptors, after a second.
sleep 3
