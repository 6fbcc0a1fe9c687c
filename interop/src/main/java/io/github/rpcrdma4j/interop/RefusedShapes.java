package io.github.rpcrdma4j.interop;

import io.github.rpcrdma4j.interop.WriteShapes.Write;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.ReadSegment;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header;
import io.github.rpcrdma4j.rpcrdma.wire.Version1HeaderCodec;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Messages that a responder has to refuse with the right error, and after which it has to serve
 * further calls (RFC 8166, Section 4.5).
 *
 * <p>Tests: {@code ShapesTest}.
 */
final class RefusedShapes {
    private static final int VERSION_AT = 4;
    private static final int PROC_AT = 12;
    private static final int MSGP = 2;
    private static final int DONE = 3;
    private static final int ERROR = 4;
    private static final int ERR_CHUNK = 2;

    static final List<Shape> TABLE =
            List.of(
                    new Shape(
                            "version-2",
                            "NULL with version 2 of RPC-over-RDMA",
                            "ERR_VERS from 1 to 1, with version 2 in its header",
                            RefusedShapes::otherVersion),
                    new Shape(
                            "msgp",
                            "NULL as RDMA_MSGP",
                            "ERR_CHUNK",
                            (caller, _) -> {
                                var call = CallMessage.ofNull();
                                caller.requireChunkError(aligned(call), call.xid());
                            }),
                    new Shape(
                            "unknown-procedure",
                            "NULL with a procedure that does not exist",
                            "ERR_CHUNK",
                            (caller, _) -> {
                                var call = CallMessage.ofNull();
                                byte[] bytes = message(call, ChunkLists.EMPTY);
                                ByteBuffer.wrap(bytes).putInt(PROC_AT, 77);
                                caller.requireChunkError(bytes, call.xid());
                            }),
                    new Shape(
                            "done",
                            "RDMA_DONE",
                            "silence; the next call is answered",
                            (caller, _) -> {
                                byte[] bytes = message(CallMessage.ofNull(), ChunkLists.EMPTY);
                                ByteBuffer.wrap(bytes).putInt(PROC_AT, DONE);
                                caller.requireSilence(bytes);
                            }),
                    new Shape(
                            "error",
                            "RDMA_ERROR with ERR_CHUNK",
                            "silence; the next call is answered",
                            (caller, _) -> {
                                byte[] bytes = message(CallMessage.ofNull(), ChunkLists.EMPTY);
                                ByteBuffer.wrap(bytes)
                                        .putInt(PROC_AT, ERROR)
                                        .putInt(Version1HeaderCodec.FIXED_BYTES, ERR_CHUNK);
                                caller.requireSilence(bytes);
                            }),
                    new Shape(
                            "truncated-read-list",
                            "a Read list that goes on behind the end of the message",
                            "ERR_CHUNK",
                            (caller, _) -> truncated(caller, List.of(7), List.of(), 30)),
                    new Shape(
                            "truncated-write-list",
                            "a Write list that goes on behind the end of the message",
                            "ERR_CHUNK",
                            (caller, _) -> truncated(caller, List.of(), List.of(9, 9), 44)),
                    new Shape(
                            "odd-position",
                            "a Read chunk with a position that is not a multiple of four",
                            "ERR_CHUNK",
                            RefusedShapes::oddPosition),
                    new Shape(
                            "read-chunk-too-long",
                            "a Read chunk of 2147483647 bytes",
                            "ERR_CHUNK, and nothing is read",
                            RefusedShapes::tooLong),
                    new Shape(
                            "read-small-reply-chunk",
                            "READ of 16384 bytes, a Reply chunk of 4096",
                            "ERR_CHUNK, and nothing is written",
                            RefusedShapes::shortReplyChunkForRead),
                    new Shape(
                            "getattr-small-reply-chunk",
                            "GETATTR, a Reply chunk of two segments of 16",
                            "Linux: ERR_CHUNK; ours: inline, the Reply chunk unused",
                            RefusedShapes::shortReplyChunk),
                    new Shape(
                            "position-beyond-the-message",
                            "WRITE, a Read chunk with a position behind the end of the message",
                            "Linux: ERR_CHUNK, and it closes the connection; ours: GARBAGE_ARGS",
                            RefusedShapes::positionBeyondTheMessage),
                    new Shape(
                            "read-empty-segment",
                            "READ, a Write chunk with a segment of no bytes between two others",
                            "Linux: it closes the connection; ours: inline, the data in the Write"
                                    + " chunk",
                            RefusedShapes::emptySegment),
                    new Shape(
                            "read-write-chunk-and-small-reply-chunk",
                            "READ of 5001 bytes, a Write chunk, and a Reply chunk of 4096",
                            "Linux: it closes the connection, as it counts the data for the Reply"
                                    + " chunk too; ours: inline, the data in the Write chunk",
                            RefusedShapes::writeChunkAndSmallReplyChunk),
                    new Shape(
                            "empty-write-chunk",
                            "READ of 1000 bytes, a Write chunk without segments",
                            "Linux: ERR_CHUNK; ours: inline with the data",
                            RefusedShapes::emptyWriteChunk),
                    new Shape(
                            "empty-reply-chunk",
                            "NULL, a Reply chunk without segments",
                            "Linux: ERR_CHUNK; ours: inline",
                            RefusedShapes::emptyReplyChunk));

