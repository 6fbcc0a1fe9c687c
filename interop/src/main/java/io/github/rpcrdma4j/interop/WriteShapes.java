package io.github.rpcrdma4j.interop;

import io.github.rpcrdma4j.interop.Shape.Attempt;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Results.Written;
import io.github.rpcrdma4j.nfs.v3.SetAttributes;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.spi.ReplyHeader;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * WRITE and SYMLINK with Read chunks for their bulk arguments (RFC 8166, Section 3.4.5).
 *
 * <p>Tests: {@code ShapesTest}.
 */
final class WriteShapes {
    private static final int LONGEST_SEGMENT = 1 << 20;
    private static final String STORED = "inline; the file holds them";

    static final List<Shape> TABLE =
            List.of(
                    shape("write-inline", "3000 bytes, no chunk", WriteShapes::inline),
                    shape("write-one-segment", "16384 bytes, one segment", of(16384)),
                    shape("write-one-byte", "1 byte, one segment without pad", of(1)),
                    shape("write-odd", "5001 bytes, one segment without pad", of(5001)),
                    shape(
                            "write-odd-padded",
                            "5001 bytes, one segment of 5004 with the pad",
                            of(5001, Layout.of(5004))),
                    shape(
                            "write-pad-apart",
                            "5001 bytes, and the pad as a segment of 3",
                            of(5001, Layout.of(5001, 3))),
                    shape(
                            "write-small-segments",
                            "4096 bytes, 64 segments of 64",
                            of(4096, Layout.cut(4096, 64))),
                    shape(
                            "write-odd-segments",
                            "701 bytes, 101 segments of 7 and less",
                            of(701, Layout.cut(701, 7))),
                    shape(
                            "write-segments-around-a-page",
                            "12289 bytes, segments of 1, 4095, 4097 and 4096",
                            of(12289, Layout.of(1, 4095, 4097, 4096))),
                    shape(
                            "write-many-handles",
                            "40000 bytes, ten segments with a handle each",
                            of(40000, Layout.cut(40000, 4000).eachApart())),
                    shape(
                            "write-longest",
                            "as many bytes as the server allows, one segment",
                            (caller, directory) -> longest(caller, directory, LONGEST_SEGMENT)),
                    shape(
                            "write-longest-in-segments",
                            "as many bytes as the server allows, segments of 28347 and less",
                            (caller, directory) -> longest(caller, directory, 28347)),
                    shape(
                            "write-with-write-chunk",
                            "16384 bytes, and a Write chunk that nothing belongs to",
                            WriteShapes::withWriteChunk),
                    shape(
                            "write-with-reply-chunk",
                            "16384 bytes, and a Reply chunk",
                            WriteShapes::withReplyChunk),
                    shape(
                            "write-one-handle-both-ways",
                            "4096 bytes, Read chunk and Reply chunk with one handle",
                            WriteShapes::oneHandleBothWays),
                    new Shape(
                            "write-two-chunks",
                            "WRITE of 6000 bytes, two Read chunks and 2000 bytes inline between",
                            "Linux: the file holds them; ours: GARBAGE_ARGS, as one item is one"
                                    + " chunk",
                            (caller, directory) -> severalChunks(caller, directory, false)),
                    new Shape(
                            "write-two-chunks-last-first",
                            "the same, with the Read list in the other order",
                            "the same",
                            (caller, directory) -> severalChunks(caller, directory, true)),
                    new Shape(
                            "symlink",
                            "SYMLINK, its text in a Read chunk of two segments, without pad",
                            "inline; the link has that text",
                            WriteShapes::symbolicLink));

    private WriteShapes() {}

    private static Shape shape(String name, String sent, Attempt attempt) {
        return new Shape(name, "WRITE of " + sent, STORED, attempt);
    }

    private static void longest(Caller caller, Directory directory, int segment)
            throws Mismatch, InterruptedException {
        int count = directory.longestWrite();
        of(count, Layout.cut(count, segment)).run(caller, directory);
    }

    private static Attempt of(int count) {
        return of(count, Layout.of(count));
    }

    private static Attempt of(int count, Layout layout) {
        return (caller, directory) -> {
            var write = Write.of(directory, count);
            var memory = caller.source(layout, write.data());
            var chunks = CallChunks.NONE.read(memory.reads(write.message().position()));
            write.requireDone(directory, write.call(caller, chunks));
        };
    }

