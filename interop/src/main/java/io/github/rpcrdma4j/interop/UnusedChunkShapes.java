package io.github.rpcrdma4j.interop;

import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Status;
import java.util.List;

/**
 * Calls with Write chunks for which there is no bulk result. The server returns these chunks with
 * lengths of zero.
 */
final class UnusedChunkShapes {
    private static final String UNUSED = "inline, the Write chunks unused";

    static final List<Shape> TABLE =
            List.of(
                    new Shape(
                            "null-write-chunk",
                            "NULL, a Write chunk of two segments",
                            UNUSED,
                            UnusedChunkShapes::nullCall),
                    new Shape(
                            "getattr-write-chunk",
                            "GETATTR, a Write chunk of one segment",
                            UNUSED,
                            (caller, directory) -> attributes(caller, directory, Layout.of(1024))),
                    new Shape(
                            "getattr-three-write-chunks",
                            "GETATTR, three Write chunks",
                            UNUSED,
                            (caller, directory) ->
                                    attributes(
                                            caller,
                                            directory,
                                            Layout.of(1024),
                                            Layout.of(3, 5),
                                            Layout.cut(64, 4).eachApart())),
                    new Shape(
                            "read-three-write-chunks",
                            "READ of 5001 bytes, three Write chunks",
                            "inline, the data in the first Write chunk, the others unused",
                            UnusedChunkShapes::threeForRead),
                    new Shape(
                            "read-at-the-end",
                            "READ at the end of a file, a Write chunk of two segments",
                            UNUSED,
                            UnusedChunkShapes::atTheEnd),
                    new Shape(
                            "read-that-fails",
                            "READ of a directory, a Write chunk",
                            UNUSED,
                            UnusedChunkShapes::failing),
                    new Shape(
                            "getattr-write-chunk-and-reply-chunk",
                            "GETATTR, a Write chunk and a Reply chunk",
                            "the Write chunk unused; by Linux in the Reply chunk, by ours inline",
                            UnusedChunkShapes::withReplyChunk));

    private UnusedChunkShapes() {}

    private static void nullCall(Caller caller, Directory directory)
            throws Mismatch, InterruptedException {
        var message = CallMessage.ofNull();
        var chunks = CallChunks.NONE.write(caller.sink(Layout.of(4096, 17)));
        caller.call(message, message.whole(), chunks).requireEmpty();
    }

    private static void attributes(Caller caller, Directory directory, Layout... layouts)
            throws Mismatch, InterruptedException {
        var message = CallMessage.of(directory.getAttributes());
        var chunks = CallChunks.NONE;
        for (var layout : layouts) {
            chunks = chunks.write(caller.sink(layout));
        }
        directory.requireAttributes(caller.call(message, message.whole(), chunks));
    }

    private static void threeForRead(Caller caller, Directory directory)
            throws Mismatch, InterruptedException {
        byte[] content = Directory.bytes(5001);
        var arguments = new Nfs3Call.Read(directory.newFile(content), 0, 5001);
        var message = CallMessage.of(arguments);
        var chunks =
                CallChunks.NONE
                        .write(caller.sink(Layout.of(5001)))
                        .write(caller.sink(Layout.of(5001)))
                        .write(caller.sink(Layout.of(1, 2, 3)));
        var reply = caller.call(message, message.whole(), chunks, 5001);
        ReadShapes.requireContent(reply.value(arguments), content, true);
    }

    private static void atTheEnd(Caller caller, Directory directory)
            throws Mismatch, InterruptedException {
        var arguments = new Nfs3Call.Read(directory.newFile(Directory.bytes(100)), 100, 4096);
        var message = CallMessage.of(arguments);
        var chunks = CallChunks.NONE.write(caller.sink(Layout.of(96, 4000)));
        var reply = caller.call(message, message.whole(), chunks);
        ReadShapes.requireContent(reply.value(arguments), new byte[0], true);
    }

    private static void failing(Caller caller, Directory directory)
            throws Mismatch, InterruptedException {
        var arguments = new Nfs3Call.Read(directory.handle(), 0, 4096);
        var message = CallMessage.of(arguments);
        var chunks = CallChunks.NONE.write(caller.sink(Layout.of(4096)));
        var status = caller.call(message, message.whole(), chunks).failure(arguments);
        if (status != Status.ISDIR && status != Status.INVAL) {
            throw new Mismatch("READ of a directory fails with " + status);
        }
    }

    private static void withReplyChunk(Caller caller, Directory directory)
            throws Mismatch, InterruptedException {
        var message = CallMessage.of(directory.getAttributes());
        var chunks =
                CallChunks.NONE
                        .write(caller.sink(Layout.of(100)))
                        .reply(caller.sink(Layout.of(500, 500)));
        directory.requireAttributes(caller.call(message, message.whole(), chunks));
    }
}
