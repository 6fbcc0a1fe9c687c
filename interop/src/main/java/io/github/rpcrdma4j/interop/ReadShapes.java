package io.github.rpcrdma4j.interop;

import io.github.rpcrdma4j.interop.Shape.Attempt;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Results.ReadData;
import io.github.rpcrdma4j.nfs.v3.SetAttributes;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;

/**
 * READ and READLINK with Write chunks for their bulk results (RFC 8166, Section 3.4.6).
 *
 * <p>Tests: {@code ShapesTest}.
 */
final class ReadShapes {
    private static final int LONGEST_SEGMENT = 1 << 20;
    private static final int PAGE_BYTES = 4096;
    private static final int SEGMENTS_MAX = 100;
    private static final String PLACED = "inline, the data in the Write chunk";

    static final List<Shape> TABLE =
            List.of(
                    shape("read-one-segment", "16384 bytes, one segment", of(16384)),
                    shape("read-one-byte", "1 byte, one segment", of(1)),
                    shape("read-odd", "5001 bytes, one segment", of(5001)),
                    shape(
                            "read-odd-segments",
                            "8191 bytes, segments of 1, 3, 4093, 7 and 4087",
                            of(8191, Layout.of(1, 3, 4093, 7, 4087))),
                    shape(
                            "read-byte-segments",
                            "as many bytes as the server takes segments, a segment each",
                            (caller, directory) -> smallSegments(caller, directory, 1)),
                    shape(
                            "read-small-segments",
                            "as many segments of 7 bytes as the server takes",
                            (caller, directory) -> smallSegments(caller, directory, 7)),
                    shape(
                            "read-with-pad-segment",
                            "5001 bytes, and a segment of 4 for the pad with a handle of its own",
                            of(5001, Layout.of(5001, 4).eachApart())),
                    shape(
                            "read-longer-chunk",
                            "5000 bytes, three segments of 4096",
                            of(5000, Layout.of(4096, 4096, 4096))),
                    shape(
                            "read-many-handles",
                            "40000 bytes, ten segments with a handle each",
                            of(40000, Layout.cut(40000, 4000).eachApart())),
                    shape(
                            "read-longest",
                            "as many bytes as the server allows, one segment",
                            (caller, directory) -> longest(caller, directory, LONGEST_SEGMENT)),
                    shape(
                            "read-longest-in-segments",
                            "as many bytes as the server allows, segments of 28347 and less",
                            (caller, directory) -> longest(caller, directory, 28347)),
                    new Shape(
                            "read-past-the-end",
                            "READ of 9000 bytes at 4000 of a file of 5001, one Write chunk",
                            "inline, 1001 bytes in the Write chunk",
                            ReadShapes::pastTheEnd),
                    new Shape(
                            "read-without-invalidation",
                            "READ of 16384 bytes by a requester that takes no invalidation",
                            PLACED + "; no handle is invalidated",
                            false,
                            of(16384, Layout.of(16384))),
                    new Shape(
                            "read-inline",
                            "READ of 2001 bytes, no chunk",
                            "inline, with the data",
                            ReadShapes::inline),
                    new Shape(
                            "read-in-reply-chunk",
                            "READ of 16001 bytes, a Reply chunk of four segments",
                            "all in the Reply chunk",
                            ReadShapes::inReplyChunk),
                    new Shape(
                            "read-write-chunk-and-reply-chunk",
                            "READ of 5001 bytes, a Write chunk and a Reply chunk",
                            "the data in the Write chunk; the rest inline, or by Linux in the Reply"
                                    + " chunk, whose returned length counts the data as well",
                            ReadShapes::writeChunkAndReplyChunk),
                    new Shape(
                            "readlink",
                            "READLINK, a Write chunk of three segments",
                            "inline, the text in the Write chunk",
                            ReadShapes::linkText));

    private ReadShapes() {}

    private static Shape shape(String name, String sent, Attempt attempt) {
        return new Shape(name, "READ of " + sent, PLACED, attempt);
    }

    private static void longest(Caller caller, Directory directory, int segment)
            throws Mismatch, InterruptedException {
        int count = directory.longestRead();
        of(count, Layout.cut(count, segment)).run(caller, directory);
    }

