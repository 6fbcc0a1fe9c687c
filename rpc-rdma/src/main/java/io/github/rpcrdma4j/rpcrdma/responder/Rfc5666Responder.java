package io.github.rpcrdma4j.rpcrdma.responder;

import io.github.rpcrdma4j.oncrpc.Timeouts;
import io.github.rpcrdma4j.rpcrdma.chunk.AlignedPayload;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionMemory;
import io.github.rpcrdma4j.rpcrdma.connection.FramedSends.Part;
import io.github.rpcrdma4j.rpcrdma.connection.Framing;
import io.github.rpcrdma4j.rpcrdma.connection.Terms;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.metrics.Statistics;
import io.github.rpcrdma4j.rpcrdma.options.FetchedReplies.Lateness;
import io.github.rpcrdma4j.rpcrdma.options.Rfc5666;
import io.github.rpcrdma4j.rpcrdma.pull.ExposedReplies;
import io.github.rpcrdma4j.rpcrdma.wire.Alignment;
import io.github.rpcrdma4j.rpcrdma.wire.Edition;
import io.github.rpcrdma4j.rpcrdma.wire.Frame;
import io.github.rpcrdma4j.rpcrdma.wire.TransportHeader;
import io.github.rpcrdma4j.rpcrdma.wire.TransportHeaderCodec;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;

/** By RFC 5666 requesters may fetch what fits nowhere else, and long items are aligned. */
final class Rfc5666Responder implements ResponderEdition {
    private final Rfc5666 options;
    private final int credits;
    private final Statistics statistics;
    private final Exposures exposures;
    private final ReplyExposer exposer;

    /**
     * @param credits of the connection; as many replies may wait to be fetched
     * @param allowance of the client, which holds what waits
     * @param close closes the connection, for a reason
     */
    Rfc5666Responder(
            Rfc5666 options,
            int credits,
            ConnectionMemory memory,
            Allowance allowance,
            Statistics statistics,
            Consumer<String> close) {
        this.options = options;
        this.credits = credits;
        this.statistics = statistics;
        // RFC 5666-3.8-3, 5666-11-8.
        this.exposures =
                new Exposures(
                        new ExposedReplies.Bounds(
                                credits,
                                options.exposedBytesMax(),
                                Timeouts.nanos(options.doneTimeout()),
                                Lateness.CLOSES),
                        allowance,
                        statistics,
                        close);
        this.exposer = new ReplyExposer(memory, statistics, exposures, Integer.MAX_VALUE);
    }

    @Override
    public Edition edition() {
        return Edition.RFC_5666;
    }

    @Override
    public Framing framing() {
        return Framing.VERSION_1;
    }

    /** With all replies to be fetched and one credit granted, there is one message more to come. */
    @Override
    public int spareReceives() {
        return 1;
    }

    @Override
    public int grant(int most) {
        return exposures.grant(most);
    }

    @Override
    public boolean hasRoom(ServedCall call, Terms terms) {
        return exposures.hasRoom();
    }

    @Override
    public boolean done(List<Integer> xids, OptionalInt invalidated) {
        boolean known = exposures.done(xids, invalidated);
        if (known) {
            statistics.count(Counter.DONES);
        }
        return known;
    }

    /** Every call is a new one. */
    @Override
    public Optional<Frame> called(int xid) {
        return Optional.empty();
    }

    @Override
    public boolean expire(long now) {
        return exposures.expire(now);
    }

    @Override
    public void lost() {
        exposures.lost();
    }

    @Override
    public Optional<Outgoing> reply(ServedCall call, Optional<ReplyPlan> plan, Terms terms) {
        if (call.reply() == null || call.reply().position() == 0) {
            return Optional.empty();
        }
        return plan.isPresent() ? padded(call, plan.get(), terms) : exposed(call, terms);
    }

    /** An RDMA_MSG with long items as RDMA_MSGP, if that is not too long. */
    private Optional<Outgoing> padded(ServedCall call, ReplyPlan plan, Terms terms) {
        if (options.align() == 1 || plan.inReplyChunk() || !plan.writes().isEmpty()) {
            return Optional.empty();
        }
        var header =
                new TransportHeader.PaddedMsg(
                        call.xid(),
                        grant(credits),
                        options.align(),
                        options.alignFrom(),
                        plan.returned());
        var payload =
                AlignedPayload.of(
                        Alignment.of(header),
                        call.reply().reducedStream(),
                        call.reply().bulkItems());
        if (payload.isEmpty()
                || TransportHeaderCodec.encodedLength(header) + payload.get().length()
                        > terms.replyThreshold()) {
            return Optional.empty();
        }
        statistics.count(Counter.PADDED_MESSAGES);
        return Optional.of(
                new Outgoing(
                        List.of(), List.of(new Part(header, payload.get().pieces())), () -> {}));
    }

    /** A reply that has to be fetched, where the binding lets it (RFC 5666-3.4-5, 5666-5.2-3). */
    private Optional<Outgoing> exposed(ServedCall call, Terms terms) {
        // RFC 5666-6.2-7.
        if (!call.replyReads() || terms.readsMax() == 0) {
            return Optional.empty();
        }
        var message = call.reply();
        var placed = ReplyPlan.place(call.chunks(), message.bulkItems(), call.eligibleResults());
        var plan =
                placed.flatMap(
                        written ->
                                ReadReplyPlan.of(
                                        call.chunks(),
                                        written,
                                        message.reducedStream(),
                                        message.bulkItems(),
                                        call.eligibleResults(),
                                        terms.replyThreshold()));
        if (plan.isEmpty() || !exposures.takes(call.xid())) {
            return Optional.empty();
        }
        return Optional.of(
                exposer.expose(
                        call,
                        placed.get(),
                        plan.get(),
                        lists ->
                                plan.get().whole()
                                        ? new TransportHeader.NoMsg(
                                                call.xid(), grant(credits), lists)
                                        : new TransportHeader.Msg(
                                                call.xid(), grant(credits), lists)));
    }
}
