# extensions.sh siw|rxe: version 2 with its extensions, our client at our server on a soft adapter of the guest.
KIND=$1
. /host/adapters/adapter.sh
serve
mkdir /tmp/served/many
for number in $(seq 400); do : >"/tmp/served/many/a-file-with-a-longish-name-$number"; done

moved() { # moved WORDS: checks that the line with these words counts something
  check "$1" awk -v words="$1" 'index($0, words) { split(substr($0, index($0, words) + length(words)), of); sum += of[1] }
    END { exit sum == 0 }' /tmp/printed
}
with="--provider rdma-core --rpcrdma-version 2"
small=/tmp/small
head -c 12000 $random >$small
# shellcheck disable=SC2086
copy "with placement" $small served $with --extensions placement
moved "arguments placed by Sends"
moved "results placed by Sends"
# shellcheck disable=SC2086
copy "with continuation" $random served $with --extensions continuation
# shellcheck disable=SC2086
$ours ls $with --extensions continuation -v "rdma://$ADDRESS/served/many" >/tmp/listed 2>/tmp/printed
check "a listing with continuation" test "$(wc -l </tmp/listed)" = 400
moved "replies in several Sends"
# shellcheck disable=SC2086
$ours ls $with --extensions read-chunks -v "rdma://$ADDRESS/served/many" >/tmp/listed 2>/tmp/printed
check "a listing with fetched replies" test "$(wc -l </tmp/listed)" = 400
moved "replies fetched: the client reads them"
# shellcheck disable=SC2086
copy "with all extensions" $random served $with --extensions continuation,placement,read-chunks
kill $server
wait $server
nothing_left
[ $failures -eq 0 ]
