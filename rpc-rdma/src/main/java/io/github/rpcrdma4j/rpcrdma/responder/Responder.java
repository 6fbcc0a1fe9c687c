package io.github.rpcrdma4j.rpcrdma.responder;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.connection.Exchanges;
import io.github.rpcrdma4j.rpcrdma.connection.FramedSends;
import io.github.rpcrdma4j.rpcrdma.connection.ReadQueue;
import io.github.rpcrdma4j.rpcrdma.connection.Reception;
import io.github.rpcrdma4j.rpcrdma.connection.Terms;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.metrics.Statistics;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.wire.Alignment;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.Edition;
import io.github.rpcrdma4j.rpcrdma.wire.Frame;
import io.github.rpcrdma4j.rpcrdma.wire.PlainMessage;
import io.github.rpcrdma4j.rpcrdma.wire.Received;
import io.github.rpcrdma4j.rpcrdma.wire.Recipient;
import io.github.rpcrdma4j.rpcrdma.wire.TransportHeader;
import io.github.rpcrdma4j.rpcrdma.wire.v2.Direction;
import io.github.rpcrdma4j.verbs.Completion;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The calls that came by one connection. It never waits: completions are fed to its endpoint, and
 * the ends of programs to it.
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
    private final Endpoint endpoint;
    private final Statistics statistics;
    private final int credits;
    private final ReadQueue reads;
    private final Fetcher fetcher;
    private final FramedSends sender;
    private final Consumer<ServedCall> runner;
    private final Guard guard;
    private final LiveCalls live;
    private final Function<Exchanges, Version2Responder> version2;
    private final ArrayDeque<ServedCall> held = new ArrayDeque<>();
    private ResponderEdition edition;
    private Terms terms;
    private int replying;

    /** Receives that messages have used up, and that were not posted again. */
    private int usedReceives;

    /**
     * @param terms what was agreed on with the requester
     * @param options {@link RpcRdmaOptions#credits} are granted by every reply, and as many
     *     receives are posted
     * @param allowance what the calls may take of what their client may hold
     * @param runner gives a call to its program, now or on another thread, and calls {@link #ended}
     *     afterwards
     * @param guard knows calls that are not to be tried again
     */
    public Responder(
            Endpoint endpoint,
            Statistics statistics,
            Terms terms,
            RpcRdmaOptions options,
            Allowance allowance,
            Consumer<ServedCall> runner,
            Guard guard) {
        this.guard = guard;
        this.endpoint = endpoint;
        this.statistics = statistics;
        this.credits = options.credits();
        this.terms = terms;
        this.runner = runner;
        this.live = new LiveCalls(endpoint.memory().pool(), credits, this::plainlySent);
        this.edition = ResponderEdition.ofVersion1(endpoint, options, allowance, statistics);
        this.version2 =
                exchanges ->
                        Version2Responder.of(endpoint, exchanges, options, allowance, statistics);
        this.reads = new ReadQueue(endpoint);
        this.sender = new FramedSends(endpoint);
        this.fetcher =
                new Fetcher(
                        reads,
                        endpoint.memory(),
                        options.callBytesMax(),
                        options.connectionBytesMax(),
                        allowance,
                        call -> act(call, ServedState.Event.FETCHED),
                        call -> guard.broke(call.xid()));
        endpoint.attach(Recipient.RESPONDER, this);
        // Receives of its own for every connection, as many as are granted (RFC 5666-3.3-6,
        // 5666-6-1), and all of them before the first grant.
        int first = allowance.firstReceives(receives());
        postReceives(first);
        int later = receives() - first;
        endpoint.beforeFirst(() -> begin(allowance, later));
    }

    /** A peer that says something gets the rest of its receives. */
    private void begin(Allowance allowance, int later) {
        if (allowance.takeReceives()) {
            postReceives(later);
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
     * The peer told of itself (RFC 5666-6.2-5, 5666-6.2-6).
     *
     * @param told what holds from now on
     */
    public void configured(Terms told) {
        terms = told;
        reads.limit(Math.max(1, told.readsMax()));
    }

    /**
     * Speaks version 2 from now on, before the first call.
     *
     * @param exchanges what the two sides have told each other
     * @return who takes calls then
     */
    public Reception.Calls speakVersion2(Exchanges exchanges) {
        edition = version2.apply(exchanges);
        return new Version2Calls(this, live);
    }

    /** What holds now. */
    public Terms terms() {
        return terms;
    }

    /**
     * Looks after requesters that do not fetch their results.
     *
     * @param now in nanoseconds of any origin
     * @return whether the connection was closed for that
     */
    public boolean expire(long now) {
        boolean isClosed = edition.expire(now);
        replyHeld();
        return isClosed;
    }

    /** Receives that stand posted for calls, or are used up by some. */
    public int receives() {
        return credits + edition.spareReceives();
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
            called(PlainMessage.xid(whole), ChunkLists.EMPTY, payload, Alignment.NONE, buffer);
            return;
        }
        var message = whole.asSlice(0, completion.length());
        switch (Received.byResponder(message, edition.edition())) {
            case Received.Call(var header, var chunks, var payload) ->
                    called(header.xid(), chunks, payload, Alignment.of(header), buffer);
            case Received.OweVersionError(var xid, var version) -> {
                buffer.close();
                statistics.count(Counter.VERSION_ERRORS);
                // RFC 8166-4.5.1-1, 8166-4.5-4, 5666-4.2-2, 5666-4.2-3.
                owe(
                        new TransportHeader.VersionError(
                                xid,
                                version,
                                edition.grant(credits),
                                TransportHeader.VERSION,
                                TransportHeader.VERSION));
            }
            case Received.OweChunkError(var xid, var version, _) -> {
                buffer.close();
                oweChunkError(xid, version);
            }
            case Received.Finished(var xid) -> {
                buffer.close();
                // RFC 5666-3.8-8.
                postReceive();
                fetched(List.of(xid), OptionalInt.empty());
            }
            case Received.Discard _, Received.Reply _, Received.Failure _ -> {
                buffer.close();
                postReceive();
                statistics.count(Counter.DISCARDED);
            }
        }
    }

    /** Whether a message may use up a receive of calls; if not, the connection is closed. */
    boolean mayUse(List<SegmentPool.Lease> buffers) {
        usedReceives += buffers.size();
        if (usedReceives <= receives()) {
            return true;
        }
        // Only where receives for replies stand beside ours; they must not run out.
        buffers.forEach(SegmentPool.Lease::close);
        endpoint.close("the peer made more calls than it was granted");
        return false;
    }

    /** A call came. */
    void called(
            int xid,
            ChunkLists chunks,
            MemorySegment payload,
            Alignment alignment,
            SegmentPool.Lease buffer) {
        var call = live.take();
        call.begin(xid, chunks, payload, alignment, buffer);
        received(call);
    }

    /** The peer could not take what was sent for a call: it gets an error in its place. */
    void refuse(int xid) {
        endpoint.owe(edition.framing().refusal(xid, edition.grant(credits)), () -> {});
    }

    /** The requester is done with what it had to fetch of calls. */
    void fetched(List<Integer> xids, OptionalInt invalidated) {
        // Of what does not wait it means nothing (RPR-4.1.3-3).
        if (!edition.done(xids, invalidated)) {
            statistics.count(Counter.DISCARDED);
        }
        replyHeld();
    }

    /** A call has begun. */
    void received(ServedCall call) {
        statistics.count(Counter.CALLS);
        statistics.count(Counter.INLINE_CALL_OCTETS, call.payload().byteSize());
        // RFC 8167-5.3-2.
        boolean chunksAllowed =
                terms.chunks() || call.chunks().isEmpty() && call.directedBytes() == 0;
        // RFC 5666-6.2-7.
        boolean readable = terms.readsMax() > 0 || call.chunks().readList().isEmpty();
        // RFC 8166-4.5.3-2.
        boolean broken = !call.chunks().isEmpty() && guard.refuses(call.xid());
        if (!chunksAllowed || !readable || broken || !fetcher.accepts(call)) {
            int xid = call.xid();
            call.takeMoreReceives(this::postReceive);
            call.release();
            live.giveBack(call);
            // RFC 8166-4.5.2-1, 5666-4.2-5.
            statistics.count(Counter.CHUNK_ERRORS);
            owe(edition.framing().refusal(xid, edition.grant(credits)));
            return;
        }
        live.add(call);
        fetcher.fetch(call);
    }

    /** Tries again with calls that had to wait for their {@link Allowance}. */
    public void resume() {
        fetcher.resume();
    }

    /** Whether a call is one whose reply waits to be fetched, and is sent again (RPR-X-2). */
    boolean repeats(int xid) {
        var again = edition.called(xid);
        again.ifPresent(this::owe);
        return again.isPresent();
    }

    /** The program of a call returned, or was not asked. */
    public void ended(ServedCall call, ServedCall.Outcome outcome) {
        switch (outcome) {
            case ANSWERED -> act(call, ServedState.Event.ANSWERED);
            case UNANSWERABLE -> {
                if (call.reply() != null) {
                    call.reply().clear();
                }
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
        fetcher.stop();
        held.clear();
        edition.lost();
        live.close();
        for (var call : live.all()) {
            act(call, ServedState.Event.LOST);
        }
    }

    private void act(ServedCall call, ServedState.Event event) {
        var actions = call.step(event).actions();
        for (int i = 0; i < actions.size(); i++) {
            switch (actions.get(i)) {
                case RUN -> runner.accept(call);
                case REPLY -> {
                    held.addLast(call);
                    replyHeld();
                }
                case DISCARD -> {
                    call.releaseArguments();
                    fetcher.done(call);
                    call.takeReceives(this::postReceive);
                    statistics.count(Counter.DISCARDED);
                }
                case RELEASE -> {
                    call.release();
                    fetcher.release(call);
                    live.remove(call);
                }
            }
        }
    }

    private void postReceive() {
        usedReceives--;
        endpoint.postReceive();
    }

    private void postReceive(SegmentPool.Lease again) {
        usedReceives--;
        endpoint.postReceive(again);
    }

    private void replyHeld() {
        while (!held.isEmpty() && replying < credits && edition.hasRoom(held.getFirst(), terms)) {
            replying++;
            var call = held.removeFirst();
            call.releaseArguments();
            fetcher.done(call);
            // The requester may send as soon as it sees the reply (RFC 8166-3.3.1-7).
            call.takeReceives(this::postReceive);
            if (call.repliesPlainly(terms, edition.edition() == Edition.RFC_8166)) {
                statistics.count(Counter.REPLIES);
                statistics.count(Counter.INLINE_REPLY_OCTETS, call.reply().position());
                endpoint.post(call.sending(edition.grant(credits), endpoint.memory()));
            } else {
                reply(call);
            }
            fetcher.answered(call);
        }
    }

    private void reply(ServedCall call) {
        Optional<ReplyPlan> plan =
                call.reply() == null || call.reply().position() == 0
                        ? Optional.empty()
                        : call.placeResults().flatMap(placed -> plan(call, placed));
        var other = edition.reply(call, plan, terms);
        if (other.isPresent()) {
            replyOtherwise(call, other.get());
            return;
        }
        int granted = edition.grant(credits);
        if (plan.isEmpty() || plan.get().writes().size() >= Endpoint.BATCH_MAX) {
            statistics.count(Counter.CHUNK_ERRORS);
            call.tellOfNoRoom(terms.replyThreshold(), guard);
            var error = edition.framing().refusal(call.xid(), granted);
            sender.post(error, () -> sent(call));
            return;
        }
        var reply = plan.get();
        // RFC 8167-5.2-1.
        int xid = call.xid();
        var framing = edition.framing();
        var header =
                reply.inReplyChunk()
                        ? framing.noMessage(Direction.REPLY, xid, granted, reply.returned())
                        : framing.message(Direction.REPLY, xid, granted, reply.returned());
        count(reply);
        var part = new FramedSends.Part(header, reply.inline());
        sender.post(reply.writes(), List.of(part), invalidation(call), () -> sent(call));
    }

    private Optional<ReplyPlan> plan(ServedCall call, ReplyPlan.Placed placed) {
        return ReplyPlan.of(
                call.chunks(),
                placed,
                call.reply().reducedStream(),
                call.reply().bulkItems(),
                !call.isDirected(),
                terms.replyThreshold() - edition.framing().extraBytes());
    }

    private void replyOtherwise(ServedCall call, ResponderEdition.Outgoing reply) {
        statistics.count(Counter.REPLIES);
        for (var part : reply.sends()) {
            for (var piece : part.inline()) {
                statistics.count(Counter.INLINE_REPLY_OCTETS, piece.byteSize());
            }
        }
        sender.post(
                reply.writes(),
                reply.sends(),
                reply.sends().size() == 1 ? invalidation(call) : OptionalInt.empty(),
                () -> {
                    reply.sent().run();
                    sent(call);
                });
    }

    private void plainlySent(ServedCall call, boolean succeeded) {
        if (succeeded) {
            sent(call);
        }
    }

    private void sent(ServedCall call) {
        replying--;
        act(call, ServedState.Event.SENT);
        replyHeld();
    }

    /**
     * The one handle of the call, if there is exactly one and both sides want that (RFC 8797-4.1-1,
     * 8797-4.1-2, 8797-4.1-3; XCH-3.2-2, XCH-3.2-3).
     */
    private OptionalInt invalidation(ServedCall call) {
        return terms.remoteInvalidation() ? call.chunks().onlyHandle() : OptionalInt.empty();
    }

    private void oweChunkError(int xid, int version) {
        // RFC 8166-4.5.2-1, 5666-4.2-5.
        statistics.count(Counter.CHUNK_ERRORS);
        owe(new TransportHeader.ChunkError(xid, version, edition.grant(credits)));
    }

    /** Answers a message that is no call to be served. */
    private void owe(Frame error) {
        endpoint.owe(error, this::postReceive);
    }

    private void count(ReplyPlan reply) {
        statistics.count(Counter.REPLIES);
        for (var piece : reply.inline()) {
            statistics.count(Counter.INLINE_REPLY_OCTETS, piece.byteSize());
        }
        for (var chunk : reply.returned().writeList()) {
            if (chunk.size() > 0) {
                statistics.count(Counter.WRITE_CHUNKS);
                statistics.count(Counter.WRITE_CHUNK_OCTETS, chunk.size());
            }
        }
        if (reply.inReplyChunk()) {
            statistics.count(Counter.REPLY_CHUNKS);
            statistics.count(
                    Counter.REPLY_CHUNK_OCTETS, reply.returned().replyChunk().get().size());
        }
    }
}
