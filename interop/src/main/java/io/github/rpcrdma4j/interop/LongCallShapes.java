package io.github.rpcrdma4j.interop;

import io.github.rpcrdma4j.interop.WriteShapes.Write;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.rpcrdma.wire.ReadSegment;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header;
import java.util.ArrayList;
import java.util.List;

/**
 * Calls whose payload stream is in a Position-Zero Read chunk (RFC 8166, Section 3.5.3).
 *
 * <p>Tests: {@code ShapesTest}.
 */
final class LongCallShapes {
    private static final int COUNT = 20000;
    private static final int ODD_COUNT = 20001;

    static final List<Shape> TABLE =
            List.of(
                    new Shape(
                            "long-call",
                            "GETATTR in a Position-Zero Read chunk of one segment",
                            "inline",
                            (caller, directory) -> attributes(caller, directory, 1000)),
                    new Shape(
                            "long-call-odd-segments",
                            "GETATTR in a Position-Zero Read chunk of segments of 7 bytes",
                            "inline",
                            (caller, directory) -> attributes(caller, directory, 7)),
                    new Shape(
                            "long-call-null",
                            "NULL in a Position-Zero Read chunk",
                            "inline",
                            LongCallShapes::nullCall),
                    new Shape(
                            "long-call-write",
                            "WRITE of 20001 bytes, all in the Position-Zero Read chunk, six"
                                    + " segments",
                            "inline; the file holds them",
                            LongCallShapes::wholeWrite),
                    withData("long-call-with-data-chunk", COUNT, COUNT),
                    withData("long-call-with-odd-data-chunk", ODD_COUNT, ODD_COUNT),
                    withData("long-call-with-padded-data-chunk", ODD_COUNT, ODD_COUNT + 3),
                    new Shape(
                            "long-call-data-chunk-first",
                            "WRITE of 20000 bytes, entries of data and Position-Zero Read chunk in"
                                    + " turn",
                            "Linux: ERR_CHUNK, and it closes the connection; ours: inline; the file"
                                    + " holds them",
                            LongCallShapes::inTurn),
                    new Shape(
                            "long-call-read",
                            "READ in a Position-Zero Read chunk, with a Write chunk",
                            "inline, the data in the Write chunk",
                            LongCallShapes::read),
                    new Shape(
                            "long-call-reply-chunk",
                            "GETATTR in a Position-Zero Read chunk, with a Reply chunk",
                            "Linux: in the Reply chunk; ours: inline",
                            LongCallShapes::replyChunk));

    private LongCallShapes() {}

    private static List<ReadSegment> streamOf(Caller caller, byte[] stream, int segment) {
        return caller.source(Layout.cut(stream.length, segment), stream).reads(0);
    }

    private static void attributes(Caller caller, Directory directory, int segment)
            throws Mismatch, InterruptedException {
        var message = CallMessage.of(directory.getAttributes());
        var chunks = CallChunks.NONE.read(streamOf(caller, message.whole(), segment));
        directory.requireAttributes(caller.longCall(message, chunks));
    }

    private static void nullCall(Caller caller, Directory directory)
            throws Mismatch, InterruptedException {
        var message = CallMessage.ofNull();
        var chunks = CallChunks.NONE.read(streamOf(caller, message.whole(), 1000));
        caller.longCall(message, chunks).requireEmpty();
    }

    private static void wholeWrite(Caller caller, Directory directory)
            throws Mismatch, InterruptedException {
        var write = Write.of(directory, ODD_COUNT);
        var message = write.message();
        var chunks = CallChunks.NONE.read(streamOf(caller, message.whole(), 3501));
        write.requireDone(directory, caller.longCall(message, chunks));
    }

    private static Shape withData(String name, int bytes, int chunkBytes) {
        return new Shape(
                name,
                "WRITE of " + bytes + " bytes, Position-Zero and data Read chunk of " + chunkBytes,
                "ours: inline, the file holds them; Linux: GARBAGE_ARGS, as it misses the data",
                (caller, directory) -> twoChunks(caller, directory, bytes, Layout.of(chunkBytes)));
    }

    private static void twoChunks(Caller caller, Directory directory, int count, Layout layout)
            throws Mismatch, InterruptedException {
        var write = Write.of(directory, count);
        var message = write.message();
        var data = caller.source(layout, write.data());
        var chunks =
                CallChunks.NONE
                        .read(streamOf(caller, message.reduced(), 1000))
                        .read(data.reads(message.position()));
        var reply = caller.longCall(message, chunks);
        switch (caller.peer()) {
            case LINUX -> write.requireGarbage(directory, reply);
            case OURS -> write.requireDone(directory, reply);
        }
    }

    private static void inTurn(Caller caller, Directory directory)
            throws Mismatch, InterruptedException {
        var write = Write.of(directory, COUNT);
        var message = write.message();
        var stream = streamOf(caller, message.reduced(), 13);
        var data = caller.source(Layout.cut(COUNT, 3001), write.data()).reads(message.position());
        var readList = new ArrayList<ReadSegment>();
        for (int i = 0; i < Math.max(stream.size(), data.size()); i++) {
            data.stream().skip(i).limit(1).forEach(readList::add);
            stream.stream().skip(i).limit(1).forEach(readList::add);
        }
        var chunks = CallChunks.NONE.read(readList);
        switch (caller.peer()) {
            case LINUX -> {
                var header = new Version1Header.NoMsg(message.xid(), 1, chunks.lists());
                caller.requireEnd(Caller.bytes(header, new byte[0]), message.xid());
            }
            case OURS -> write.requireDone(directory, caller.longCall(message, chunks));
        }
    }

    private static void read(Caller caller, Directory directory)
            throws Mismatch, InterruptedException {
        byte[] content = Directory.bytes(9000);
        var arguments = new Nfs3Call.Read(directory.newFile(content), 0, content.length);
        var message = CallMessage.of(arguments);
        var chunks =
                CallChunks.NONE
                        .read(streamOf(caller, message.whole(), 50))
                        .write(caller.sink(Layout.of(9000)));
        ReadShapes.requireContent(
                caller.longCall(message, chunks, content.length).value(arguments), content, true);
    }

    private static void replyChunk(Caller caller, Directory directory)
            throws Mismatch, InterruptedException {
        var message = CallMessage.of(directory.getAttributes());
        var chunks =
                CallChunks.NONE
                        .read(streamOf(caller, message.whole(), 1000))
                        .reply(caller.sink(Layout.cut(200, 31)));
        directory.requireAttributes(caller.longCall(message, chunks));
    }
}