    private RefusedShapes() {}

    private static byte[] message(CallMessage call, ChunkLists lists) {
        return Caller.bytes(new Version1Header.Msg(call.xid(), 1, lists), call.whole());
    }

    private static void otherVersion(Caller caller, Directory directory)
            throws Mismatch, InterruptedException {
        var call = CallMessage.ofNull();
        byte[] bytes = message(call, ChunkLists.EMPTY);
        ByteBuffer.wrap(bytes).putInt(VERSION_AT, 2);
        caller.requireVersionError(bytes, call.xid(), 2);
    }

    /** Returns an RDMA_MSGP message, with the two words for alignment and threshold of RFC 5666. */
    private static byte[] aligned(CallMessage call) {
        byte[] bytes = message(call, ChunkLists.EMPTY);
        int from = Version1HeaderCodec.FIXED_BYTES;
        var longer = ByteBuffer.allocate(bytes.length + 2 * Integer.BYTES);
        longer.put(bytes, 0, from).putInt(1).putInt(1024).put(bytes, from, bytes.length - from);
        return longer.putInt(PROC_AT, MSGP).array();
    }

    private static void truncated(
            Caller caller, List<Integer> reads, List<Integer> writes, int length)
            throws Mismatch, InterruptedException {
        var call = CallMessage.ofNull();
        var chunks = CallChunks.NONE;
        for (int bytes : reads) {
            chunks = chunks.read(caller.source(Layout.of(bytes), new byte[0]).reads(4));
        }
        for (int bytes : writes) {
            chunks = chunks.write(caller.sink(Layout.of(bytes)));
        }
        byte[] bytes = Arrays.copyOf(message(call, chunks.lists()), length);
        caller.requireChunkError(bytes, call.xid());
    }

    private static void oddPosition(Caller caller, Directory directory)
            throws Mismatch, InterruptedException {
        var write = Write.of(directory, 4096);
        var call = write.message();
        var memory = caller.source(Layout.of(4096), write.data());
        var chunks = CallChunks.NONE.read(memory.reads(call.position() + 2));
        var header = new Version1Header.Msg(call.xid(), 1, chunks.lists());
        caller.requireChunkError(Caller.bytes(header, call.reduced()), call.xid());
        Mismatch.requireSame("the file", new byte[0], directory.content(write.file()));
    }

    private static void tooLong(Caller caller, Directory directory)
            throws Mismatch, InterruptedException {
        var write = Write.of(directory, 4096);
        var call = write.message();
        var entry = caller.source(Layout.of(4096), write.data()).reads(call.position()).getFirst();
        var longer =
                new ReadSegment(entry.position(), entry.target().withLength(Integer.MAX_VALUE));
        var header =
                new Version1Header.Msg(
                        call.xid(), 1, CallChunks.NONE.read(List.of(longer)).lists());
        caller.requireChunkError(Caller.bytes(header, call.reduced()), call.xid());
    }

