package io.github.rpcrdma4j.rpcrdma.requester;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.rpcrdma.chunk.AlignedPlacements;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.connection.FramedSends;
import io.github.rpcrdma4j.rpcrdma.connection.Framing;
import io.github.rpcrdma4j.rpcrdma.credit.CreditWindow;
import io.github.rpcrdma4j.rpcrdma.credit.DoneCredits;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.metrics.Statistics;
import io.github.rpcrdma4j.rpcrdma.requester.PendingCall.Answer;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.Edition;
import io.github.rpcrdma4j.rpcrdma.wire.TransportHeader;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * By RFC 5666 results may have to be fetched, and RDMA_DONE says that they were (RFC 5666, Section
 * 3.5): with nothing offered by the call, they arrive in memory of the pool.
 */
final class Rfc5666Requester implements RequesterEdition {
    private final FramedSends framed;
    private final Statistics statistics;
    private final int requestedCredits;
    private final ReplyFetch fetch;
    private final BiConsumer<PendingCall, Answer> fetched;
    private final DoneCredits dones = new DoneCredits();
    private final Map<PendingCall, Long> numbers = new HashMap<>();
    private final Set<PendingCall> fetching = new HashSet<>();

    /**
     * @param requestedCredits what every call asks for
     * @param fetched told when all of a reply is here, with the answer that it makes
     */
    Rfc5666Requester(
            Endpoint endpoint,
            Statistics statistics,
            int requestedCredits,
            BiConsumer<PendingCall, Answer> fetched) {
        this.framed = new FramedSends(endpoint);
        this.statistics = statistics;
        this.fetch = new ReplyFetch(endpoint);
        this.requestedCredits = requestedCredits;
        this.fetched = fetched;
    }

    @Override
    public void limitReads(int most) {
        fetch.limit(most);
    }

    @Override
    public Edition edition() {
        return Edition.RFC_5666;
    }

    /** RFC 5666-3.8-7. */
    @Override
    public Framing framing() {
        return Framing.VERSION_1;
    }

    @Override
    public boolean tryTake(CreditWindow credits, PendingCall call) {
        return credits.tryTakeBeside(dones.held() + (mayOwe(call) ? 1 : 0));
    }

    @Override
    public boolean tryTakeReserved(CreditWindow credits) {
        return credits.tryTakeReservedBeside(dones.held());
    }

    @Override
    public void sent(PendingCall call) {
        numbers.put(call, dones.sent(mayOwe(call)));
    }

    @Override
    public void answered(PendingCall call) {
        if (numbers.containsKey(call)) {
            confirm(call);
            if (mayOwe(call)) {
                dones.spared();
            }
        }
    }

    @Override
    public boolean hasReply(PendingCall call) {
        return fetching.contains(call);
    }

    private static boolean mayOwe(PendingCall call) {
        return !call.isShort() && call.shape().replyReadBytes() > 0;
    }

    private void confirm(PendingCall call) {
        dones.answered(numbers.remove(call));
    }

    private boolean accepts(PendingCall call, ArrivedReply reply) {
        long bytes = 0;
        for (var read : reply.chunks().readList()) {
            bytes += read.target().size();
        }
        return numbers.containsKey(call)
                && mayOwe(call)
                && bytes <= call.shape().replyReadBytes()
                && reply.chunks().writeList().isEmpty()
                && reply.chunks().replyChunk().isEmpty();
    }

    /** Fetches, sends RDMA_DONE, and tells of the answer; not if the connection is lost before. */
    @Override
    public boolean fetches(PendingCall call, ArrivedReply reply, SegmentPool.Lease buffer) {
        if (!accepts(call, reply)) {
            return false;
        }
        confirm(call);
        fetching.add(call);
        // Nobody waits for the results of an abandoned call, but its responder waits for us.
        var readList =
                call.state() == CallState.OUTSTANDING
                        ? reply.chunks().readList()
                        : ChunkLists.EMPTY.readList();
        fetch.start(
                readList,
                reply.payload(),
                buffer,
                (all, succeeded) -> {
                    fetching.remove(call);
                    if (!succeeded) {
                        all.release();
                        return;
                    }
                    done(call.xid());
                    fetched.accept(call, answer(call, reply, all));
                });
        return true;
    }

    private Answer answer(PendingCall call, ArrivedReply reply, ReplyFetch.Fetched all) {
        if (call.state() != CallState.OUTSTANDING) {
            all.release();
            return null;
        }
        all.deliver(call, statistics);
        statistics.count(Counter.INLINE_REPLY_OCTETS, reply.payload().byteSize());
        return new Answer.Reply(
                all.message(), AlignedPlacements.of(all.placements(), reply.alignment()));
    }

    /** One for each reply, when all of it is here (RFC 5666-3.5-3). */
    private void done(int xid) {
        dones.doneSent();
        statistics.count(Counter.DONES);
        framed.post(new TransportHeader.Done(xid, requestedCredits), () -> {});
    }
}
