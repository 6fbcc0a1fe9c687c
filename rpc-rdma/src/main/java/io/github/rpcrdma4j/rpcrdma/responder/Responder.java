package io.github.rpcrdma4j.rpcrdma.responder;

import io.github.rpcrdma4j.memory.BudgetExhaustedException;
import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.rpcrdma.chunk.ReadChunk;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionParameters;
import io.github.rpcrdma4j.rpcrdma.connection.Counters;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.responder.ServedCall.Arrival;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.PlainMessage;
import io.github.rpcrdma4j.rpcrdma.wire.Received;
import io.github.rpcrdma4j.rpcrdma.wire.Received.MessageRole;
import io.github.rpcrdma4j.rpcrdma.wire.TransportHeader;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header;
import io.github.rpcrdma4j.verbs.Completion;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * The responder of one connection: its calls from arrival to reply. It never waits and runs no
 * program. After each completion, or any other call of a method, its owner runs the programs of the
 * {@linkplain #next ready} calls and reports their {@linkplain #ended ends}.
 *
 * <p>Each message uses up a receive, which is posted again with its reply or error, so that neither
 * waits for a receive (RFC 5666-3.3-9). At most as many replies as credits, and a few errors, are
 * posted at a time. A requester that sends without reading therefore stalls only itself, and costs
 * no more than its credits. A requester that exceeds its grant may find no receive posted (RFC
 * 5666-3.3-5).
 *
 * <p>Not thread-safe: the owner holds one lock around every call. Tests: {@code
 * RepliesOnTheWireTest}, {@code SimulatedConnectionsTest}.
 */
public final class Responder implements Endpoint.Role {
    /**
     * The limits of the calls of one connection.
     *
     * @param credits the credits that every reply grants; as many receives are posted
     * @param fetchedBytesPerCall the most bytes of Read chunks that are fetched for one call
     * @param fetchedBytesPerConnection the most bytes that are fetched at a time
     */
    public record Bounds(int credits, long fetchedBytesPerCall, long fetchedBytesPerConnection) {}

    private final Endpoint endpoint;
    private final Counters counters;
    private final int credits;
    private final ArgumentFetches fetches;
    private final CallQuota callQuota;
    private final Replies replies;
    private final Guard guard;
    private final ServedCalls live;
    private final ConnectionQuota quota;

    /** The calls whose programs can run, in order. */
    private final ArrayDeque<ServedCall> ready = new ArrayDeque<>();

    /** The calls whose replies wait to be sent. */
    private final ArrayDeque<ServedCall> held = new ArrayDeque<>();

    /** The profile of the connection: at first that of RFC 8166. */
    private ResponderProfile profile =
            (message, buffer, _) -> received(Received.byResponder(message), buffer);

    private ConnectionParameters parameters;
    private int replying;

    /** How many receives messages have used up and are not posted again yet. */
    private int usedReceives;

    /**
     * @param parameters the parameters of the connection
     * @param bounds the limits of its calls
     * @param quota the share of the connection in the quota of its client
     * @param guard knows the calls that must be refused because they broke a connection
     */
    public Responder(
            Endpoint endpoint,
            Counters counters,
            ConnectionParameters parameters,
            Bounds bounds,
            ConnectionQuota quota,
            Guard guard) {
        this.guard = guard;
        this.endpoint = endpoint;
        this.counters = counters;
        this.credits = bounds.credits();
        this.quota = quota;
        this.parameters = parameters;
        this.live = new ServedCalls(endpoint.memory().pool(), credits, this::sent);
        this.fetches = new ArgumentFetches(endpoint, guard);
        this.replies = new Replies(endpoint, counters, guard);
        this.callQuota = new CallQuota(bounds, quota, guard);
        endpoint.attach(MessageRole.RESPONDER, this);
        // Every connection has its own receives, as many as credits (RFC 5666-3.3-6, 5666-6-1). All
        // of them are posted before the first grant.
        int first = quota.firstReceives(receives());
        postReceives(first);
        endpoint.beforeFirst(() -> begin(first));
    }

    /** Posts the remaining receives when the first message arrives. */
    private void begin(int first) {
        if (quota.takeReceives()) {
            postReceives(receives() - first);
        } else {
            endpoint.close("there is no memory for the receives of this connection");
        }
    }

    private void postReceives(int count) {
        for (int i = 0; i < count; i++) {
            endpoint.postReceive();
        }
    }

    /** Sets the parameters that the peer agreed to later. */
    public void agree(ConnectionParameters changed) {
        parameters = changed;
        fetches.limit(Math.max(1, changed.readsMax()));
    }

    /** Sets the profile of the connection. It is called before the first call. */
    public void useProfile(ResponderProfile by) {
        profile = by;
    }

    /**
     * Sets the memory of calls, before the first one.
     *
     * @param aheadMax the most bytes of fetched arguments that are not passed on
     * @param replyBytes returns how many bytes are planned for the reply to a call
     */
    public void plan(long aheadMax, ToLongFunction<ServedCall> replyBytes) {
        callQuota.plan(aheadMax, replyBytes);
    }

    /** Returns whether memory is kept until the requester does something. */
    public boolean awaitsRequester() {
        return profile.awaitsRequester();
    }

    /** Returns the share of the connection in the quota of its client. */
    public ConnectionQuota quota() {
        return quota;
    }

    /** Returns the credits to grant if no other message needs receives. */
    public int credits() {
        return credits;
    }

    /** Returns the present parameters. */
    public ConnectionParameters parameters() {
        return parameters;
    }

    /** Takes memory for longer receives, see {@link ConnectionQuota#takeMoreReceives}. */
    public boolean takeMoreReceives(long bytes) {
        return quota.takeMoreReceives(bytes);
    }

    /**
     * Checks whether the requester fetches its results in time.
     *
     * @param timeoutDivisor the divisor of the timeout, above 1 if others wait for memory
     * @return whether the connection was closed because it does not
     */
    public boolean expire(long now, int timeoutDivisor) {
        boolean isClosed = profile.expire(now, timeoutDivisor);
        replyHeld();
        return isClosed;
    }

    /** Returns how many receives are posted for calls, or used up by some. */
    public int receives() {
        return credits + profile.spareReceives();
    }

    /** Returns how many calls are not finished. */
    public int liveCalls() {
        return live.size();
    }

    /** Returns how many leases finished calls keep for the next calls. */
    public int keptLeases() {
        return live.keptLeases();
    }

    @Override
    public void received(SegmentPool.Lease buffer, Completion completion) {
        if (!mayUse(List.of(buffer))) {
            return;
        }
        var whole = buffer.segment();
        if (PlainMessage.isCall(whole, completion.length())) {
            var payload =
                    whole.asSlice(
                            PlainMessage.HEADER_BYTES,
                            completion.length() - PlainMessage.HEADER_BYTES);
            called(PlainMessage.xid(whole), ChunkLists.EMPTY, payload, buffer);
            return;
        }
        profile.received(whole.asSlice(0, completion.length()), buffer, completion);
    }

    /**
     * Handles a decoded message of RFC 8166.
     *
     * @param buffer the memory of its receive
     */
    public void received(Received received, SegmentPool.Lease buffer) {
        switch (received) {
            case Received.Call(var header, var chunks, var payload) ->
                    called(header.xid(), chunks, payload, buffer);
            case Received.OweVersionError(var xid, var version) -> {
                buffer.close();
                counters.count(Counter.VERSION_ERRORS);
                // RFC 8166-4.5.1-1, 8166-4.5-4, 5666-4.2-2, 5666-4.2-3.
                queueError(
                        new Version1Header.VersionError(
                                xid,
                                version,
                                profile.grant(credits),
                                Version1Header.VERSION,
                                Version1Header.VERSION));
            }
            case Received.OweChunkError(var xid, var version, _) -> {
                buffer.close();
                queueChunkError(xid, version);
            }
            case Received.Discard _, Received.Reply _, Received.Failure _ -> {
                buffer.close();
                postReceive();
                counters.count(Counter.DISCARDED);
            }
        }
    }

    /**
     * Counts the receives of a message, and returns whether they stay within those for calls. If
     * not, it closes the connection.
     */
    public boolean mayUse(List<SegmentPool.Lease> buffers) {
        usedReceives += buffers.size();
        if (usedReceives <= receives()) {
            return true;
        }
        // This can only happen if receives for replies are posted, too. Those must not run out.
        buffers.forEach(SegmentPool.Lease::close);
        endpoint.close("the peer made more calls than it was granted");
        return false;
    }

    /** Handles a call that arrived in one Send. */
    public void called(
            int xid, ChunkLists chunks, MemorySegment payload, SegmentPool.Lease buffer) {
        var call = live.take();
        call.begin(xid, chunks, payload, buffer);
        begun(call);
    }

    /**
     * Handles a call that arrived in the form of a profile.
     *
     * @param chunks the chunk lists of the call, or equivalent ones
     * @param payload returns the inline message; it may lease memory of the call. If there is no
     *     memory, the call alone is refused.
     * @param arrival returns the form of the call; it may lease memory of the call
     * @param buffers the receives that it arrived in; at least one
     */
    public void called(
            int xid,
            ChunkLists chunks,
            Function<ServedCall, MemorySegment> payload,
            Function<ServedCall, Arrival> arrival,
            List<SegmentPool.Lease> buffers) {
        var call = live.take();
        MemorySegment inline;
        Arrival form;
        try {
            inline = payload.apply(call);
            form = arrival.apply(call);
        } catch (BudgetExhaustedException _) {
            call.begin(xid, chunks, MemorySegment.NULL, buffers.getFirst());
            call.arrivedAs(Arrival.ONE_SEND, buffers.subList(1, buffers.size()));
            refuse(call);
            return;
        }
        call.begin(xid, chunks, inline, buffers.getFirst());
        call.arrivedAs(form, buffers.subList(1, buffers.size()));
        begun(call);
    }

    /** Sends an error for a call whose reply the peer could not handle. */
    public void refuse(int xid) {
        endpoint.messageSends().queueAnswer(profile.refusal(xid, profile.grant(credits)), () -> {});
    }

    /** Sends waiting replies, because there may be room for them now. */
    public void roomIsFree() {
        replyHeld();
    }

    private void begun(ServedCall call) {
        counters.count(Counter.CALLS);
        counters.count(Counter.INLINE_CALL_BYTES, call.execution().message().byteSize());
        // RFC 8167-5.3-2.
        boolean chunksAllowed =
                parameters.chunks()
                        || call.chunks().isEmpty() && call.arrival().offeredBytes() == 0;
        // RFC 5666-6.2-7.
        boolean readable = parameters.readsMax() > 0 || call.chunks().readList().isEmpty();
        // RFC 8166-4.5.3-2.
        boolean broken = !call.chunks().isEmpty() && guard.refuses(call);
        if (!chunksAllowed || !readable || broken || !callQuota.accepts(call)) {
            refuse(call);
            return;
        }
        live.add(call);
        callQuota.add(call);
        resume();
    }

    /** Refuses a call that has not begun to be served. */
    private void refuse(ServedCall call) {
        int xid = call.xid();
        postReceives(call, 1);
        call.release();
        live.giveBack(call);
        // RFC 8166-4.5.2-1, 5666-4.2-5.
        counters.count(Counter.CHUNK_ERRORS);
        queueError(profile.refusal(xid, profile.grant(credits)));
    }

    /** Resumes calls that had to wait for their {@link ConnectionQuota}, as far as it allows. */
    public void resume() {
        for (var call = callQuota.next(); call != null; call = callQuota.next()) {
            if (call.hasSeparateArguments()) {
                fetch(call);
            } else {
                act(call, ServedState.Event.FETCHED);
            }
        }
    }

    private void fetch(ServedCall call) {
        Consumer<List<ReadChunk>> fetched =
                chunks -> {
                    replies.countFetched(call.xid(), chunks);
                    act(call, ServedState.Event.FETCHED);
                };
        if (!fetches.start(call, fetched)) {
            act(call, ServedState.Event.REFUSED);
        }
    }

    /**
     * Returns the next call whose program can run, on any thread; null if there is none. The caller
     * must call {@link #ended} afterwards.
     */
    public ServedCall next() {
        return ready.pollFirst();
    }

    /**
     * Sends the reply header again if a call repeats one whose reply waits to be fetched (RPR-X-2).
     * Returns whether it does.
     */
    public boolean repeats(int xid) {
        var again = profile.called(xid);
        again.ifPresent(this::queueError);
        return again.isPresent();
    }

    /** Handles the end of a call's program, or that it did not run. */
    public void ended(ServedCall call, Execution.Outcome outcome) {
        switch (outcome) {
            case ANSWERED -> act(call, ServedState.Event.ANSWERED);
            case UNANSWERABLE -> {
                call.clearReply();
                act(call, ServedState.Event.ANSWERED);
            }
            case DROPPED -> {
                act(call, ServedState.Event.DROPPED);
                // A credit returns only with a reply. The requester has to send the unanswered call
                // again, on another connection.
                endpoint.close("a call was dropped, and cannot be answered any more");
            }
        }
    }

    /** Ends all calls. A running program keeps the memory of its call until it returns. */
    @Override
    public void lost(String reason) {
        callQuota.close();
        held.clear();
        profile.lost();
        live.close();
        for (var call : live.all()) {
            act(call, ServedState.Event.LOST);
        }
        while (!ready.isEmpty()) {
            // No program received this call, so none will end it.
            act(ready.removeFirst(), ServedState.Event.DROPPED);
        }
    }

    private void act(ServedCall call, ServedState.Event event) {
        var actions = call.step(event).actions();
        for (int i = 0; i < actions.size(); i++) {
            switch (actions.get(i)) {
                case RUN -> ready.addLast(call);
                case REPLY -> {
                    held.addLast(call);
                    replyHeld();
                }
                case DISCARD -> {
                    releaseArguments(call);
                    postReceives(call, 0);
                    counters.count(Counter.DISCARDED);
                }
                case RELEASE -> {
                    call.release();
                    callQuota.release(call);
                    live.remove(call);
                }
            }
        }
    }

    /** Posts a receive in place of one that a message used up. */
    public void postReceive() {
        usedReceives--;
        endpoint.postReceive();
    }

    /** Posts the receives of a call again, until only a given number is left. */
    private void postReceives(ServedCall call, int left) {
        while (call.receives() > left) {
            usedReceives--;
            endpoint.postReceive(call.takeReceive());
        }
    }

    private void replyHeld() {
        while (!held.isEmpty()
                && replying < credits
                && profile.hasRoom(held.getFirst(), parameters)) {
            replying++;
            var call = held.removeFirst();
            releaseArguments(call);
            // The requester may send as soon as it sees the reply (RFC 8166-3.3.1-7).
            postReceives(call, 0);
            if (replying == credits || callQuota.isAwaited(call)) {
                // The next reply, or a call of the client, may wait for the end of this reply.
                endpoint.wakeAfterNext();
            }
            if (call.repliesPlainly(parameters, profile.plain())) {
                counters.count(Counter.REPLIES);
                counters.count(Counter.INLINE_REPLY_BYTES, call.reply().position());
                endpoint.post(call.sending(profile.grant(credits), endpoint.memory()));
            } else {
                replies.send(call, profile, parameters, profile.grant(credits), () -> sent(call));
            }
            callQuota.answered(call);
        }
    }

    /**
     * Releases the arguments of a call after their last use, and resumes calls that waited for
     * room.
     */
    private void releaseArguments(ServedCall call) {
        call.releaseArguments();
        callQuota.releaseArguments(call);
        resume();
    }

    private void sent(ServedCall call) {
        replying--;
        act(call, ServedState.Event.SENT);
        replyHeld();
    }

    private void queueChunkError(int xid, int version) {
        // RFC 8166-4.5.2-1, 5666-4.2-5.
        counters.count(Counter.CHUNK_ERRORS);
        queueError(new Version1Header.ChunkError(xid, version, profile.grant(credits)));
    }

    /** Sends an error for a message that is not served as a call. */
    private void queueError(TransportHeader error) {
        endpoint.messageSends().queueAnswer(error, this::postReceive);
    }
}
