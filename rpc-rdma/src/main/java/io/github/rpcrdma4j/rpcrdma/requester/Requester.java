package io.github.rpcrdma4j.rpcrdma.requester;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionLoss;
import io.github.rpcrdma4j.rpcrdma.connection.Counters;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.events.CreditStallEvent;
import io.github.rpcrdma4j.rpcrdma.events.Recordings;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.requester.PendingCall.Answer;
import io.github.rpcrdma4j.rpcrdma.wire.PlainMessage;
import io.github.rpcrdma4j.rpcrdma.wire.Received;
import io.github.rpcrdma4j.rpcrdma.wire.Received.MessageRole;
import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.UnknownHandle;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The requester of one connection: its calls from start to answer. It never waits. {@link #start}
 * sends or queues a call, and the answer arrives with a completion of the endpoint.
 *
 * <p>Not thread-safe: the owner holds one lock around every call. Tests: {@code
 * CallsOnTheWireTest}, {@code SimulatedConnectionsTest}.
 */
public final class Requester implements Endpoint.Role {
    /** Up to this length in bytes, a copy of a reply costs less than another receive. */
    private static final int COPIED_MAX = 1024;

    /**
     * The least number of receives. Later there are as many as calls were outstanding at a time.
     */
    private static final int FIRST_RECEIVES = 8;

    /** The reason if a call is given up while it is being sent: posted work cannot be cancelled. */
    private static final ConnectionLoss GIVEN_UP_WHILE_SENDING =
            new ConnectionLoss.CallGivenUp(
                    "this side gave up a call while it still sent its data, and so had to end the"
                            + " connection");

    private final Endpoint endpoint;
    private final Counters counters;
    private final CreditWindow credits;
    private final CallTable calls = new CallTable();
    private final ArrayDeque<PendingCall> waiting = new ArrayDeque<>();
    private final ArrayDeque<PendingCall> answered = new ArrayDeque<>();
    private RequesterProfile profile =
            (message, buffer, completion) ->
                    received(Received.byRequester(message), buffer, completion);

    /** The event for calls that wait for credits; null while none waits. */
    private CreditStallEvent stall;

    private Supplier<Optional<PendingCall>> nullCalls = Optional::empty;
    private PendingCall probe;
    private int receives;
    private long messagesReceived;

    /**
     * @param credits the credit window, which limits the outstanding calls
     */
    public Requester(Endpoint endpoint, Counters counters, CreditWindow credits) {
        this.endpoint = endpoint;
        this.counters = counters;
        this.credits = credits;
        endpoint.attach(MessageRole.REQUESTER, this);
        postReceives(Math.min(credits.requested(), FIRST_RECEIVES));
    }

    /**
     * Raises the number of receives for replies, so that every sent call has one (RFC 5666-6-1). An
     * idle connection keeps only a few.
     */
    private void postReceives(int wanted) {
        while (receives < wanted) {
            endpoint.postReceive();
            receives++;
        }
    }

    /** Returns whether a call has this XID. Abandoned calls count. */
    public boolean holds(int xid) {
        return calls.get(xid) != null;
    }

    /** Returns how many calls have not been answered, including abandoned ones. */
    public int unanswered() {
        return calls.size();
    }

    /** Returns how many receives are posted for replies, while no reply is being handled. */
    public int receives() {
        return receives;
    }

    /** Starts a call. It is sent as soon as a credit is free. */
    public void start(PendingCall call) {
        queue(call);
        sendQueued();
    }

    /** Queues a call. {@link #sendQueued} sends it, or the next returning credit. */
    public void queue(PendingCall call) {
        if (endpoint.isClosed()) {
            act(call, CallState.Event.LOST, lostAnswer());
            return;
        }
        calls.put(call);
        waiting.addLast(call);
    }

    /**
     * Returns an answered call whose caller was not notified yet. The owner takes all of them
     * before it releases its lock.
     *
     * @return each call once; null if there is none
     */
    public PendingCall takeAnswered() {
        return answered.pollFirst();
    }

    /** Posts a receive for each message that may arrive. */
    public void postReceives() {
        postReceives(credits.outstanding() + profile.spareReceives());
    }

    /** Sets the profile of the connection. It is called before the first call. */
    public void useProfile(RequesterProfile by) {
        profile = by;
    }

    /** Returns how many credits every message requests. */
    public int requestedCredits() {
        return credits.requested();
    }

    /** Returns how many more calls have credits, beside those that wait for some. */
    public int callsLeft() {
        return Math.max(0, credits.available(profile.heldCredits()) - waiting.size());
    }

    /** Returns how many messages have arrived. */
    public long messagesReceived() {
        return messagesReceived;
    }

    /** Sets the source of NULL calls, which returns none while no program is known. */
    public void useNullCalls(Supplier<Optional<PendingCall>> source) {
        nullCalls = source;
    }

    /**
     * Sends a NULL call without a caller, which may use the reserved credit. Its answer shows that
     * the peer is alive. At most one is outstanding.
     *
     * @return whether it was sent
     */
    public boolean sendNull() {
        boolean maySend = !endpoint.isClosed() && probe == null;
        return maySend && nullCalls.get().map(this::probe).orElse(false);
    }

    private boolean probe(PendingCall call) {
        if (!credits.tryTakeReserved(profile.heldCredits())) {
            call.release();
            return false;
        }
        probe = call;
        calls.put(call);
        act(call, CallState.Event.CREDIT, null);
        return true;
    }

    /**
     * Cancels a call for its caller. When this returns, the responder cannot access the call's
     * memory (RPR-3.4-1).
     */
    public void cancel(PendingCall call, RpcException reason) {
        waiting.remove(call);
        if (call.isBeingSent()) {
            // Posted work cannot be cancelled (V2-4.2.3-8).
            endpoint.close(GIVEN_UP_WHILE_SENDING);
        } else {
            act(call, CallState.Event.CANCELLED, new Answer.Failure(reason));
            sendDue();
        }
    }

    @Override
    public void received(SegmentPool.Lease buffer, Completion completion) {
        messagesReceived++;
        if (repliedPlainly(buffer, completion)) {
            return;
        }
        try {
            // A receive stays posted for every reply that may still arrive (RFC 8166-3.3.1-8).
            endpoint.postReceive();
        } catch (RuntimeException | Error failure) {
            buffer.close();
            throw failure;
        }
        var message = buffer.segment().asSlice(0, completion.length());
        if (!profile.received(message, buffer, completion)) {
            buffer.close();
        }
    }

    @Override
    public void lost(String reason) {
        waiting.clear();
        for (var call : calls.all()) {
            act(call, CallState.Event.LOST, lostAnswer());
        }
    }

    @Override
    public Optional<ConnectionLoss> withdrew(UnknownHandle used) {
        // A sent call stays in the table until it is answered, and only until then may the
        // responder use its memory. So the table has every handle whose withdrawal can be the fault
        // of this side.
        return calls.all().stream()
                .filter(call -> call.state() == CallState.ABANDONED)
                .filter(call -> call.exposed().holds(used.handle()))
                .findFirst()
                .map(call -> new ConnectionLoss.CallGivenUp(call.givenUp(used.use())));
    }

    private Answer lostAnswer() {
        return new Answer.Failure(endpoint.loss().toException());
    }

    /** Sends waiting calls as far as credits are free. */
    public void sendQueued() {
        while (!waiting.isEmpty() && profile.tryTake(credits, waiting.getFirst())) {
            act(waiting.removeFirst(), CallState.Event.CREDIT, null);
        }
        recordStall();
        sendDue();
    }

    private void recordStall() {
        if (stall != null && waiting.isEmpty()) {
            stall.record(credits.requested());
            stall = null;
        } else if (!waiting.isEmpty()) {
            if (stall == null) {
                stall = Recordings.beginCreditStall();
            }
            if (stall != null) {
                stall.waiting(waiting.size());
            }
        }
    }

    /** Returns whether no caller waits for an answer. */
    public boolean isIdle() {
        return calls.all().stream().allMatch(call -> call.state() == CallState.ABANDONED);
    }

    /** Sends the overdue messages of the profile, which are not calls. */
    public void sendDue() {
        profile.sendDue();
    }

    /** Returns within how many nanoseconds {@link #sendDue} must be called. */
    public long nanosUntilDue() {
        return profile.nanosUntilDue();
    }

    private void act(PendingCall call, CallState.Event event, Answer answer) {
        var actions = call.step(event).actions();
        for (int i = 0; i < actions.size(); i++) {
            switch (actions.get(i)) {
                case SEND -> send(call);
                case FENCE -> fence(call);
                case RETURN_CREDIT -> {
                    credits.release(call.credits());
                    profile.answered(call);
                }
                case FORGET -> calls.remove(call.xid());
                case COMPLETE -> {
                    call.complete(answer);
                    if (call == probe) {
                        probe = null;
                        call.release();
                    } else {
                        answered.addLast(call);
                    }
                }
            }
        }
    }

    /**
     * Invalidates the memory of a call. If that fails, the responder could still access the memory,
     * so the connection is closed before the caller gets an answer (RFC 8166-4.5.4-2).
     */
    private void fence(PendingCall call) {
        try {
            call.exposed().fence();
        } catch (IllegalStateException cannot) {
            endpoint.close("memory could not be invalidated: " + cannot.getMessage());
        }
    }

    private void send(PendingCall call) {
        profile.sent(call);
        // The receives are posted before the call is sent (RTR-4.3-4).
        postReceives();
        counters.count(Counter.CALLS);
        call.send(endpoint, counters, credits.requested());
        call.tellSent();
    }

    /**
     * Handles a plain reply to a short call. A small reply is copied, and its receive is posted
     * again. A larger reply stays in its receive, and the previous receive of the call is posted
     * instead.
     *
     * @return false if the message is no such reply; nothing was done then
     */
    private boolean repliedPlainly(SegmentPool.Lease buffer, Completion completion) {
        var message = buffer.segment();
        if (completion.invalidated() || !PlainMessage.isReply(message, completion.length())) {
            return false;
        }
        long length = completion.length() - PlainMessage.HEADER_BYTES;
        if (!(calls.get(PlainMessage.xid(message)) instanceof ShortCall call)
                || call.state() != CallState.OUTSTANDING) {
            return false;
        }
        credits.grant(PlainMessage.credits(message));
        var free = buffer;
        if (length > COPIED_MAX
                || !call.answerWithCopy(message, PlainMessage.HEADER_BYTES, length)) {
            free = call.answerWithReceive(buffer, PlainMessage.HEADER_BYTES, length);
        }
        if (free == null) {
            endpoint.postReceive();
        } else {
            endpoint.postReceive(free);
        }
        counters.count(Counter.INLINE_REPLY_BYTES, length);
        counters.count(Counter.REPLIES);
        act(call, CallState.Event.ANSWERED, call.shortAnswer());
        sendQueued();
        return true;
    }

    /**
     * Handles a decoded message of RFC 8166.
     *
     * @return whether the call keeps the buffer and closes it at its end
     */
    public boolean received(Received received, SegmentPool.Lease buffer, Completion completion) {
        return switch (received) {
            case Received.Discard _, Received.Call _ -> discard();
            case Received.OweVersionError _, Received.OweChunkError _ -> discard();
            case Received.Failure(var error) -> {
                failed(error.xid(), Refusal.of(error));
                yield false;
            }
            case Received.Reply(var header, var chunks, var payload) ->
                    replied(
                            new ArrivedReply(header.xid(), header.credits(), chunks, payload),
                            buffer,
                            completion);
        };
    }

    /** Counts a message that the profile handled by itself. */
    public void countMessage() {
        messagesReceived++;
    }

    /** Returns the call with an XID; null if there is none, or it was not sent yet. */
    public PendingCall call(int xid) {
        var call = calls.get(xid);
        return call == null || call.state() == CallState.WAITING ? null : call;
    }

    /**
     * Sets the grant of a reply and answers its call. The answer is null if the call was abandoned.
     */
    public void answered(PendingCall call, int granted, Answer answer) {
        credits.grant(granted);
        counters.count(Counter.REPLIES);
        act(call, CallState.Event.ANSWERED, answer);
        sendQueued();
    }

    /**
     * Sends a call again, as a call of one Send.
     *
     * @param simplified turns it into a call of one credit; it runs after its other credits were
     *     returned
     */
    public void resend(ChunkedCall call, Runnable simplified) {
        credits.release(call.credits() - 1);
        profile.answered(call);
        simplified.run();
        send(call);
        sendQueued();
    }

    /** Counts an invalid message, and returns false. */
    public boolean discard() {
        counters.count(Counter.DISCARDED);
        return false;
    }

    /** Ends a call that the peer answered by an error, if there is such a call. */
    public void failed(int xid, Refusal refusal) {
        var call = call(xid);
        if (call == null || profile.hasReply(call)) {
            discard();
            return;
        }
        counters.count(refusal.counter());
        // The grant of an error is ignored, because its direction is unknown (RFC 8167-4.1-4).
        act(call, CallState.Event.ANSWERED, new Answer.Failure(refusal.reason(call)));
        sendQueued();
    }

    /**
     * Handles a reply.
     *
     * @return whether the call keeps the buffer and closes it at its end
     */
    public boolean replied(ArrivedReply reply, SegmentPool.Lease buffer, Completion completion) {
        var call = call(reply.xid());
        if (call == null || profile.hasReply(call)) {
            return discard();
        }
        if (completion.invalidated()) {
            // The handle must belong to this very call (RFC 8797-4.1-2, XCH-3.2-6).
            if (!call.exposed().holds(completion.invalidatedHandle())) {
                endpoint.close("the peer invalidated a handle that is not of the call it answered");
                return false;
            }
            counters.count(Counter.REMOTE_INVALIDATIONS);
        }
        if (!reply.chunks().readList().isEmpty()) {
            return fetches(call, reply, buffer);
        }
        boolean kept = false;
        Answer answer = null;
        if (call.state() == CallState.OUTSTANDING) {
            var found = reply.answer(call, counters);
            if (found.isEmpty()) {
                return discard();
            }
            answer = found.get();
            counters.count(Counter.INLINE_REPLY_BYTES, reply.payload().byteSize());
            kept = reply.payload().byteSize() > 0;
            if (kept) {
                call.hold(buffer);
            }
        }
        // The credits of a reply are a grant (RFC 8167-4.1-3).
        answered(call, reply.credits(), answer);
        return kept;
    }

    /**
     * Starts to fetch the results that a reply exposes, if the call allows it. The call is answered
     * afterwards.
     */
    private boolean fetches(PendingCall call, ArrivedReply reply, SegmentPool.Lease buffer) {
        if (!profile.fetches(call, reply, buffer)) {
            return discard();
        }
        credits.grant(reply.credits());
        counters.count(Counter.REPLIES);
        return true;
    }

    /** Answers a call whose results were fetched. The answer is null if the call was abandoned. */
    public void fetched(PendingCall call, Answer answer) {
        act(call, CallState.Event.ANSWERED, answer);
        sendQueued();
    }
}
