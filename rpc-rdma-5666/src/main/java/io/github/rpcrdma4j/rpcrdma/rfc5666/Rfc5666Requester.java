package io.github.rpcrdma4j.rpcrdma.rfc5666;

import io.github.rpcrdma4j.memory.BudgetExhaustedException;
import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.rpcrdma.connection.Counters;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.connection.MessageSends;
import io.github.rpcrdma4j.rpcrdma.connection.MessageSends.OutgoingSend;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.requester.ArrivedReply;
import io.github.rpcrdma4j.rpcrdma.requester.ArrivedReply.Reading;
import io.github.rpcrdma4j.rpcrdma.requester.CallState;
import io.github.rpcrdma4j.rpcrdma.requester.ChunkedCall;
import io.github.rpcrdma4j.rpcrdma.requester.CreditWindow;
import io.github.rpcrdma4j.rpcrdma.requester.PendingCall;
import io.github.rpcrdma4j.rpcrdma.requester.PendingCall.Answer;
import io.github.rpcrdma4j.rpcrdma.requester.Refusal;
import io.github.rpcrdma4j.rpcrdma.requester.Requester;
import io.github.rpcrdma4j.rpcrdma.requester.RequesterProfile;
import io.github.rpcrdma4j.rpcrdma.rfc5666.fetched.ReplyFetch;
import io.github.rpcrdma4j.rpcrdma.rfc5666.options.FetchedCounter;
import io.github.rpcrdma4j.rpcrdma.rfc5666.wire.AlignedPlacements;
import io.github.rpcrdma4j.rpcrdma.rfc5666.wire.Alignment;
import io.github.rpcrdma4j.rpcrdma.rfc5666.wire.Rfc5666Header.OtherError;
import io.github.rpcrdma4j.rpcrdma.rfc5666.wire.Rfc5666Header.PaddedMsg;
import io.github.rpcrdma4j.rpcrdma.rfc5666.wire.Rfc5666Received;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.Received;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header;
import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * Lets a requester fetch results by RFC 5666, and report that by RDMA_DONE (RFC 5666, Section 3.5).
 * Its call offers no memory, so the results arrive in memory of the pool.
 *
 * <p>Tests: {@code Rfc5666ByHandTest}, {@code Rfc5666OverIwarpTest}.
 */
final class Rfc5666Requester implements RequesterProfile {
    /** Accepts lengths that count padding that was not written. */
    private static final Reading ROUNDED =
            new Reading(XdrWriter::roundUp, UnaryOperator.identity());

    private final Requester requester;
    private final MessageSends messageSends;
    private final Counters counters;
    private final ReplyFetch fetch;
    private final DoneCredits dones = new DoneCredits();
    private final Map<PendingCall, Long> numbers = new HashMap<>();
    private final Set<PendingCall> fetching = new HashSet<>();
    private boolean invalidates;

    Rfc5666Requester(Requester requester, Endpoint endpoint, Counters counters) {
        this.requester = requester;
        this.messageSends = endpoint.messageSends();
        this.counters = counters;
        this.fetch = new ReplyFetch(endpoint);
    }

    /**
     * Limits the number of RDMA Reads outstanding at a time to what the peer answers (RFC
     * 5666-6.2-6).
     */
    void limitReads(int most) {
        fetch.limit(most);
    }

    /**
     * Lets each RDMA_DONE invalidate a handle of the reply that was fetched. It is called if both
     * sides have stated that they support remote invalidation (RPR-4.1.4-1, RPR-4.1.4-2).
     */
    void invalidate() {
        invalidates = true;
    }

    @Override
    public boolean received(
            MemorySegment message, SegmentPool.Lease buffer, Completion completion) {
        return switch (Rfc5666Received.byRequester(message)) {
            case Rfc5666Received.Common(Received.Reply(var header, var chunks, var payload)) ->
                    requester.replied(
                            new ArrivedReply(
                                    header.xid(), header.credits(), chunks, payload, ROUNDED),
                            buffer,
                            completion);
            case Rfc5666Received.Common(var received) ->
                    requester.received(received, buffer, completion);
            case Rfc5666Received.Padded(var header, var payload) ->
                    requester.replied(
                            new ArrivedReply(
                                    header.xid(),
                                    header.credits(),
                                    header.chunks(),
                                    payload,
                                    padded(header)),
                            buffer,
                            completion);
            case Rfc5666Received.Failure(var error) -> {
                requester.failed(error.xid(), refusal(error));
                yield false;
            }
            case Rfc5666Received.Finished _ -> requester.discard();
        };
    }

