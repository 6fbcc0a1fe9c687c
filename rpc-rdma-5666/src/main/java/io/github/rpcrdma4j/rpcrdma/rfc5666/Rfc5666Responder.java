package io.github.rpcrdma4j.rpcrdma.rfc5666;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.Timeouts;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionParameters;
import io.github.rpcrdma4j.rpcrdma.connection.Counters;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.connection.MessageSends.OutgoingSend;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.responder.ReplyPlan;
import io.github.rpcrdma4j.rpcrdma.responder.Responder;
import io.github.rpcrdma4j.rpcrdma.responder.ResponderProfile;
import io.github.rpcrdma4j.rpcrdma.responder.ServedCall;
import io.github.rpcrdma4j.rpcrdma.responder.ServedCall.Arrival;
import io.github.rpcrdma4j.rpcrdma.rfc5666.fetched.ExposedReplies;
import io.github.rpcrdma4j.rpcrdma.rfc5666.fetched.ExposedReplyMemory;
import io.github.rpcrdma4j.rpcrdma.rfc5666.fetched.ReadReplyPlan;
import io.github.rpcrdma4j.rpcrdma.rfc5666.fetched.ReplyExposer;
import io.github.rpcrdma4j.rpcrdma.rfc5666.options.FetchedCounter;
import io.github.rpcrdma4j.rpcrdma.rfc5666.options.LateFetch;
import io.github.rpcrdma4j.rpcrdma.rfc5666.wire.AlignedPayload;
import io.github.rpcrdma4j.rpcrdma.rfc5666.wire.AlignedPlacements;
import io.github.rpcrdma4j.rpcrdma.rfc5666.wire.Alignment;
import io.github.rpcrdma4j.rpcrdma.rfc5666.wire.Rfc5666Header.PaddedMsg;
import io.github.rpcrdma4j.rpcrdma.rfc5666.wire.Rfc5666Received;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.PlainMessage;
import io.github.rpcrdma4j.rpcrdma.wire.TransportHeader;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.xdr.Placements;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Lets requesters fetch results that fit nowhere else, and aligns long items (RFC 5666).
 *
 * <p>Tests: {@code Rfc5666ByHandTest}, {@code Rfc5666OverIwarpTest}.
 */
final class Rfc5666Responder implements ResponderProfile {
    private final Rfc5666 options;
    private final Responder responder;
    private final Counters counters;
    private final ExposedReplyMemory exposures;
    private final ReplyExposer exposer;
    private boolean countsPadding;

    /**
     * Whether the client is known to support RFC 5666: it can fetch results, and take RDMA_MSGP.
     */
    private boolean isSupported;

    Rfc5666Responder(Rfc5666 options, Responder responder, Endpoint endpoint, Counters counters) {
        this.options = options;
        isSupported = !options.configures();
        this.responder = responder;
        this.counters = counters;
        // As many replies as credits may wait (RFC 5666-3.8-3, 5666-11-8).
        this.exposures =
                new ExposedReplyMemory(
                        new ExposedReplies.Bounds(
                                responder.credits(),
                                options.exposedBytesMax(),
                                Timeouts.nanos(options.doneTimeout()),
                                LateFetch.CLOSES),
                        responder.quota(),
                        counters,
                        endpoint::close);
        this.exposer = new ReplyExposer(endpoint.memory(), counters, exposures, Integer.MAX_VALUE);
    }

    /**
     * Takes note that the client used the configuration protocol. Only such a client gets results
     * that it has to fetch, RDMA_MSGP, and lengths of Write chunks that include padding: a client
     * of RFC 8166 would not accept such a reply, and its call would never end (RPR-6-1).
     */
    void clientConfigured() {
        countsPadding = true;
        isSupported = true;
    }

    @Override
    public PlainMessage.Rule plain() {
        return PlainMessage.Rule.WITHOUT_BULK_DATA;
    }

    @Override
    public void received(MemorySegment message, SegmentPool.Lease buffer, Completion completion) {
        switch (Rfc5666Received.byResponder(message)) {
            case Rfc5666Received.Common(var received) -> responder.received(received, buffer);
            case Rfc5666Received.Padded(var header, var payload) -> {
                var arrival = new PaddedArrival(Alignment.of(header));
                responder.called(
                        header.xid(), header.chunks(), _ -> payload, _ -> arrival, List.of(buffer));
            }
            case Rfc5666Received.Finished(var xid) -> {
                buffer.close();
                // RFC 5666-3.8-8.
                responder.postReceive();
                finished(xid, completion);
            }
            case Rfc5666Received.Failure _ ->
                    throw new AssertionError("an error is discarded at a responder");
        }
    }

