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
import java.util.OptionalInt;
import java.util.Set;

/**
 * Makes calls on a connection, in given shapes. It checks every answer for the rules of all shapes:
 * the returned chunk lists, the invalidated handle, and memory that the responder must not touch.
 */
final class Caller implements AutoCloseable {
    private static final int CREDITS = 8;

    private final RawConnection connection;
    private final Peer peer;
    private final List<OfferedMemory> memories = new ArrayList<>();

    /**
     * @param connection closed by {@link #close}
     */
    Caller(RawConnection connection, Peer peer) {
        this.connection = connection;
        this.peer = peer;
    }

    Peer peer() {
        return peer;
    }

    /** Offers memory that the responder may read. */
    OfferedMemory source(Layout layout, byte[] data) {
        return offer(layout, EnumSet.of(Access.REMOTE_READ)).fill(data);
    }

    /** Offers memory that the responder may write. */
    OfferedMemory sink(Layout layout) {
        return offer(layout, EnumSet.of(Access.REMOTE_WRITE));
    }

    /** Offers memory that the responder may read and write. */
    OfferedMemory both(Layout layout, byte[] data) {
        return offer(layout, EnumSet.of(Access.REMOTE_READ, Access.REMOTE_WRITE)).fill(data);
    }

    private OfferedMemory offer(Layout layout, Set<Access> access) {
        var memory = connection.offer(layout, access);
        memories.add(memory);
        return memory;
    }

    /**
     * Returns whether the reply has to be in the Reply chunk. Linux uses every offered Reply chunk,
     * our server only for a reply that does not fit inline.
     */
    private boolean comesInReplyChunk(CallChunks chunks, boolean fitsInline) {
        return chunks.reply().isPresent() && (peer == Peer.LINUX || !fitsInline);
    }

    /**
     * Makes a call whose payload stream is inline, except for what is in {@code chunks}.
     *
     * @param inline the bytes behind the transport header
     * @param written how many bytes the responder has to write to each Write chunk; zero for chunks
     *     without a number
     */
    Reply call(CallMessage message, byte[] inline, CallChunks chunks, long... written)
            throws Mismatch, InterruptedException {
        var header = new Version1Header.Msg(message.xid(), CREDITS, chunks.lists());
        return exchange(header, inline, chunks, true, written);
    }

    /** Makes a call whose reply is too long to fit inline. */
    Reply callWithLongReply(CallMessage message, byte[] inline, CallChunks chunks, long... written)
            throws Mismatch, InterruptedException {
        var header = new Version1Header.Msg(message.xid(), CREDITS, chunks.lists());
        return exchange(header, inline, chunks, false, written);
    }

    /** Makes a call whose payload stream is in a Position-Zero Read chunk. */
    Reply longCall(CallMessage message, CallChunks chunks, long... written)
            throws Mismatch, InterruptedException {
        var header = new Version1Header.NoMsg(message.xid(), CREDITS, chunks.lists());
        return exchange(header, new byte[0], chunks, true, written);
    }

    private Reply exchange(
            Version1Header header,
            byte[] inline,
            CallChunks chunks,
            boolean fitsInline,
            long... written)
            throws Mismatch, InterruptedException {
        var answer = ask(header, inline);
        var decoded = decode(answer.bytes());
        boolean inReplyChunk = comesInReplyChunk(chunks, fitsInline);
        var lists = lists(decoded.header(), inReplyChunk);
        requireInvalidated(
                connection.repliesInvalidate(peer)
                        ? chunks.seenBy(peer).onlyHandle()
                        : OptionalInt.empty(),
                answer.invalidated());
        Mismatch.requireSame("the returned Read list", List.of(), lists.readList());
        var placed = placed(chunks, lists.writeList(), written);
        byte[] rest = answer.bytes().asSlice(decoded.length()).toArray(ValueLayout.JAVA_BYTE);
        byte[] stream = rest;
        if (inReplyChunk) {
            Mismatch.requireSame("what follows an RDMA_NOMSG", 0, rest.length);
            stream = fromReplyChunk(chunks, lists, placed);
        } else {
            Mismatch.requireSame(
                    "the returned Reply chunk",
                    chunks.reply().map(memory -> memory.filled(0)),
                    lists.replyChunk());
        }
        requireUntouched();
        return new Reply(header.xid(), stream, placed);
    }

    /**
     * Returns the chunk lists of a reply, which has to be an RDMA_MSG or RDMA_NOMSG as expected.
     */
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

    /** Returns the content of each Write chunk, as far as it was used. */
    private static List<byte[]> placed(
            CallChunks chunks, List<WriteChunk> returned, long... written) throws Mismatch {
        var placed = new ArrayList<byte[]>();
        var expected = new ArrayList<WriteChunk>();
        for (int i = 0; i < chunks.writes().size(); i++) {
            var memory = chunks.writes().get(i);
            long bytes = i < written.length ? written[i] : 0;
            expected.add(memory.filled(bytes));
            placed.add(memory.take(bytes));
        }
        Mismatch.requireSame("the returned Write list", expected, returned);
        return placed;
    }

    private byte[] fromReplyChunk(CallChunks chunks, ChunkLists lists, List<byte[]> placed)
            throws Mismatch {
        var memory = chunks.reply().orElseThrow();
        var returned =
                lists.replyChunk()
                        .orElseThrow(() -> new Mismatch("an RDMA_NOMSG without a Reply chunk"));
        Mismatch.requireSame("the returned Reply chunk", memory.filled(returned.size()), returned);
        long bytes = returned.size();
        if (peer == Peer.LINUX) {
            // Linux also counts the bytes in Write chunks (svc_rdma_prepare_reply_chunk).
            for (var data : placed) {
                bytes -= (data.length + 3) & ~3;
            }
        }
        return memory.take(bytes);
    }

    /**
     * Sends a header and inline bytes, and returns the answer, which has to have the XID of the
     * header.
     */
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
        throw new Mismatch("the answer is malformed: " + decoded);
    }

    /** Returns the bytes of a Send: the encoded header and the inline bytes behind it. */
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

    /**
     * Sends bytes that the responder has to answer with ERR_CHUNK, and requires that it answers the
     * next call too.
     */
    void requireChunkError(byte[] message, int xid) throws Mismatch, InterruptedException {
        requireError(message, new Version1Header.ChunkError(xid, Version1Header.VERSION, 0));
    }

    /**
     * Sends bytes that the responder has to answer with ERR_VERS, and requires that it answers the
     * next call too.
     */
    void requireVersionError(byte[] message, int xid, int version)
            throws Mismatch, InterruptedException {
        requireError(message, new Version1Header.VersionError(xid, version, 0, 1, 1));
    }

    /**
     * @param expected the required header; its number of credits does not count
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

    /** Sends bytes that the responder has to ignore, and requires that it answers the next call. */
    void requireSilence(byte[] message) throws Mismatch, InterruptedException {
        connection.send(message);
        requireAlive();
    }

    /**
     * Sends bytes for which the responder has to close the connection; it may send ERR_CHUNK first.
     */
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

    /** Requires that the connection still serves calls, and that no memory was touched since. */
    void requireAlive() throws Mismatch, InterruptedException {
        var call = CallMessage.ofNull();
        call(call, call.whole(), CallChunks.NONE).requireEmpty();
    }

    /** Takes back all offered memory, so that further calls do not check it. */
    void release() {
        memories.forEach(OfferedMemory::close);
        memories.clear();
    }

    @Override
    public void close() {
        release();
        connection.close();
    }
}