    /** A WRITE to a new file. */
    record Write(Nfs3Call.Write arguments, FileHandle file, byte[] data, CallMessage message) {
        static Write of(Directory directory, int count) throws Mismatch, InterruptedException {
            byte[] data = Directory.bytes(count);
            var file = directory.newFile();
            var arguments =
                    new Nfs3Call.Write(file, 0, Stability.FILE_SYNC, MemorySegment.ofArray(data));
            return new Write(arguments, file, data, CallMessage.of(arguments));
        }

        /** Makes the call with its data in the Read chunks of {@code chunks}. */
        Reply call(Caller caller, CallChunks chunks) throws Mismatch, InterruptedException {
            return caller.call(message, message.reduced(), chunks);
        }

        /** Requires that the call succeeded and that the file holds the data. */
        void requireDone(Directory directory, Reply reply) throws Mismatch, InterruptedException {
            Written written = reply.value(arguments);
            Mismatch.requireSame("bytes written", data.length, written.count());
            Mismatch.requireSame("the stability", Stability.FILE_SYNC, written.committed());
            Mismatch.requireSame("the file", data, directory.content(file));
        }

        /** Requires that the server refused the arguments with GARBAGE_ARGS and wrote nothing. */
        void requireGarbage(Directory directory, Reply reply)
                throws Mismatch, InterruptedException {
            Mismatch.requireSame(
                    "the RPC reply",
                    new ReplyHeader.Refused(message.xid(), AcceptStatus.GARBAGE_ARGS),
                    reply.header());
            Mismatch.requireSame("the file", new byte[0], directory.content(file));
        }
    }

    private static void inline(Caller caller, Directory directory)
            throws Mismatch, InterruptedException {
        var write = Write.of(directory, 3000);
        var message = write.message();
        write.requireDone(directory, caller.call(message, message.whole(), CallChunks.NONE));
    }

    private static void withWriteChunk(Caller caller, Directory directory)
            throws Mismatch, InterruptedException {
        var write = Write.of(directory, 16384);
        var memory = caller.source(Layout.of(16384), write.data());
        var chunks =
                CallChunks.NONE
                        .read(memory.reads(write.message().position()))
                        .write(caller.sink(Layout.of(1000, 24)));
        write.requireDone(directory, write.call(caller, chunks));
    }

    private static void withReplyChunk(Caller caller, Directory directory)
            throws Mismatch, InterruptedException {
        var write = Write.of(directory, 16384);
        var memory = caller.source(Layout.of(16384), write.data());
        var chunks =
                CallChunks.NONE
                        .read(memory.reads(write.message().position()))
                        .reply(caller.sink(Layout.cut(1024, 100)));
        write.requireDone(directory, write.call(caller, chunks));
    }

    private static void oneHandleBothWays(Caller caller, Directory directory)
            throws Mismatch, InterruptedException {
        var write = Write.of(directory, 4096);
        var memory = caller.both(Layout.of(4096), write.data());
        var chunks = CallChunks.NONE.read(memory.reads(write.message().position())).reply(memory);
        write.requireDone(directory, write.call(caller, chunks));
    }

    private static void severalChunks(Caller caller, Directory directory, boolean lastFirst)
            throws Mismatch, InterruptedException {
        var write = Write.of(directory, 6000);
        var message = write.message();
        long position = message.position();
        var front = caller.source(Layout.of(2000), Arrays.copyOfRange(write.data(), 0, 2000));
        var back =
                caller.source(Layout.of(1001, 999), Arrays.copyOfRange(write.data(), 4000, 6000));
        var readList = new ArrayList<>(front.reads(position));
        readList.addAll(lastFirst ? 0 : 1, back.reads(position + 4000));
        var inline = new ByteArrayOutputStream();
        inline.writeBytes(message.reduced());
        inline.write(write.data(), 2000, 2000);
        var reply = caller.call(message, inline.toByteArray(), CallChunks.NONE.read(readList));
        switch (caller.peer()) {
            case LINUX -> write.requireDone(directory, reply);
            case OURS -> write.requireGarbage(directory, reply);
        }
    }

    private static void symbolicLink(Caller caller, Directory directory)
            throws Mismatch, InterruptedException {
        var text = PathName.of("over/the/hills/and/far/away");
        var arguments =
                new Nfs3Call.MakeSymbolicLink(directory.newName(), SetAttributes.NONE, text);
        var message = CallMessage.of(arguments);
        var memory = caller.source(Layout.of(20, text.length() - 20), text.bytes());
        var chunks = CallChunks.NONE.read(memory.reads(message.position()));
        var made = caller.call(message, message.reduced(), chunks).value(arguments);
        var link = made.handle().orElseThrow(() -> new Mismatch("SYMLINK gave no handle"));
        Mismatch.requireSame("the text", text, directory.value(new Nfs3Call.ReadLink(link)).path());
    }
}
