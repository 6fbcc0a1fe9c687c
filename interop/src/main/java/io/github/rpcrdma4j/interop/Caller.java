package io.github.rpcrdma4j.interop;

import io.github.rpcrdma4j.interop.RawConnection.Answer;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header;
import io.github.rpcrdma4j.rpcrdma.wire.Version1HeaderCodec;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import io.github.rpcrdma4j.verbs.Access;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * Makes calls on a connection, in shapes that are given. Every answer is checked for what holds in
 * all shapes: the lists that come back, the handle that is invalidated, the memory that is left
 * alone.
 */
final class Caller implements AutoCloseable {
    private static final int CREDITS = 8;

    private final RawConnection connection;
    private final Peer peer;
    private final List<OfferedMemory> memories = new ArrayList<>();

    /**
     * @param connection closed with the caller
     */
    Caller(RawConnection connection, Peer peer) {
        this.connection = connection;
        this.peer = peer;
    }

    Peer peer() {
        return peer;
    }

    /** Memory that the responder reads. */
    OfferedMemory source(Layout layout, byte[] data) {
        return offer(layout, EnumSet.of(Access.REMOTE_READ)).fill(data);
    }

    /** Memory that the responder writes to. */
    OfferedMemory sink(Layout layout) {
        return offer(layout, EnumSet.of(Access.REMOTE_WRITE));
    }

    /** Memory that the responder may both read and write. */
    OfferedMemory both(Layout layout, byte[] data) {
        return offer(layout, EnumSet.of(Access.REMOTE_READ, Access.REMOTE_WRITE)).fill(data);
    }

    private OfferedMemory offer(Layout layout, Set<Access> access) {
        var memory = connection.offer(layout, access);
        memories.add(memory);
        return memory;
    }

    /** How a reply has to come that would fit inline. */
    private boolean comesInReplyChunk(Offer offer, boolean fitsInline) {
        return offer.reply().isPresent() && (peer == Peer.LINUX || !fitsInline);
    }

    /**
     * Makes a call, its stream inline but for what {@code offer} moves apart.
     *
     * @param inline what follows the header
     * @param written how many bytes have to be in each Write chunk; in those not named, none
     */
    Reply call(CallMessage message, byte[] inline, Offer offer, long... written)
            throws Mismatch, InterruptedException {
        var header = new Version1Header.Msg(message.xid(), CREDITS, offer.lists());
        return exchange(header, inline, offer, true, written);
    }

    /** Makes a call whose reply is longer than what fits inline. */
    Reply callWithLongReply(CallMessage message, byte[] inline, Offer offer, long... written)
            throws Mismatch, InterruptedException {
        var header = new Version1Header.Msg(message.xid(), CREDITS, offer.lists());
        return exchange(header, inline, offer, false, written);
    }

    /** Makes a call whose stream lies in a Position-Zero Read chunk. */
    Reply longCall(CallMessage message, Offer offer, long... written)
            throws Mismatch, InterruptedException {
        var header = new Version1Header.NoMsg(message.xid(), CREDITS, offer.lists());
        return exchange(header, new byte[0], offer, true, written);
    }

    private Reply exchange(
            Version1Header header, byte[] inline, Offer offer, boolean fitsInline, long... written)
            throws Mismatch, InterruptedException {
        var answer = ask(header, inline);
        var decoded = decode(answer.bytes());
        boolean inReplyChunk = comesInReplyChunk(offer, fitsInline);
        var lists = lists(decoded.header(), inReplyChunk);
        requireInvalidated(
                connection.repliesInvalidate(peer)
                        ? offer.seenBy(peer).onlyHandle()
                        : OptionalInt.empty(),
                answer.invalidated());
        Mismatch.requireSame("the returned Read list", List.of(), lists.readList());
        var placed = placed(offer, lists.writeList(), written);
        byte[] rest = answer.bytes().asSlice(decoded.length()).toArray(ValueLayout.JAVA_BYTE);
        byte[] stream = rest;
        if (inReplyChunk) {
            Mismatch.requireSame("what follows an RDMA_NOMSG", 0, rest.length);
            stream = fromReplyChunk(offer, lists, placed);
        } else {
            Mismatch.requireSame(
                    "the returned Reply chunk",
                    offer.reply().map(memory -> memory.filled(0)),
                    lists.replyChunk());
        }
        requireUntouched();
        return new Reply(header.xid(), stream, placed);
    }

    /** The lists of a reply that has to be of the right type. */
    private static ChunkLists lists(Version1Header header, boolean inReplyChunk) throws Mismatch {
        return switch (header) {
            case Version1Header.Msg(_, _, var lists) when !inReplyChunk -> lists;
            case Version1Header.NoMsg(_, _, var lists) when inReplyChunk -> lists;
            case Version1Header.Msg _,
                    Version1Header.NoMsg _,
                    Version1Header.VersionError _,
                    Version1Header.ChunkError _,
                    Version1Header.Done _ ->
                    throw new Mismatch(
                            "the answer should be "
                                    + (inReplyChunk ? "RDMA_NOMSG" : "RDMA_MSG")
                                    + " and is "
                                    + header);
        };
    }

    private static Optional<byte[]> placed(Offer offer, List<WriteChunk> returned, long... written)
            throws Mismatch {
        Optional<byte[]> first = Optional.empty();
        var expected = new ArrayList<WriteChunk>();
        for (int i = 0; i < offer.writes().size(); i++) {
            var memory = offer.writes().get(i);
            long bytes = i < written.length ? written[i] : 0;
            expected.add(memory.filled(bytes));
            if (i == 0 && bytes > 0) {
                first = Optional.of(memory.take(bytes));
            }
        }
        Mismatch.requireSame("the returned Write list", expected, returned);
        return first;
    }

