package io.github.rpcrdma4j.interop;

import io.github.rpcrdma4j.nfs.v3.FileAttributes;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.oncrpc.spi.ReplyHeader;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Calls with Reply chunks (RFC 8166, Section 3.5.3). Linux uses every Reply chunk, our server only
 * for replies that do not fit inline.
 */
final class ReplyChunkShapes {
    private static final String IN_REPLY_CHUNK_OR_INLINE =
            "Linux: in the Reply chunk; ours: inline, the Reply chunk unused";
    private static final String IN_REPLY_CHUNK = "in the Reply chunk";
    private static final int NAMES = 60;
    private static final int PAGE_BYTES = 32768;

    /** The length of a GETATTR reply, in bytes: RPC header, status and attributes. */
    private static final int ATTRIBUTES_BYTES =
            ReplyHeader.ACCEPTED_BYTES + Integer.BYTES + FileAttributes.BYTES;

    static final List<Shape> TABLE =
            List.of(
                    new Shape(
                            "null-reply-chunk",
                            "NULL, a Reply chunk of one segment",
                            IN_REPLY_CHUNK_OR_INLINE,
                            ReplyChunkShapes::nullCall),
                    new Shape(
                            "getattr-reply-chunk",
                            "GETATTR, a Reply chunk of one segment",
                            IN_REPLY_CHUNK_OR_INLINE,
                            (caller, directory) -> attributes(caller, directory, Layout.of(4096))),
                    new Shape(
                            "getattr-reply-chunk-odd-segments",
                            "GETATTR, a Reply chunk of segments of 9 bytes",
                            IN_REPLY_CHUNK_OR_INLINE,
                            (caller, directory) ->
                                    attributes(caller, directory, Layout.cut(140, 9))),
                    new Shape(
                            "getattr-reply-chunk-just-enough",
                            "GETATTR, a Reply chunk of exactly as many bytes as the reply",
                            IN_REPLY_CHUNK_OR_INLINE,
                            (caller, directory) ->
                                    attributes(caller, directory, Layout.of(ATTRIBUTES_BYTES))),
                    new Shape(
                            "readdirplus-reply-chunk",
                            "READDIRPLUS of a long directory, a Reply chunk of one segment",
                            IN_REPLY_CHUNK,
                            (caller, directory) ->
                                    list(caller, directory, Layout.of(PAGE_BYTES), false)),
                    new Shape(
                            "readdirplus-reply-chunk-segments",
                            "READDIRPLUS of a long directory, a Reply chunk of many odd segments",
                            IN_REPLY_CHUNK,
                            (caller, directory) ->
                                    list(caller, directory, Layout.cut(PAGE_BYTES, 2347), false)),
                    new Shape(
                            "readdirplus-reply-chunk-handles",
                            "READDIRPLUS of a long directory, a Reply chunk with a handle a segment",
                            IN_REPLY_CHUNK,
                            (caller, directory) ->
                                    list(
                                            caller,
                                            directory,
                                            Layout.cut(PAGE_BYTES, 4096).eachApart(),
                                            false)),
                    new Shape(
                            "readdirplus-write-chunk-and-reply-chunk",
                            "READDIRPLUS of a long directory, a Write chunk and a Reply chunk",
                            "in the Reply chunk, the Write chunk unused",
                            (caller, directory) ->
                                    list(caller, directory, Layout.cut(PAGE_BYTES, 5001), true)));

    private ReplyChunkShapes() {}

    private static void nullCall(Caller caller, Directory directory)
            throws Mismatch, InterruptedException {
        var message = CallMessage.ofNull();
        var chunks = CallChunks.NONE.reply(caller.sink(Layout.of(4096)));
        caller.call(message, message.whole(), chunks).requireEmpty();
    }

    private static void attributes(Caller caller, Directory directory, Layout layout)
            throws Mismatch, InterruptedException {
        var message = CallMessage.of(directory.getAttributes());
        var chunks = CallChunks.NONE.reply(caller.sink(layout));
        directory.requireAttributes(caller.call(message, message.whole(), chunks));
    }

    private static void list(
            Caller caller, Directory directory, Layout layout, boolean withWriteChunk)
            throws Mismatch, InterruptedException {
        var names = directory.withNames(NAMES);
        var arguments =
                new Nfs3Call.ReadDirectoryPlus(
                        directory.handle(), 0, 0, PAGE_BYTES, PAGE_BYTES - 1024);
        var message = CallMessage.of(arguments);
        var chunks = CallChunks.NONE.reply(caller.sink(layout));
        if (withWriteChunk) {
            chunks = chunks.write(caller.sink(Layout.of(4096)));
        }
        var reply = caller.callWithLongReply(message, message.whole(), chunks);
        var page = reply.value(arguments);
        var expected = new TreeSet<String>(names);
        expected.addAll(Set.of(".", ".."));
        var found =
                page.entries().stream()
                        .map(entry -> entry.name().escaped())
                        .collect(Collectors.toCollection(TreeSet::new));
        Mismatch.requireSame("the names", expected, found);
        Mismatch.requireSame("the end of the list", true, page.endOfList());
    }
}