    private void finished(int xid, Completion completion) {
        var invalidated =
                completion.invalidated()
                        ? OptionalInt.of(completion.invalidatedHandle())
                        : OptionalInt.empty();
        boolean known = exposures.done(List.of(xid), invalidated);
        counters.count(known ? FetchedCounter.DONE_NOTICES : Counter.DISCARDED);
        counters.count(Counter.REMOTE_INVALIDATIONS, known && completion.invalidated() ? 1 : 0);
        responder.roomIsFree();
    }

    /** The arrival of a call as an RDMA_MSGP. */
    private record PaddedArrival(Alignment alignment) implements Arrival {
        @Override
        public Placements placements(Placements chunks) {
            return AlignedPlacements.of(chunks, alignment);
        }
    }

    @Override
    public TransportHeader header(int xid, int granted, ReplyPlan plan) {
        return Version1Header.of(plan.inReplyChunk(), xid, granted, expected(plan.returned()));
    }

    /** Returns the chunk lists with the lengths that this client expects (RFC 5666-3.7-5). */
    private ChunkLists expected(ChunkLists written) {
        return countsPadding
                ? new ChunkLists(
                        written.readList(),
                        written.writeList().stream().map(Rfc5666Responder::padded).toList(),
                        written.replyChunk())
                : written;
    }

    /** Returns the chunk with the padding of its item added to its last non-empty segment. */
    private static WriteChunk padded(WriteChunk written) {
        long padding = XdrWriter.roundUp(written.size()) - written.size();
        var segments = new ArrayList<>(written.segments());
        for (int i = segments.size() - 1; i >= 0 && padding > 0; i--) {
            var segment = segments.get(i);
            if (segment.size() > 0) {
                segments.set(i, segment.withLength(segment.size() + padding));
                padding = 0;
            }
        }
        return new WriteChunk(segments);
    }

    /**
     * Returns 1: one credit is granted even if every reply is exposed, so one more message may
     * arrive.
     */
    @Override
    public int spareReceives() {
        return 1;
    }

    @Override
    public int grant(int most) {
        return exposures.grant(most);
    }

    @Override
    public boolean hasRoom(ServedCall call, ConnectionParameters parameters) {
        return exposures.hasRoom();
    }

    @Override
    public boolean awaitsRequester() {
        return exposures.waiting() > 0;
    }

    @Override
    public boolean expire(long now, int timeoutDivisor) {
        return exposures.expire(now, timeoutDivisor);
    }

    @Override
    public void lost() {
        exposures.lost();
    }

    @Override
    public Optional<Outgoing> reply(
            ServedCall call, Optional<ReplyPlan> plan, ConnectionParameters parameters) {
        if (!isSupported || !call.hasReply()) {
            return Optional.empty();
        }
        return plan.isPresent() ? padded(call, plan.get(), parameters) : exposed(call, parameters);
    }

    /** Returns a reply with long items as an RDMA_MSGP, if it is not too long for one Send. */
    private Optional<Outgoing> padded(
            ServedCall call, ReplyPlan plan, ConnectionParameters parameters) {
        if (options.align() == 1 || plan.inReplyChunk() || !plan.writes().isEmpty()) {
            return Optional.empty();
        }
        var header =
                new PaddedMsg(
                        call.xid(),
                        grant(responder.credits()),
                        options.align(),
                        options.alignFrom(),
                        plan.returned());
        var payload =
                AlignedPayload.of(
                        Alignment.of(header),
                        call.reply().reducedStream(),
                        call.reply().bulkItems());
        if (payload.isEmpty()
                || header.encodedLength() + payload.get().length() > parameters.replyThreshold()) {
            return Optional.empty();
        }
        counters.count(Rfc5666.PADDED_MESSAGES);
        return Optional.of(
                new Outgoing(
                        List.of(),
                        List.of(new OutgoingSend(header, payload.get().pieces())),
                        () -> {}));
    }

    /**
     * Exposes a reply that has to be fetched, where the binding allows it (RFC 5666-3.4-5,
     * 5666-5.2-3).
     */
    private Optional<Outgoing> exposed(ServedCall call, ConnectionParameters parameters) {
        var eligibility = call.execution().eligibility();
        // RFC 5666-6.2-7.
        if (!eligibility.fetchedReplies() || parameters.readsMax() == 0) {
            return Optional.empty();
        }
        var message = call.reply();
        var placed = ReplyPlan.place(call.chunks(), message.bulkItems(), eligibility);
        var plan =
                placed.flatMap(
                        written ->
                                ReadReplyPlan.of(
                                        call.chunks(),
                                        written,
                                        message.reducedStream(),
                                        message.bulkItems(),
                                        eligibility,
                                        parameters.replyThreshold()));
        if (plan.isEmpty() || !exposures.mayExpose(call.xid())) {
            return Optional.empty();
        }
        return Optional.of(
                exposer.expose(
                        call,
                        placed.get(),
                        plan.get(),
                        lists ->
                                Version1Header.of(
                                        plan.get().whole(),
                                        call.xid(),
                                        grant(responder.credits()),
                                        expected(lists))));
    }
}
