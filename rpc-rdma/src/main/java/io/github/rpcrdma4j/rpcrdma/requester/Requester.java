package io.github.rpcrdma4j.rpcrdma.requester;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionLoss;
import io.github.rpcrdma4j.rpcrdma.connection.Counters;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.events.CreditStallEvent;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.requester.PendingCall.Answer;
import io.github.rpcrdma4j.rpcrdma.wire.PlainMessage;
import io.github.rpcrdma4j.rpcrdma.wire.Received;
import io.github.rpcrdma4j.rpcrdma.wire.Received.Recipient;
import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.UnknownHandle;
import java.util.ArrayDeque;
import java.util.Optional;

/**
 * The calls of one connection. It never waits: {@link #start} sends or queues, and what becomes of
 * a call is found out by feeding completions to its endpoint.
 *
 * <p>Not thread-safe: the owner holds one lock around every call.
 */
public final class Requester implements Endpoint.Role {
    /** A reply of so many bytes is copied for less than a receive costs. */
    private static final int COPIED_MAX = 1024;

    /** There are as many receives as calls were outstanding at a time, but not fewer. */
    private static final int FIRST_RECEIVES = 8;

    /** What is posted cannot be taken back. */
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

    /** Of the calls that wait for credits; null while none does. */
    private CreditStallEvent stall;

    private PendingCall probe;
    private int receives;
    private long heard;

    /**
     * @param credits what every call asks for, and how many calls there may be by that
     */
    public Requester(Endpoint endpoint, Counters counters, CreditWindow credits) {
        this.endpoint = endpoint;
        this.counters = counters;
        this.credits = credits;
        endpoint.attach(Recipient.REQUESTER, this);
        postReceives(Math.min(credits.requested(), FIRST_RECEIVES));
    }

    /**
     * Sees to it that so many receives stand posted for replies, or were used up by some: one for
     * every call that is sent (RFC 5666-6-1). An idle connection costs little.
     */
    private void postReceives(int wanted) {
        while (receives < wanted) {
            endpoint.postReceive();
            receives++;
        }
    }

    /** Whether a call, perhaps an abandoned one, holds that XID. */
    public boolean holds(int xid) {
        return calls.get(xid) != null;
    }

    /** How many calls have not been answered, abandoned ones included. */
    public int unanswered() {
        return calls.size();
    }

    /** Receives that stand posted for it when no reply is being looked at. */
    public int receives() {
        return receives;
    }

    /** Takes a call: it is sent as soon as there is a credit for it. */
    public void start(PendingCall call) {
        queue(call);
        sendQueued();
    }

    /** Takes a call that is sent with {@link #sendQueued}, or as soon as a credit comes back. */
    public void queue(PendingCall call) {
        if (endpoint.isClosed()) {
            act(call, CallState.Event.LOST, lostAnswer());
            return;
        }
        calls.put(call);
        waiting.addLast(call);
    }

    /**
     * A call that has its answer, which its caller was not told. The owner takes them before it
     * lets go of its lock.
     *
     * @return each call once; null if there is none
     */
    public PendingCall takeAnswered() {
        return answered.pollFirst();
    }

    /** Has a receive posted for each message that may come. */
    public void postReceives() {
        postReceives(credits.outstanding() + profile.spareReceives());
    }

    /** Speaks by that profile from now on, before the first call. */
    public void speak(RequesterProfile by) {
        profile = by;
    }

    /** The credits that every message asks for. */
    public int requestedCredits() {
        return credits.requested();
    }

    /** Messages that have arrived. */
    public long heard() {
        return heard;
    }

    /**
     * Sends a call that has no caller, by the credit that is kept back: its answer shows that the
     * peer is there. Its memory is given back when it has ended, or at once.
     *
     * @return whether it was sent
     */
    public boolean probe(PendingCall call) {
        if (endpoint.isClosed()
                || probe != null
                || !credits.tryTakeReserved(profile.heldCredits())) {
            call.release();
            return false;
        }
        probe = call;
        calls.put(call);
        act(call, CallState.Event.CREDIT, null);
        return true;
    }

    /**
     * The caller gives up. When this returns the responder cannot reach the call's memory
     * (RPR-3.4-1).
     */
    public void cancel(PendingCall call, RpcException reason) {
        waiting.remove(call);
        if (call.isBeingSent()) {
            // What is posted cannot be taken back (V2-4.2.3-8).
            endpoint.close(GIVEN_UP_WHILE_SENDING);
        } else {
            act(call, CallState.Event.CANCELLED, new Answer.Failure(reason));
            tell();
        }
    }

    @Override
    public void received(SegmentPool.Lease buffer, Completion completion) {
        heard++;
        if (repliedPlainly(buffer, completion)) {
            return;
        }
        // A receive stands posted for every reply that may still come (RFC 8166-3.3.1-8).
        endpoint.postReceive();
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
        // A call that was sent is known until it is answered, and only until then may the responder
        // use its memory: its handles are known for as long as they can be this side's fault.
        return calls.all().stream()
                .filter(call -> call.state() == CallState.ABANDONED)
                .filter(call -> call.exposed().holds(used.handle()))
                .findFirst()
                .map(call -> new ConnectionLoss.CallGivenUp(givenUp(call, used.use())));
    }