    private static void shortReplyChunkForRead(Caller caller, Directory directory)
            throws Mismatch, InterruptedException {
        var file = directory.newFile(Directory.bytes(16384));
        var call = CallMessage.of(new Nfs3Call.Read(file, 0, 16384));
        var chunks = CallChunks.NONE.reply(caller.sink(Layout.of(4096)));
        caller.requireChunkError(message(call, chunks.lists()), call.xid());
    }

    private static void shortReplyChunk(Caller caller, Directory directory)
            throws Mismatch, InterruptedException {
        var call = CallMessage.of(directory.getAttributes());
        var chunks = CallChunks.NONE.reply(caller.sink(Layout.of(16, 16)));
        switch (caller.peer()) {
            case LINUX -> caller.requireChunkError(message(call, chunks.lists()), call.xid());
            case OURS -> directory.requireAttributes(caller.call(call, call.whole(), chunks));
        }
    }

    private static void positionBeyondTheMessage(Caller caller, Directory directory)
            throws Mismatch, InterruptedException {
        var write = Write.of(directory, 4096);
        var call = write.message();
        var memory = caller.source(Layout.of(4096), write.data());
        var chunks = CallChunks.NONE.read(memory.reads(call.position() + 400));
        switch (caller.peer()) {
            case LINUX -> {
                var header = new Version1Header.Msg(call.xid(), 1, chunks.lists());
                caller.requireEnd(Caller.bytes(header, call.reduced()), call.xid());
            }
            case OURS -> write.requireGarbage(directory, write.call(caller, chunks));
        }
    }

    private static void emptySegment(Caller caller, Directory directory)
            throws Mismatch, InterruptedException {
        read(caller, directory, CallChunks.NONE.write(caller.sink(Layout.of(3000, 0, 2001))));
    }

    private static void writeChunkAndSmallReplyChunk(Caller caller, Directory directory)
            throws Mismatch, InterruptedException {
        var chunks =
                CallChunks.NONE
                        .write(caller.sink(Layout.of(5001)))
                        .reply(caller.sink(Layout.of(4096)));
        read(caller, directory, chunks);
    }

    /**
     * Makes a READ for which Linux has to close the connection, and which our server has to answer.
     */
    private static void read(Caller caller, Directory directory, CallChunks chunks)
            throws Mismatch, InterruptedException {
        byte[] content = Directory.bytes(5001);
        var arguments = new Nfs3Call.Read(directory.newFile(content), 0, 5001);
        var call = CallMessage.of(arguments);
        switch (caller.peer()) {
            case LINUX -> caller.requireEnd(message(call, chunks.lists()), call.xid());
            case OURS ->
                    ReadShapes.requireContent(
                            caller.call(call, call.whole(), chunks, 5001).value(arguments),
                            content,
                            true);
        }
    }

    private static void emptyWriteChunk(Caller caller, Directory directory)
            throws Mismatch, InterruptedException {
        byte[] content = Directory.bytes(1000);
        var arguments = new Nfs3Call.Read(directory.newFile(content), 0, 1000);
        var call = CallMessage.of(arguments);
        var chunks = CallChunks.NONE.write(caller.sink(Layout.of()));
        switch (caller.peer()) {
            case LINUX -> caller.requireChunkError(message(call, chunks.lists()), call.xid());
            case OURS ->
                    ReadShapes.requireContent(
                            caller.call(call, call.whole(), chunks).value(arguments),
                            content,
                            true);
        }
    }

    private static void emptyReplyChunk(Caller caller, Directory directory)
            throws Mismatch, InterruptedException {
        var call = CallMessage.ofNull();
        var lists = new ChunkLists(List.of(), List.of(), Optional.of(new WriteChunk(List.of())));
        switch (caller.peer()) {
            case LINUX -> caller.requireChunkError(message(call, lists), call.xid());
            case OURS -> {
                var chunks = CallChunks.NONE.reply(caller.sink(Layout.of()));
                caller.call(call, call.whole(), chunks).requireEmpty();
            }
        }
    }
}