    private static Reading padded(PaddedMsg header) {
        var alignment = Alignment.of(header);
        return new Reading(XdrWriter::roundUp, chunks -> AlignedPlacements.of(chunks, alignment));
    }

    /** RFC 5666-4.3-2. */
    private static Refusal refusal(OtherError error) {
        return new Refusal(
                "the peer refused the call with the error "
                        + Integer.toUnsignedString(error.code()),
                false,
                false);
    }

    @Override
    public boolean tryTake(CreditWindow credits, PendingCall call) {
        return credits.tryTake(dones.held() + (mayOwe(call) ? 1 : 0));
    }

    @Override
    public int heldCredits() {
        return dones.held();
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
                dones.released();
            }
        }
    }

    @Override
    public boolean hasReply(PendingCall call) {
        return fetching.contains(call);
    }

    private static boolean mayOwe(PendingCall call) {
        return call instanceof ChunkedCall offering && offering.callPlan().unofferedBytes() > 0;
    }

    private void confirm(PendingCall call) {
        dones.answered(numbers.remove(call));
    }

    private boolean accepts(PendingCall call, ArrivedReply reply) {
        return numbers.containsKey(call)
                && call instanceof ChunkedCall offering
                && offering.callPlan().unofferedBytes() > 0
                && reply.chunks().readBytes() <= offering.callPlan().unofferedBytes()
                && reply.chunks().writeList().isEmpty()
                && reply.chunks().replyChunk().isEmpty();
    }

    /**
     * Fetches the reply, sends RDMA_DONE, and reports the answer. It does neither of the latter if
     * the connection is lost before.
     */
    @Override
    public boolean fetches(PendingCall call, ArrivedReply reply, SegmentPool.Lease buffer) {
        if (!accepts(call, reply)) {
            return false;
        }
        confirm(call);
        fetching.add(call);
        // The caller of an abandoned call needs no results; the responder still needs RDMA_DONE.
        var readList =
                call.state() == CallState.OUTSTANDING
                        ? reply.chunks().readList()
                        : ChunkLists.EMPTY.readList();
        try {
            fetch.start(
                    readList,
                    reply.payload(),
                    buffer,
                    (all, succeeded) -> ended(call, reply, all, succeeded));
        } catch (BudgetExhaustedException none) {
            fetching.remove(call);
            done(reply);
            var why = "there is no memory for the reply: " + none.getMessage();
            requester.fetched(call, new Answer.Failure(new RpcException.BadReply(why)));
        }
        return true;
    }

    private void ended(
            PendingCall call, ArrivedReply reply, ReplyFetch.FetchedReply all, boolean succeeded) {
        fetching.remove(call);
        if (!succeeded) {
            all.release();
            return;
        }
        done(reply);
        requester.fetched(call, answer(call, reply, all));
    }

    private Answer answer(PendingCall call, ArrivedReply reply, ReplyFetch.FetchedReply all) {
        if (call.state() != CallState.OUTSTANDING) {
            all.release();
            return null;
        }
        all.deliver(call, counters);
        counters.count(Counter.INLINE_REPLY_BYTES, reply.payload().byteSize());
        return new Answer.Reply(
                all.message(), reply.reading().placements().apply(all.placements()));
    }

    /** Sends one RDMA_DONE per reply, once all of the reply has arrived (RFC 5666-3.5-3). */
    private void done(ArrivedReply reply) {
        dones.doneSent();
        counters.count(FetchedCounter.DONE_NOTICES);
        var done = new Version1Header.Done(reply.xid(), requester.requestedCredits());
        // RPR-4.1.4-3.
        var handle =
                invalidates
                        ? OptionalInt.of(reply.chunks().readList().getFirst().target().handle())
                        : OptionalInt.empty();
        messageSends.post(List.of(), List.of(new OutgoingSend(done, List.of())), handle, () -> {});
    }
}