    /** Linux takes about as many segments as its longest READ has pages. */
    private static void smallSegments(Caller caller, Directory directory, int segment)
            throws Mismatch, InterruptedException {
        int segments = Math.min(directory.longestRead() / PAGE_BYTES, SEGMENTS_MAX);
        int count = segments * segment;
        of(count, Layout.cut(count, segment)).run(caller, directory);
    }

    private static Attempt of(int count) {
        return of(count, Layout.of(count));
    }

    private static Attempt of(int count, Layout layout) {
        return (caller, directory) -> {
            byte[] content = Directory.bytes(count);
            var arguments = new Nfs3Call.Read(directory.newFile(content), 0, count);
            var message = CallMessage.of(arguments);
            var chunks = CallChunks.NONE.write(caller.sink(layout));
            var reply = caller.call(message, message.whole(), chunks, count);
            requireContent(reply.value(arguments), content, true);
        };
    }

    static void requireContent(ReadData read, byte[] expected, boolean endOfFile) throws Mismatch {
        Mismatch.requireSame("the data", expected, read.data().toArray(ValueLayout.JAVA_BYTE));
        Mismatch.requireSame("the end of the file", endOfFile, read.endOfFile());
    }

    private static void pastTheEnd(Caller caller, Directory directory)
            throws Mismatch, InterruptedException {
        byte[] content = Directory.bytes(5001);
        var arguments = new Nfs3Call.Read(directory.newFile(content), 4000, 9000);
        var message = CallMessage.of(arguments);
        var chunks = CallChunks.NONE.write(caller.sink(Layout.of(500, 8500)));
        var reply = caller.call(message, message.whole(), chunks, 1001);
        byte[] expected = Arrays.copyOfRange(content, 4000, 5001);
        requireContent(reply.value(arguments), expected, true);
    }

    private static void inline(Caller caller, Directory directory)
            throws Mismatch, InterruptedException {
        byte[] content = Directory.bytes(2001);
        var arguments = new Nfs3Call.Read(directory.newFile(content), 0, 2001);
        var message = CallMessage.of(arguments);
        var reply = caller.call(message, message.whole(), CallChunks.NONE);
        requireContent(reply.value(arguments), content, true);
    }

    private static void inReplyChunk(Caller caller, Directory directory)
            throws Mismatch, InterruptedException {
        byte[] content = Directory.bytes(16001);
        var arguments = new Nfs3Call.Read(directory.newFile(content), 0, 16001);
        var message = CallMessage.of(arguments);
        var chunks = CallChunks.NONE.reply(caller.sink(Layout.of(13, 99, 8000, 9000)));
        var reply = caller.callWithLongReply(message, message.whole(), chunks);
        requireContent(reply.value(arguments), content, true);
    }

    private static void writeChunkAndReplyChunk(Caller caller, Directory directory)
            throws Mismatch, InterruptedException {
        byte[] content = Directory.bytes(5001);
        var arguments = new Nfs3Call.Read(directory.newFile(content), 0, 5001);
        var message = CallMessage.of(arguments);
        // Linux also counts the data of the Write chunk: it closes the connection if the Reply
        // chunk is shorter.
        var chunks =
                CallChunks.NONE
                        .write(caller.sink(Layout.of(2500, 2501)))
                        .reply(caller.sink(Layout.of(6000)));
        var reply = caller.call(message, message.whole(), chunks, 5001);
        requireContent(reply.value(arguments), content, true);
    }

    private static void linkText(Caller caller, Directory directory)
            throws Mismatch, InterruptedException {
        var text = PathName.of("a/link/that/leads/nowhere");
        var make = new Nfs3Call.MakeSymbolicLink(directory.newName(), SetAttributes.NONE, text);
        var link =
                directory
                        .value(make)
                        .handle()
                        .orElseThrow(() -> new Mismatch("SYMLINK gave no handle"));
        var arguments = new Nfs3Call.ReadLink(link);
        var message = CallMessage.of(arguments);
        var chunks = CallChunks.NONE.write(caller.sink(Layout.of(11, 3, 4096)));
        var reply = caller.call(message, message.whole(), chunks, text.length());
        Mismatch.requireSame("the text", text, reply.value(arguments).path());
    }
}
