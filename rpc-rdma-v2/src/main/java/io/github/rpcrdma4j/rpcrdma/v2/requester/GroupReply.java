package io.github.rpcrdma4j.rpcrdma.v2.requester;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.rpcrdma.chunk.ReadChunkPlacements;
import io.github.rpcrdma4j.rpcrdma.connection.Counters;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.requester.PendingCall;
import io.github.rpcrdma4j.rpcrdma.requester.PendingCall.Answer;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2Counter;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.Group;
import io.github.rpcrdma4j.rpcrdma.v2.transmission.PlacedMessage;
import io.github.rpcrdma4j.rpcrdma.v2.wire.PlacementItem.Location;
import io.github.rpcrdma4j.xdr.BulkItem;
import java.util.ArrayList;

/** Makes the answer to a call from a response of several Sends, or with placed results. */
final class GroupReply {
    private GroupReply() {}

    /**
     * Returns the answer. Data that has to be copied lies in memory of the call.
     *
     * @param message a message that was checked against the directions of the call
     */
    static Answer of(
            PendingCall call,
            Group group,
            PlacedMessage message,
            SegmentPool pool,
            Counters counters) {
        var results = new ArrayList<BulkItem>();
        var moved = group.initial().moved();
        var items = message.items().iterator();
        for (int i = 0; i < moved.size(); i++) {
            var item = moved.get(i);
            switch (item.location()) {
                case Location.Explicit _ -> {
                    items.next();
                    counters.countChunk(
                            Counter.WRITE_CHUNKS,
                            Counter.WRITE_CHUNK_BYTES,
                            call.xid(),
                            item.length());
                    results.add(
                            new BulkItem(
                                    item.displacement(),
                                    call.resultTargets().get(i).asSlice(0, item.length())));
                }
                case Location.Numbered _ -> {
                    counters.count(Version2Counter.PLACED_RESULTS);
                    counters.count(Version2Counter.PLACED_RESULT_BYTES, item.length());
                    results.add(
                            new BulkItem(
                                    item.displacement(),
                                    items.next()
                                            .data(
                                                    bytes ->
                                                            call.hold(pool.lease(bytes))
                                                                    .segment())));
                }
                case Location.TooShort _, Location.NoItem _ -> {}
            }
        }
        if (group.sends().size() > 1) {
            counters.count(Version2Counter.CONTINUED_REPLIES);
        }
        var stream = message.stream(bytes -> call.hold(pool.lease(bytes)).segment());
        counters.count(Counter.INLINE_REPLY_BYTES, stream.byteSize());
        return new Answer.Reply(stream, new ReadChunkPlacements(results));
    }
}
