package io.github.rpcrdma4j.rpcrdma.responder;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionParameters;
import io.github.rpcrdma4j.rpcrdma.connection.Counters;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.connection.ReadQueue;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.responder.ServedCall.Arrival;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.PlainMessage;
import io.github.rpcrdma4j.rpcrdma.wire.Received;
import io.github.rpcrdma4j.rpcrdma.wire.Received.Recipient;
import io.github.rpcrdma4j.rpcrdma.wire.TransportHeader;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header;
import io.github.rpcrdma4j.verbs.Completion;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.Function;

/**
 * The calls that came by one connection. It never waits and runs no program: completions are fed to
 * its endpoint, and after each its owner takes the calls that are {@linkplain #next ready} to their
 * programs, whose ends are fed to it. A call may be ready after each other entry too.
 *
 * <p>A receive is used up by a message until its reply or the error that it is owed is posted, so
 * neither waits for a receive (RFC 5666-3.3-9); and no more replies than credits, and a few errors,
 * are on their way at once. So a requester that sends without reading holds up itself and costs no
 * more than its credits; one that sends more than it was granted may meet no receive (RFC
 * 5666-3.3-5).
 *
 * <p>Not thread-safe: the owner holds one lock around every call.
 */
public final class Responder implements Endpoint.Role {
    /**
     * What the calls of a connection may take.
     *
     * @param credits are granted by every reply, and as many receives are posted
     * @param callBytesMax the most bytes of Read chunks of one call
     * @param connectionBytesMax the most bytes that are fetched at a time
     */
    public record Bounds(int credits, long callBytesMax, long connectionBytesMax) {}

    private final Endpoint endpoint;
    private final Counters counters;
    private final int credits;
    private final ReadQueue reads;
    private final CallQuota callQuota;
    private final Replies replies;
    private final Guard guard;
    private final ServedCalls live;
    private final ConnectionQuota quota;

    /** Calls for their programs, which were not given to them. */
    private final ArrayDeque<ServedCall> ready = new ArrayDeque<>();

    /** Calls whose replies wait to be sent. */
    private final ArrayDeque<ServedCall> held = new ArrayDeque<>();

    /** What differs from RFC 8166: nothing, until the connection has another profile. */
    private ResponderProfile profile =
            (message, buffer, _) -> received(Received.byResponder(message), buffer);

    private ConnectionParameters parameters;
    private int replying;

    /** Receives that messages have used up, and that were not posted again. */
    private int usedReceives;

    /**
     * @param parameters what was agreed on with the requester
     * @param bounds of the connection
     * @param quota what the calls may take of what their client may hold
     * @param guard knows calls that are not to be tried again
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
        this.reads = new ReadQueue(endpoint);
        this.replies = new Replies(endpoint, counters, guard);
        this.callQuota = new CallQuota(bounds.callBytesMax(), bounds.connectionBytesMax(), quota);
        endpoint.attach(Recipient.RESPONDER, this);
        // Receives of its own for every connection, as many as are granted (RFC 5666-3.3-6,
        // 5666-6-1), and all of them before the first grant.
        int first = quota.firstReceives(receives());
        postReceives(first);
        endpoint.beforeFirst(() -> begin(first));
    }

    /** A peer that says something gets the rest of its receives. */
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

    /**
     * The peer told of itself.
     *
     * @param told what holds from now on
     */
    public void agree(ConnectionParameters told) {
        parameters = told;
        reads.limit(Math.max(1, told.readsMax()));
    }

    /** Speaks by that profile from now on, before the first call. */
    public void speak(ResponderProfile by) {
        profile = by;
    }

    /** What its calls may take of what their client may hold. */
    public ConnectionQuota quota() {
        return quota;
    }

    /** What is granted where nothing else takes receives. */
    public int credits() {
        return credits;
    }

    /** What holds now. */
    public ConnectionParameters parameters() {
        return parameters;
    }

    /**
     * Takes the memory by which receives get longer, if there is some at this moment.
     *
     * @param bytes in bytes, of all receives together
     * @return false if there is none; nothing was taken then
     */
    public boolean takeMoreReceives(long bytes) {
        return quota.takeMoreReceives(bytes);
    }

    /**
     * Looks after requesters that do not fetch their results.
     *
     * @param now in nanoseconds of any origin
     * @return whether the connection was closed for that
     */
    public boolean expire(long now) {
        boolean isClosed = profile.expire(now);
        replyHeld();
        return isClosed;
    }

    /** Receives that stand posted for calls, or are used up by some. */
    public int receives() {
        return credits + profile.spareReceives();
    }

    /** Calls that are not finished. */
    public int liveCalls() {
        return live.size();
    }

    /** Leases that finished calls keep for the next ones. */
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
     * Takes what a message of RFC 8166 is to a responder.
     *
     * @param buffer what it came in
     */
    public void received(Received received, SegmentPool.Lease buffer) {
        switch (received) {
            case Received.Call(var header, var chunks, var payload) ->
                    called(header.xid(), chunks, payload, buffer);
            case Received.OweVersionError(var xid, var version) -> {
                buffer.close();
                counters.count(Counter.VERSION_ERRORS);
                // RFC 8166-4.5.1-1, 8166-4.5-4, 5666-4.2-2, 5666-4.2-3.
                owe(
                        new Version1Header.VersionError(
                                xid,
                                version,
                                profile.grant(credits),
                                Version1Header.VERSION,
                                Version1Header.VERSION));
            }
            case Received.OweChunkError(var xid, var version, _) -> {
                buffer.close();
                oweChunkError(xid, version);
            }
            case Received.Discard _, Received.Reply _, Received.Failure _ -> {
                buffer.close();
                postReceive();
                counters.count(Counter.DISCARDED);
            }
        }
    }

