package io.github.rpcrdma4j.rpcrdma.v2.requester;

import io.github.rpcrdma4j.memory.BudgetExhaustedException;
import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.rpcrdma.connection.Counters;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.connection.MessageSends;
import io.github.rpcrdma4j.rpcrdma.requester.ArrivedReply;
import io.github.rpcrdma4j.rpcrdma.requester.CallState;
import io.github.rpcrdma4j.rpcrdma.requester.PendingCall;
import io.github.rpcrdma4j.rpcrdma.requester.PendingCall.Answer;
import io.github.rpcrdma4j.rpcrdma.requester.Requester;
import io.github.rpcrdma4j.rpcrdma.rfc5666.fetched.OneWayCredits;
import io.github.rpcrdma4j.rpcrdma.rfc5666.fetched.ReplyFetch;
import io.github.rpcrdma4j.rpcrdma.rfc5666.options.FetchedCounter;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2Counter;
import io.github.rpcrdma4j.rpcrdma.v2.requester.PendingDoneNotices.Notice;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic.ReadChunks;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Direction;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Operation;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.TransportHeader;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The replies of version 2 that this side fetches, and the done notices that it owes for them.
 * Notices travel with calls. If no call is sent for a while, they travel in a message of their own;
 * at once if no call is outstanding. Guarded by the lock of the connection.
 *
 * <p>Tests: {@code FetchesByHandTest}.
 */
final class ReplyFetches {
    /** The time that a notice waits for a call, while other calls are outstanding. */
    private static final long NOTICE_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /**
     * A call that is about to be sent, with or without done notices.
     *
     * @param header the header of the call, which may include notices
     * @param invalidated the handle that its Send invalidates
     */
    record CallHeader(TransportHeader header, OptionalInt invalidated) {}

    private final Endpoint endpoint;
    private final MessageSends messageSends;
    private final Counters counters;
    private final Version2Setting setting;
    private final OneWayCredits oneWay;
    private final Requester requester;
    private final ReplyFetch fetch;
    private final Set<PendingCall> fetching = new HashSet<>();

    /**
     * Null before the first fetched reply: until then the peer may still send its characteristics.
     */
    private PendingDoneNotices notices;

    /**
     * @param oneWay counts the messages that take a credit and have no answer
     */
    ReplyFetches(
            Endpoint endpoint,
            Counters counters,
            Version2Setting setting,
            OneWayCredits oneWay,
            Requester requester) {
        this.endpoint = endpoint;
        this.messageSends = endpoint.messageSends();
        this.counters = counters;
        this.setting = setting;
        this.oneWay = oneWay;
        this.requester = requester;
        this.fetch = new ReplyFetch(endpoint);
    }

    /** Returns whether the reply of a call is being fetched. */
    boolean isFetching(PendingCall call) {
        return fetching.contains(call);
    }

    /**
     * Fetches a reply to a call of this side, or refuses it if it is too long.
     *
     * @param reply a reply whose Read list is not empty
     * @param buffer the receive of the reply; this object takes it over
     */
    void arrived(PendingCall call, ArrivedReply reply, SegmentPool.Lease buffer) {
        long length = reply.chunks().positionZeroBytes();
        if (call.state() != CallState.OUTSTANDING) {
            // RPR-4.1.3-2.
            buffer.close();
            addNotice(reply);
            requester.fetched(call, null);
        } else if (setting.fetched().filter(each -> length <= each.longest()).isEmpty()) {
            // RPR-4.1.3-4, RPR-X-3.
            buffer.close();
            addNotice(reply);
            fail(
                    call,
                    "the reply has " + length + " bytes, more than the limit of fetched replies");
        } else {
            start(call, reply, buffer);
        }
    }

    private void start(PendingCall call, ArrivedReply reply, SegmentPool.Lease buffer) {
        fetching.add(call);
        try {
            // RPR-4.1.2-1.
            fetch.start(
                    reply.chunks().readList(),
                    reply.payload(),
                    buffer,
                    (all, succeeded) -> ended(call, reply, all, succeeded));
        } catch (BudgetExhaustedException none) {
            fetching.remove(call);
            addNotice(reply);
            fail(call, "there is no memory for the reply: " + none.getMessage());
        }
    }

    private void fail(PendingCall call, String why) {
        requester.fetched(call, new Answer.Failure(new RpcException.BadReply(why)));
    }

    private void ended(
            PendingCall call, ArrivedReply reply, ReplyFetch.FetchedReply all, boolean succeeded) {
        fetching.remove(call);
        if (!succeeded) {
            // The connection is lost, and with it the memory of the responder; the requester fails
            // its calls.
            all.release();
            return;
        }
        // One notice covers all Reads (RPR-4.1.2-2, RPR-4.1.3-7). The requester sends it when it
        // next looks, which may be after the call is complete (RPR-5.1.4-1). The notice is added
        // before the answer is reported, so that a call that waited for its credit can carry it.
        addNotice(reply);
        if (call.state() == CallState.OUTSTANDING) {
            deliver(call, reply, all);
        } else {
            // The data is private until it is delivered, so there is nothing to fence
            // (RPR-5.1.3-1).
            all.release();
            requester.fetched(call, null);
        }
    }

