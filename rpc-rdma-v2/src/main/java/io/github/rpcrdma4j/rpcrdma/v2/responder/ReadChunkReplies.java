package io.github.rpcrdma4j.rpcrdma.v2.responder;

import io.github.rpcrdma4j.oncrpc.Timeouts;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionParameters;
import io.github.rpcrdma4j.rpcrdma.connection.Counters;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.responder.ConnectionQuota;
import io.github.rpcrdma4j.rpcrdma.responder.ResponderProfile.Outgoing;
import io.github.rpcrdma4j.rpcrdma.responder.ServedCall;
import io.github.rpcrdma4j.rpcrdma.rfc5666.fetched.ExposedReplies.Bounds;
import io.github.rpcrdma4j.rpcrdma.rfc5666.fetched.ExposedReplyMemory;
import io.github.rpcrdma4j.rpcrdma.rfc5666.fetched.ReadReplyPlan;
import io.github.rpcrdma4j.rpcrdma.rfc5666.fetched.ReplyExposer;
import io.github.rpcrdma4j.rpcrdma.rfc5666.options.FetchedCounter;
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
 * The replies of version 2 that requesters fetch because they fit nowhere else. Both sides must
 * have said that they support this (RPR-6-1, RPR-X-1). Guarded by the lock of the connection.
 *
 * <p>Tests: {@code ReadChunksByHandTest}.
 */
final class ReadChunkReplies {
    private final Endpoint endpoint;
    private final CharacteristicsExchange exchange;
    private final Counters counters;
    private final ExposedReplyMemory exposures;
    private final ReplyExposer exposer;

    /** The number of receives that are posted for done notices. */
    private int receives;

    /**
     * @param options how long a reply waits, and how many bytes may wait at a time
     * @param quota the client's quota, charged with all waiting bytes
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
        // RPR-X-6: bounded by the number of calls, and by the configured bytes.
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

    private boolean isSupported() {
        return exchange.known().contains(Extension.READ_CHUNKS)
                && exchange.peer().readChunks().has(ReadChunks.FETCHES);
    }

    /**
     * Returns whether the reply to a call may be made now: another reply may be exposed, or this
     * one is sure to fit one Send.
     */
    boolean hasRoom(ServedCall call, ConnectionParameters parameters) {
        return exposures.hasRoom()
                || !call.hasReply()
                || call.chunks().isEmpty()
                        && Version2HeaderCodec.EMPTY_LISTS_BYTES + call.reply().position()
                                <= parameters.replyThreshold();
    }

    /**
     * Exposes a reply that cannot travel otherwise (RPR-4.1.1-1, RPR-5.3.2-1).
     *
     * @return empty if the requester cannot fetch it either; then an error is owed (RPR-4.1.1-2,
     *     RPR-6-2)
     */
    Optional<Outgoing> reply(ServedCall call, ConnectionParameters parameters, int granted) {
        if (!isSupported() || parameters.readsMax() == 0 || !exposures.mayExpose(call.xid())) {
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
        // A receive for the done notice is posted before the reply can be fetched.
        while (receives <= exposures.waiting()) {
            endpoint.postReceive();
            receives++;
        }
        return Optional.of(
                exposer.expose(
                        call,
                        placed.get(),
                        plan.get(),
                        lists ->
                                new Version2Header.NoMsg(
                                        call.xid(), granted, Direction.REPLY, lists)));
    }

    /** Returns the number of receives that were posted for done notices. */
    int receives() {
        return receives;
    }

    /** Releases the replies to those calls, which the requester has finished with. */
    boolean done(List<Integer> xids, OptionalInt invalidated) {
        boolean known = exposures.done(xids, invalidated);
        if (known) {
            counters.count(FetchedCounter.DONE_NOTICES);
            counters.count(Counter.REMOTE_INVALIDATIONS, invalidated.isPresent() ? 1 : 0);
        }
        return known;
    }

    /** Returns the header to send again when a call is repeated whose reply waits. */
    Optional<TransportHeader> called(int xid) {
        return exposures.called(xid);
    }

    /** Returns whether replies wait to be fetched. */
    boolean isWaiting() {
        return exposures.waiting() > 0;
    }

    /** Returns whether the connection was closed because a reply was not fetched. */
    boolean expire(long now, int timeoutDivisor) {
        return exposures.expire(now, timeoutDivisor);
    }

    /** Releases everything after the connection is lost. */
    void lost() {
        exposures.lost();
    }
}