    private static String givenUp(PendingCall call, UnknownHandle.Use use) {
        var why =
                switch (call.answer()) {
                    case Answer.Failure(var reason) -> reason.getMessage();
                    case Answer.Reply _ ->
                            throw new AssertionError("a call was given up and answered");
                };
        var late =
                switch (use) {
                    case READ -> "read from";
                    case WRITE -> "wrote to";
                    case INVALIDATE -> "invalidated";
                };
        return "this side gave up a call ("
                + why
                + "), and the peer "
                + late
                + " the memory of that call afterwards, which ended the connection";
    }

    private Answer lostAnswer() {
        return new Answer.Failure(endpoint.loss().toException());
    }

    /** Sends the calls that wait, as far as there are credits. */
    public void sendQueued() {
        while (!waiting.isEmpty() && profile.tryTake(credits, waiting.getFirst())) {
            act(waiting.removeFirst(), CallState.Event.CREDIT, null);
        }
        recordStall();
        tell();
    }

    private void recordStall() {
        if (stall != null && waiting.isEmpty()) {
            stall.record(credits.requested());
            stall = null;
        } else if (!waiting.isEmpty()) {
            if (stall == null) {
                stall = CreditStallEvent.begun();
            }
            if (stall != null) {
                stall.waiting(waiting.size());
            }
        }
    }

    /** Whether no caller waits for an answer. */
    public boolean isIdle() {
        return calls.all().stream().allMatch(call -> call.state() == CallState.ABANDONED);
    }

    /** Says what cannot wait any longer, beside calls. */
    public void tell() {
        profile.tell();
    }

    /** How long {@link #tell} may wait at the most, in nanoseconds. */
    public long tellsWithin() {
        return profile.tellsWithin();
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
     * Memory that cannot be invalidated stays within the responder's reach, so the connection goes
     * before the caller is told (RFC 8166-4.5.4-2).
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
        // Before it leaves (RTR-4.3-4).
        postReceives();
        counters.count(Counter.CALLS);
        call.send(endpoint, counters, credits.requested());
    }

    /**
     * Takes a plain reply to a short call. A copy of a little one answers the call, and the receive
     * is posted again as it is; a larger one stays where it is, and the receive is posted that the
     * call had before.
     *
     * @return false if it is none, or could not be taken like that; nothing was done then
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
     * Takes what a message of RFC 8166 is to a requester.
     *
     * @return whether the buffer is kept, for the call to give back
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

    /** A message came that the profile took by itself. */
    public void hear() {
        heard++;
    }

    /** The call with that XID; null if there is none, or it was not sent yet. */
    public PendingCall call(int xid) {
        var call = calls.get(xid);
        return call == null || call.state() == CallState.WAITING ? null : call;
    }

    /** A reply granted so much, and answers a call; the answer of one that was given up is null. */
    public void answered(PendingCall call, int granted, Answer answer) {
        credits.grant(granted);
        counters.count(Counter.REPLIES);
        act(call, CallState.Event.ANSWERED, answer);
        sendQueued();
    }

    /**
     * A call goes out again.
     *
     * @param simplified makes it a call of one credit; the others are back
     */
    public void resend(ChunkedCall call, Runnable simplified) {
        credits.release(call.credits() - 1);
        profile.answered(call);
        simplified.run();
        send(call);
        sendQueued();
    }

    /** A message makes no sense; returns false. */
    public boolean discard() {
        counters.count(Counter.DISCARDED);
        return false;
    }

    /** An error came for a call, if there is one. */
    public void failed(int xid, Refusal refusal) {
        var call = call(xid);
        if (call == null || profile.hasReply(call)) {
            discard();
            return;
        }
        counters.count(refusal.counter());
        // No grant is taken from an error: its direction cannot be told (RFC 8167-4.1-4).
        act(call, CallState.Event.ANSWERED, new Answer.Failure(refusal.reason(call)));
        sendQueued();
    }

    /**
     * A reply came.
     *
     * @return whether the buffer is kept, for the call to give back
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
        // It is a reply, so this is a grant (RFC 8167-4.1-3).
        answered(call, reply.credits(), answer);
        return kept;
    }

    /** Fetches what a reply exposes, if the call lets it: it has its answer after that. */
    private boolean fetches(PendingCall call, ArrivedReply reply, SegmentPool.Lease buffer) {
        if (!profile.fetches(call, reply, buffer)) {
            return discard();
        }
        credits.grant(reply.credits());
        counters.count(Counter.REPLIES);
        return true;
    }

    /** The results of a call were fetched; the answer of one that was given up is null. */
    public void fetched(PendingCall call, Answer answer) {
        act(call, CallState.Event.ANSWERED, answer);
        sendQueued();
    }
}