    private void deliver(PendingCall call, ArrivedReply reply, ReplyFetch.FetchedReply all) {
        all.deliver(call, counters);
        var lists =
                new ChunkLists(List.of(), reply.chunks().writeList(), reply.chunks().replyChunk());
        var whole = new ArrivedReply(reply.xid(), reply.credits(), lists, all.message());
        whole.answer(call, counters)
                .ifPresentOrElse(
                        answer -> requester.fetched(call, answer),
                        () -> fail(call, "the reply does not return the chunks of its call"));
    }

    /** Releases the Read chunk of a reply that answers no call, if it has one (RPR-4.1.3-2). */
    void releaseUnknown(ArrivedReply reply) {
        // If the responder does not confirm earlier notices, it gets none; its timeout frees the
        // chunk.
        if (!reply.chunks().readList().isEmpty() && oneWay.held() < requester.requestedCredits()) {
            addNotice(reply);
            send(notices().withoutCall());
        }
    }

    /** Releases the Read chunk of a malformed reply (RPR-X-5). */
    void releaseMalformed(int xid) {
        if (oneWay.held() < requester.requestedCredits()) {
            send(Optional.of(new Notice(List.of(xid), OptionalInt.empty())));
        }
    }

    private void addNotice(ArrivedReply reply) {
        int first = reply.chunks().readList().getFirst().target().handle();
        notices().add(reply.xid(), first, setting.clock().getAsLong());
    }

    private PendingDoneNotices notices() {
        if (notices == null) {
            var peer = setting.exchange().peer().readChunks();
            // RPR-4.1.4-1, RPR-4.1.4-2.
            boolean invalidates =
                    setting.invalidates() && peer.has(ReadChunks.ACCEPTS_INVALIDATION);
            notices =
                    new PendingDoneNotices(
                            invalidates,
                            peer.has(ReadChunks.ACCEPTS_CALLS_WITH_NOTICES),
                            NOTICE_DELAY_NANOS);
        }
        return notices;
    }

    private boolean hasNoNotices() {
        return notices == null || notices.isEmpty();
    }

    /** Sends the notices that cannot wait for a call. */
    void sendDueNotices() {
        if (hasNoNotices() || endpoint.isClosed()) {
            return;
        }
        boolean isDue = requester.isIdle() || notices.isDue(setting.clock().getAsLong());
        if (isDue && !(prefersNullCall() && requester.sendNull())) {
            send(notices.withoutCall());
        }
    }

    /**
     * Returns whether a NULL call carries notices better than a message of their own: its reply
     * frees its credit, and this peer acknowledges no such message (RPR-5.2.3-4).
     */
    private boolean prefersNullCall() {
        var peer = setting.exchange().peer().readChunks();
        return peer.has(ReadChunks.ACCEPTS_CALLS_WITH_NOTICES)
                && !peer.has(ReadChunks.ACKNOWLEDGES);
    }

    /** Returns how long {@link #sendDueNotices} may wait at most, in nanoseconds. */
    long nanosUntilDue() {
        return notices == null
                ? Long.MAX_VALUE
                : notices.nanosUntilDue(setting.clock().getAsLong());
    }

    /** Sends all notices before a call that cannot carry them. */
    void sendNoticesBeforeCall() {
        if (!hasNoNotices()) {
            send(notices.withoutCall());
        }
    }

    /**
     * Returns the header of a call, with all notices if they fit. Otherwise it sends them before
     * the call.
     *
     * @param length the length of the message after the header, in bytes
     */
    CallHeader headerWithNotices(int xid, int credits, ChunkLists chunks, long length) {
        var plain = new Version2Header.Msg(xid, credits, Direction.CALL, chunks);
        var notice = hasNoNotices() ? Optional.<Notice>empty() : notices.withCall();
        if (notice.isEmpty()) {
            return new CallHeader(plain, OptionalInt.empty());
        }
        var header =
                new Version2Header.Option(
                        xid,
                        credits,
                        Direction.CALL,
                        new Operation.CallWithDoneNotices(notice.get().xids(), chunks));
        if (header.encodedLength() + length > setting.exchange().sendMax(setting.sendMax())) {
            send(notice);
            return new CallHeader(plain, OptionalInt.empty());
        }
        counters.count(Version2Counter.DONE_NOTICES_WITH_CALLS, notice.get().xids().size());
        return new CallHeader(header, notice.get().invalidated());
    }

    private void send(Optional<Notice> notice) {
        if (notice.isEmpty()) {
            return;
        }
        var xids = notice.get().xids();
        var header =
                new Version2Header.Option(
                        xids.getFirst(),
                        requester.requestedCredits(),
                        Direction.CALL,
                        new Operation.DoneNotice(xids.subList(1, xids.size())));
        // RPR-5.2.3-1.
        oneWay.sent();
        requester.postReceives();
        counters.count(FetchedCounter.DONE_NOTICES);
        messageSends.post(
                List.of(),
                List.of(new MessageSends.OutgoingSend(header, List.of())),
                notice.get().invalidated(),
                () -> {});
    }
}
