package io.github.rpcrdma4j.rpcrdma.responder;

import io.github.rpcrdma4j.rpcrdma.Counter;
import io.github.rpcrdma4j.rpcrdma.Rfc5666;
import io.github.rpcrdma4j.rpcrdma.Statistics;
import io.github.rpcrdma4j.rpcrdma.chunk.AlignedPayload;
import io.github.rpcrdma4j.rpcrdma.connect.Framing;
import io.github.rpcrdma4j.rpcrdma.connect.Terms;
import io.github.rpcrdma4j.rpcrdma.wire.Alignment;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.Edition;
import io.github.rpcrdma4j.rpcrdma.wire.ReadSegment;
import io.github.rpcrdma4j.rpcrdma.wire.Segment;
import io.github.rpcrdma4j.rpcrdma.wire.TransportHeader;
import io.github.rpcrdma4j.rpcrdma.wire.TransportHeaderCodec;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import io.github.rpcrdma4j.verbs.Access;
import io.github.rpcrdma4j.verbs.MemoryRegion;
import io.github.rpcrdma4j.verbs.ProtectionDomain;
import io.github.rpcrdma4j.xdr.SegmentPool;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;

/** By RFC 5666 requesters may fetch what fits nowhere else, and long items are aligned. */
final class Rfc5666Responder implements ResponderEdition {
    private final Rfc5666 options;
    private final int credits;
    private final ProtectionDomain domain;
    private final SegmentPool pool;
    private final Statistics statistics;
    private final Exposures exposures;

    /**
     * @param credits of the connection; as many replies may wait to be fetched
     * @param close closes the connection
     */
    Rfc5666Responder(
            Rfc5666 options,
            int credits,
            ProtectionDomain domain,
            SegmentPool pool,
            Statistics statistics,
            Runnable close) {
        this.options = options;
        this.credits = credits;
        this.domain = domain;
        this.pool = pool;
        this.statistics = statistics;
        this.exposures =
                new Exposures(
                        credits, options.exposedBytesMax(), options.doneTimeout().toNanos(), close);
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
    public boolean hasRoom() {
        return exposures.hasRoom();
    }

    @Override
    public boolean done(int xid) {
        boolean known = exposures.done(xid);
        if (known) {
            statistics.count(Counter.DONES);
        }
        return known;
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
        return plan.map(chosen -> expose(call, placed.get(), chosen));
    }

    private Outgoing expose(ServedCall call, ReplyPlan.Placed placed, ReadReplyPlan plan) {
        var regions = new ArrayList<MemoryRegion>();
        var copies = new ArrayList<SegmentPool.Lease>();
        List<ReadSegment> readList;
        try {
            readList = open(call, plan, regions, copies);
        } catch (RuntimeException | Error failure) {
            regions.forEach(MemoryRegion::invalidate);
            copies.forEach(SegmentPool.Lease::close);
            throw failure;
        }
        var results = call.takeReply();
        var exposure =
                exposures.expose(
                        call.xid(),
                        regions,
                        () -> {
                            copies.forEach(SegmentPool.Lease::close);
                            results.close();
                        });
        count(readList);
        var lists =
                new ChunkLists(
                        readList,
                        placed.writeList(),
                        call.chunks().replyChunk().map(WriteChunk::unused));
        int granted = grant(credits);
        TransportHeader header =
                plan.whole()
                        ? new TransportHeader.NoMsg(call.xid(), granted, lists)
                        : new TransportHeader.Msg(call.xid(), granted, lists);
        var inline = plan.whole() ? List.<MemorySegment>of() : plan.pieces().pieces();
        return new Outgoing(placed.writes(), List.of(new Part(header, inline)), exposure::sent);
    }

    /** Opens what is to be fetched. */
    private List<ReadSegment> open(
            ServedCall call,
            ReadReplyPlan plan,
            List<MemoryRegion> regions,
            List<SegmentPool.Lease> copies) {
        var readList = new ArrayList<ReadSegment>();
        if (plan.whole()) {
            var copy = pool.lease(plan.pieces().length());
            copies.add(copy);
            plan.pieces().copyTo(copy.segment());
            readList.add(new ReadSegment(0, open(copy.segment(), regions)));
        }
        var items = call.reply().bulkItems();
        for (int i = plan.items().nextSetBit(0); i >= 0; i = plan.items().nextSetBit(i + 1)) {
            // Where the data would stand, and the data alone (RFC 5666-3.4-3, 5666-3.4-11).
            var data = fit(items.get(i).data(), copies);
            readList.add(new ReadSegment((int) items.get(i).position(), open(data, regions)));
        }
        return readList;
    }

    private void count(List<ReadSegment> readList) {
        statistics.count(Counter.EXPOSED_REPLIES);
        for (var read : readList) {
            statistics.count(Counter.EXPOSED_REPLY_OCTETS, read.target().size());
        }
    }

    private Segment open(MemorySegment memory, List<MemoryRegion> regions) {
        var region = domain.register(memory, EnumSet.of(Access.REMOTE_READ));
        regions.add(region);
        return new Segment(region.handle(), (int) region.length(), region.address());
    }

    private MemorySegment fit(MemorySegment data, List<SegmentPool.Lease> copies) {
        if (ProtectionDomain.canRegister(data)) {
            return data;
        }
        var copy = pool.lease(data.byteSize());
        copies.add(copy);
        copy.segment().copyFrom(data);
        return copy.segment();
    }
}
