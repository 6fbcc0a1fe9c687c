package io.github.rpcrdma4j.rpcrdma.v2.responder;

import io.github.rpcrdma4j.oncrpc.Timeouts;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionParameters;
import io.github.rpcrdma4j.rpcrdma.connection.Counters;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.fetched.ExposedReplies.Bounds;
import io.github.rpcrdma4j.rpcrdma.fetched.ExposedReplyMemory;
import io.github.rpcrdma4j.rpcrdma.fetched.ReadReplyPlan;
import io.github.rpcrdma4j.rpcrdma.fetched.ReplyExposer;
import io.github.rpcrdma4j.rpcrdma.fetched.options.FetchedCounter;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.responder.ConnectionQuota;
import io.github.rpcrdma4j.rpcrdma.responder.ResponderProfile.Outgoing;
import io.github.rpcrdma4j.rpcrdma.responder.ServedCall;
import io.github.rpcrdma4j.rpcrdma.v2.connection.CharacteristicsExchange;
import io.github.rpcrdma4j.rpcrdma.v2.options.FetchedReplies;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.ReadChunks;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Direction;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Extension;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2HeaderCodec;
import io.github.rpcrdma4j.rpcrdma.wire.TransportHeader;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * In version 2 a reply that has no room is fetched by its requester, if both sides have said that
 * they know that (RPR-6-1, RPR-X-1). Guarded by the lock of the connection.
 */
final class ReadChunkReplies {
    private final Endpoint endpoint;
    private final CharacteristicsExchange exchange;
    private final Counters counters;
    private final ExposedReplyMemory exposures;
    private final ReplyExposer exposer;

    /** Receives that stand posted for what tells that replies were fetched. */
    private int receives;

    /**
     * @param options how long a reply waits, and how many bytes at a time
     * @param quota of the client, which holds what waits
     * @param segmentMax the longest segment to offer, in bytes
     */
    ReadChunkReplies(
            Endpoint endpoint,
            CharacteristicsExchange exchange,
            FetchedReplies options,
            ConnectionQuota quota,
            Counters counters,
            long segmentMax) {
        this.endpoint = endpoint;
        this.exchange = exchange;
        this.counters = counters;
        // RPR-X-6: as many as calls at a time, and so many bytes.
        this.exposures =
                new ExposedReplyMemory(
                        new Bounds(
                                exchange.credits(),
                                options.exposedBytesMax(),
                                Timeouts.nanos(options.hold()),
                                options.lateness()),
                        quota,
                        counters,
                        endpoint::close);
        this.exposer = new ReplyExposer(endpoint.memory(), counters, exposures, segmentMax);
    }

    private boolean isSpoken() {
        return exchange.known().contains(Extension.READ_CHUNKS)
                && exchange.peer().readChunks().has(ReadChunks.RECEIVES);
    }

    /**
     * Whether the reply to a call may be made now: it fits one Send for sure, or another one may be
     * exposed.
     */
    boolean hasRoom(ServedCall call, ConnectionParameters parameters) {
        return exposures.hasRoom()
                || !call.hasReply()
                || call.chunks().isEmpty()
                        && Version2HeaderCodec.EMPTY_LISTS_BYTES + call.reply().position()
                                <= parameters.replyThreshold();
    }

    /**
     * A reply for which there is no other way (RPR-4.1.1-1, RPR-5.3.2-1).
     *
     * @return empty if it cannot be fetched either: an error is owed (RPR-4.1.1-2, RPR-6-2)
     */
    Optional<Outgoing> reply(ServedCall call, ConnectionParameters parameters, int granted) {
        if (!isSpoken() || parameters.readsMax() == 0 || !exposures.takes(call.xid())) {
            return Optional.empty();
        }
        var message = call.reply();
        var placed = call.placeResults();
        var plan =
                placed.flatMap(
                        written ->
                                ReadReplyPlan.whole(
                                        call.chunks(),
                                        written,
                                        message.reducedStream(),
                                        message.bulkItems(),
                                        parameters.replyThreshold()
                                                - Version2Responder.DIRECTION_BYTES,
                                        exposer::segments));
        if (plan.isEmpty()) {
            return Optional.empty();
        }
        var outgoing =
                exposer.expose(
                        call,
                        placed.get(),
                        plan.get(),
                        lists ->
                                new Version2Header.NoMsg(
                                        call.xid(), granted, Direction.REPLY, lists));
        // One for what will tell that it was fetched, before it can be.
        while (receives < exposures.owed()) {
            endpoint.postReceive();
            receives++;
        }
        return Optional.of(outgoing);
    }

    /** Receives that were posted for what tells that replies were fetched. */
    int receives() {
        return receives;
    }

    /** The requester is done with the replies to those calls. */
    boolean done(List<Integer> xids, OptionalInt invalidated) {
        boolean known = exposures.done(xids, invalidated);
        if (known) {
            counters.count(FetchedCounter.DONES);
            counters.count(Counter.REMOTE_INVALIDATIONS, invalidated.isPresent() ? 1 : 0);
        }
        return known;
    }

    /** What to send again, if a call came whose reply waits. */
    Optional<TransportHeader> called(int xid) {
        return exposures.called(xid);
    }

    /** Whether the connection was closed for a reply that was not fetched. */
    boolean expire(long now) {
        return exposures.expire(now);
    }

    /** The connection is gone. */
    void lost() {
        exposures.lost();
    }
}
