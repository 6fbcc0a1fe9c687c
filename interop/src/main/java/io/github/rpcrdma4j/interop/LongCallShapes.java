package io.github.rpcrdma4j.interop;

import io.github.rpcrdma4j.interop.WriteShapes.Write;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.rpcrdma.wire.ReadSegment;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header;
import java.util.ArrayList;
import java.util.List;

/** Calls whose payload stream lies in a Position-Zero Read chunk (RFC 8166, Section 3.5.3). */
final class LongCallShapes {
    private static final int COUNT = 20000;
    private static final int ODD_COUNT = 20001;

    static final List<Shape> TABLE =
            List.of(
                    new Shape(
                            "long-call",
                            "GETATTR in a Position-Zero Read chunk of one segment",
                            "inline",
                            (caller, folder) -> attributes(caller, folder, 1000)),
                    new Shape(
                            "long-call-odd-segments",
                            "GETATTR in a Position-Zero Read chunk of segments of 7 octets",
                            "inline",
                            (caller, folder) -> attributes(caller, folder, 7)),
                    new Shape(
                            "long-call-null",
                            "NULL in a Position-Zero Read chunk",
                            "inline",
                            LongCallShapes::nothing),
                    new Shape(
                            "long-call-write",
                            "WRITE of 20001 octets, all in the Position-Zero Read chunk, six"
                                    + " segments",
                            "inline; the file holds them",
                            LongCallShapes::wholeWrite),
                    withData("long-call-with-data-chunk", COUNT, COUNT),
                    withData("long-call-with-odd-data-chunk", ODD_COUNT, ODD_COUNT),
                    withData("long-call-with-padded-data-chunk", ODD_COUNT, ODD_COUNT + 3),
                    new Shape(
                            "long-call-data-chunk-first",
                            "WRITE of 20000 octets, entries of data and Position-Zero Read chunk in"
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

    private static void attributes(Caller caller, Folder folder, int segment)
            throws Mismatch, InterruptedException {
        var message = CallMessage.of(folder.getAttributes());
        var offer = Offer.NOTHING.read(streamOf(caller, message.whole(), segment));
        folder.requireAttributes(caller.longCall(message, offer));
    }

    private static void nothing(Caller caller, Folder folder)
            throws Mismatch, InterruptedException {
        var message = CallMessage.ofNull();
        var offer = Offer.NOTHING.read(streamOf(caller, message.whole(), 1000));
        caller.longCall(message, offer).requireEmpty();
    }

    private static void wholeWrite(Caller caller, Folder folder)
            throws Mismatch, InterruptedException {
        var write = Write.of(folder, ODD_COUNT);
        var message = write.message();
        var offer = Offer.NOTHING.read(streamOf(caller, message.whole(), 3501));
        write.requireDone(folder, caller.longCall(message, offer));
    }

    private static Shape withData(String name, int octets, int chunkBytes) {
        return new Shape(
                name,
                "WRITE of "
                        + octets
                        + " octets, Position-Zero and data Read chunk of "
                        + chunkBytes,
                "ours: inline, the file holds them; Linux: GARBAGE_ARGS, as it misses the data",
                (caller, folder) -> twoChunks(caller, folder, octets, Layout.of(chunkBytes)));
    }

    private static void twoChunks(Caller caller, Folder folder, int count, Layout layout)
            throws Mismatch, InterruptedException {
        var write = Write.of(folder, count);
        var message = write.message();
        var data = caller.source(layout, write.data());
        var offer =
                Offer.NOTHING
                        .read(streamOf(caller, message.reduced(), 1000))
                        .read(data.reads(message.position()));
        var reply = caller.longCall(message, offer);
        switch (caller.peer()) {
            case LINUX -> write.requireGarbage(folder, reply);
            case OURS -> write.requireDone(folder, reply);
        }
    }

    private static void inTurn(Caller caller, Folder folder) throws Mismatch, InterruptedException {
        var write = Write.of(folder, COUNT);
        var message = write.message();
        var stream = streamOf(caller, message.reduced(), 13);
        var data = caller.source(Layout.cut(COUNT, 3001), write.data()).reads(message.position());
        var readList = new ArrayList<ReadSegment>();
        for (int i = 0; i < Math.max(stream.size(), data.size()); i++) {
            data.stream().skip(i).limit(1).forEach(readList::add);
            stream.stream().skip(i).limit(1).forEach(readList::add);
        }
        var offer = Offer.NOTHING.read(readList);
        switch (caller.peer()) {
            case LINUX -> {
                var header = new Version1Header.NoMsg(message.xid(), 1, offer.lists());
                caller.requireEnd(Caller.octets(header, new byte[0]), message.xid());
            }
            case OURS -> write.requireDone(folder, caller.longCall(message, offer));
        }
    }

    private static void read(Caller caller, Folder folder) throws Mismatch, InterruptedException {
        byte[] content = Folder.octets(9000);
        var arguments = new Nfs3Call.Read(folder.newFile(content), 0, content.length);
        var message = CallMessage.of(arguments);
        var offer =
                Offer.NOTHING
                        .read(streamOf(caller, message.whole(), 50))
                        .write(caller.sink(Layout.of(9000)));
        ReadShapes.requireContent(
                caller.longCall(message, offer, content.length).value(arguments), content, true);
    }

    private static void replyChunk(Caller caller, Folder folder)
            throws Mismatch, InterruptedException {
        var message = CallMessage.of(folder.getAttributes());
        var offer =
                Offer.NOTHING
                        .read(streamOf(caller, message.whole(), 1000))
                        .reply(caller.sink(Layout.cut(200, 31)));
        folder.requireAttributes(caller.longCall(message, offer));
    }
}