    /** Whether a message may use up a receive of calls; if not, the connection is closed. */
    public boolean mayUse(List<SegmentPool.Lease> buffers) {
        usedReceives += buffers.size();
        if (usedReceives <= receives()) {
            return true;
        }
        // Only where receives for replies stand beside ours; they must not run out.
        buffers.forEach(SegmentPool.Lease::close);
        endpoint.close("the peer made more calls than it was granted");
        return false;
    }

    /** A call came in one Send. */
    public void called(
            int xid, ChunkLists chunks, MemorySegment payload, SegmentPool.Lease buffer) {
        var call = live.take();
        call.begin(xid, chunks, payload, buffer);
        begun(call);
    }

    /**
     * A call came.
     *
     * @param chunks that it has, or that stand for what it has
     * @param arrival how it came; may take memory of the call
     * @param buffers that it came in; one at least
     */
    public void called(
            int xid,
            ChunkLists chunks,
            Function<ServedCall, MemorySegment> payload,
            Function<ServedCall, Arrival> arrival,
            List<SegmentPool.Lease> buffers) {
        var call = live.take();
        call.begin(xid, chunks, payload.apply(call), buffers.getFirst());
        call.came(arrival.apply(call), buffers.subList(1, buffers.size()));
        begun(call);
    }

    /** The peer could not take what was sent for a call: it gets an error in its place. */
    public void refuse(int xid) {
        endpoint.framed().owe(profile.refusal(xid, profile.grant(credits)), () -> {});
    }

    /** There may be room for replies that had none. */
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
        boolean broken = !call.chunks().isEmpty() && guard.refuses(call.xid());
        if (!chunksAllowed || !readable || broken || !callQuota.accepts(call)) {
            int xid = call.xid();
            postReceives(call, 1);
            call.release();
            live.giveBack(call);
            // RFC 8166-4.5.2-1, 5666-4.2-5.
            counters.count(Counter.CHUNK_ERRORS);
            owe(profile.refusal(xid, profile.grant(credits)));
            return;
        }
        live.add(call);
        callQuota.add(call);
        resume();
    }

    /**
     * Goes on with calls that had to wait for their {@link ConnectionQuota}, as far as it allows.
     */
    public void resume() {
        for (var call = callQuota.next(); call != null; call = callQuota.next()) {
            if (call.hasArgumentsApart()) {
                fetch(call);
            } else {
                act(call, ServedState.Event.FETCHED);
            }
        }
    }

    private void fetch(ServedCall call) {
        var execution = call.execution();
        var arrival = call.arrival();
        var message =
                ReadQueue.Message.of(
                        call.chunks().readList(),
                        execution.message(),
                        arrival.items(),
                        call::lease,
                        endpoint.memory());
        execution.arguments(
                message.stream(), arrival.placements(message.placements()), message.items());
        reads.post(message.reads(), new Fetch(call));
    }

    /** The RDMA Reads of a call. */
    private final class Fetch implements Endpoint.Ending {
        private final ServedCall call;

        Fetch(ServedCall call) {
            this.call = call;
        }

        @Override
        public void ended(boolean succeeded) {
            if (succeeded) {
                act(call, ServedState.Event.FETCHED);
            }
        }

        @Override
        public void refused() {
            guard.broke(call.xid());
        }
    }

    /**
     * The next call for its program, now or on another thread; {@link #ended} is to be called
     * afterwards. Null if there is none.
     */
    public ServedCall next() {
        return ready.pollFirst();
    }

    /** Whether a call is one whose reply waits to be fetched, and is sent again (RPR-X-2). */
    public boolean repeats(int xid) {
        var again = profile.called(xid);
        again.ifPresent(this::owe);
        return again.isPresent();
    }

    /** The program of a call returned, or was not asked. */
    public void ended(ServedCall call, Execution.Outcome outcome) {
        switch (outcome) {
            case ANSWERED -> act(call, ServedState.Event.ANSWERED);
            case UNANSWERABLE -> {
                call.clearReply();
                act(call, ServedState.Event.ANSWERED);
            }
            case DROPPED -> {
                act(call, ServedState.Event.DROPPED);
                // The credit of a call comes back with its reply and not otherwise: a requester
                // whose call is not answered has to send it again, on another connection.
                endpoint.close("a call was dropped, and cannot be answered any more");
            }
        }
    }

    /** Programs that still run are waited for only by their calls' memory. */
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
            // No program will end what none was given.
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

    /** Posts a receive in place of one that a message has used up. */
    public void postReceive() {
        usedReceives--;
        endpoint.postReceive();
    }

    /** Posts the receives again that a call came in, down to some. */
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
                // The next reply waits for the end of this one, or a call of the client may.
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

    /** Nothing looks at the arguments of a call any more; others may have room for theirs. */
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

    private void oweChunkError(int xid, int version) {
        // RFC 8166-4.5.2-1, 5666-4.2-5.
        counters.count(Counter.CHUNK_ERRORS);
        owe(new Version1Header.ChunkError(xid, version, profile.grant(credits)));
    }

    /** Answers a message that is no call to be served. */
    private void owe(TransportHeader error) {
        endpoint.framed().owe(error, this::postReceive);
    }
}