    private byte[] fromReplyChunk(Offer offer, ChunkLists lists, Optional<byte[]> placed)
            throws Mismatch {
        var memory = offer.reply().orElseThrow();
        var returned =
                lists.replyChunk()
                        .orElseThrow(() -> new Mismatch("an RDMA_NOMSG without a Reply chunk"));
        Mismatch.requireSame("the returned Reply chunk", memory.filled(returned.size()), returned);
        long bytes = returned.size();
        if (peer == Peer.LINUX && placed.isPresent()) {
            // Linux counts what it placed elsewhere as well (svc_rdma_prepare_reply_chunk).
            bytes -= (placed.get().length + 3) & ~3;
        }
        return memory.take(bytes);
    }

    /** Sends a header and what follows it; an answer has to come, for that call. */
    private Answer.Message ask(Version1Header header, byte[] inline)
            throws Mismatch, InterruptedException {
        return ask(bytes(header, inline), header.xid());
    }

    private Answer.Message ask(byte[] message, int xid) throws Mismatch, InterruptedException {
        if (message.length > RawConnection.INLINE_BYTES) {
            throw new IllegalStateException("a shape sends more than servers take inline");
        }
        connection.send(message);
        var answer = message(connection.receive());
        Mismatch.requireSame("the XID of the answer", xid, decode(answer.bytes()).header().xid());
        return answer;
    }

    private static Answer.Message message(Answer answer) throws Mismatch {
        return switch (answer) {
            case Answer.Message message -> message;
            case Answer.Lost(var why) -> throw new Mismatch("the connection was lost: " + why);
            case Answer.Silence() -> throw new Mismatch("no answer came");
        };
    }

    private static Version1HeaderCodec.Decoded.Ok decode(MemorySegment bytes) throws Mismatch {
        var decoded = Version1HeaderCodec.decode(bytes);
        if (decoded instanceof Version1HeaderCodec.Decoded.Ok ok) {
            return ok;
        }
        throw new Mismatch("the answer makes no sense: " + decoded);
    }

    /** The bytes of a Send. */
    static byte[] bytes(Version1Header header, byte[] inline) {
        byte[] bytes = new byte[Version1HeaderCodec.encodedLength(header) + inline.length];
        int length = Version1HeaderCodec.encode(header, MemorySegment.ofArray(bytes));
        System.arraycopy(inline, 0, bytes, length, inline.length);
        return bytes;
    }

    private void requireInvalidated(OptionalInt expected, OptionalInt found) throws Mismatch {
        Mismatch.requireSame("the invalidated handle", expected, found);
        for (var memory : memories) {
            memory.requireValidBut(found);
        }
    }

    private void requireUntouched() throws Mismatch {
        for (var memory : memories) {
            memory.requireUntouched();
        }
    }

    /** Sends bytes that have to be answered with ERR_CHUNK; the next call is answered too. */
    void requireChunkError(byte[] message, int xid) throws Mismatch, InterruptedException {
        requireError(message, new Version1Header.ChunkError(xid, Version1Header.VERSION, 0));
    }

    /** Sends bytes that have to be answered with ERR_VERS; the next call is answered too. */
    void requireVersionError(byte[] message, int xid, int version)
            throws Mismatch, InterruptedException {
        requireError(message, new Version1Header.VersionError(xid, version, 0, 1, 1));
    }

    /**
     * @param expected with any number of credits
     */
    private void requireError(byte[] message, Version1Header expected)
            throws Mismatch, InterruptedException {
        var answer = ask(message, expected.xid());
        Mismatch.requireSame(
                "the answer", expected, withoutCredits(decode(answer.bytes()).header()));
        requireInvalidated(OptionalInt.empty(), answer.invalidated());
        requireAlive();
    }

    private static Version1Header withoutCredits(Version1Header header) {
        return switch (header) {
            case Version1Header.VersionError(var xid, var version, _, var low, var high) ->
                    new Version1Header.VersionError(xid, version, 0, low, high);
            case Version1Header.ChunkError(var xid, var version, _) ->
                    new Version1Header.ChunkError(xid, version, 0);
            case Version1Header.Msg _, Version1Header.NoMsg _, Version1Header.Done _ -> header;
        };
    }

    /** Sends bytes that have to be passed over in silence: the next call is answered. */
    void requireSilence(byte[] message) throws Mismatch, InterruptedException {
        connection.send(message);
        requireAlive();
    }

    /** Sends bytes for which the responder has to close the connection, with ERR_CHUNK or not. */
    void requireEnd(byte[] message, int xid) throws Mismatch, InterruptedException {
        connection.send(message);
        var answer = connection.receive();
        if (answer instanceof Answer.Message(var bytes, _)) {
            Mismatch.requireSame(
                    "the answer",
                    new Version1Header.ChunkError(xid, Version1Header.VERSION, 0),
                    withoutCredits(decode(bytes).header()));
            answer = connection.receive();
        }
        if (!(answer instanceof Answer.Lost)) {
            throw new Mismatch("the connection should be closed, and there is " + answer);
        }
        requireUntouched();
    }

    /** Requires that the connection still serves calls, and that memory is left alone since. */
    void requireAlive() throws Mismatch, InterruptedException {
        var call = CallMessage.ofNull();
        call(call, call.whole(), Offer.NOTHING).requireEmpty();
    }

    @Override
    public void close() {
        memories.forEach(OfferedMemory::close);
        connection.close();
    }
}
