package io.github.rpcrdma4j.nfs.server.raw;

import static io.github.rpcrdma4j.nfs.server.raw.Compound.link;
import static io.github.rpcrdma4j.nfs.server.raw.Compound.linkApart;
import static io.github.rpcrdma4j.nfs.server.raw.Compound.readFailed;
import static io.github.rpcrdma4j.nfs.server.raw.Compound.reply;
import static io.github.rpcrdma4j.nfs.server.raw.Compound.wasRead;
import static io.github.rpcrdma4j.nfs.server.raw.Compound.wasReadApart;
import static io.github.rpcrdma4j.nfs.server.raw.RawCaller.inExport;
import static io.github.rpcrdma4j.rpcrdma.raw.HeaderWords.writeChunks;
import static io.github.rpcrdma4j.rpcrdma.raw.HeaderWords.writeList;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import io.github.rpcrdma4j.rpcrdma.raw.RawChunk;
import io.github.rpcrdma4j.rpcrdma.raw.Words;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Goal: results have their chunks (RFC 8267, Sections 6.4.1 and 6.4.3). */
public abstract class CompoundWriteListsContract extends CompoundContract {
    private static final int ERR_ISDIR = 21;

    /** Reads the file, the link and the file again. */
    private static Compound.Call example(int count) {
        return inExport()
                .save()
                .lookUp("file")
                .read(0, count)
                .restore()
                .lookUp("link")
                .readLink()
                .restore()
                .lookUp("file")
                .read(100, count);
    }

    private static Words exampleResults(Words first, Words second, Words third) {
        return reply(
                0,
                Compound.rootWasPut(),
                Compound.wasFound(),
                Compound.wasSaved(),
                Compound.wasFound(),
                first,
                Compound.wasRestored(),
                Compound.wasFound(),
                second,
                Compound.wasRestored(),
                Compound.wasFound(),
                third);
    }

    @ParameterizedTest
    @EnumSource
    @Tag("8267-6.1-1")
    @Tag("5666-4.1-6")
    void withoutAWriteListAllResultsAreInline(ServedProfile profile) throws Exception {
        begin(profile);
        var reply = caller.call(writeList(), example(99));
        caller.requireReply(
                writeList(),
                exampleResults(wasRead(read(0, 99)), link(LINK), wasRead(read(100, 99))),
                reply);
    }

    @ParameterizedTest
    @EnumSource
    @Tag("8267-6.4.1-2")
    @Tag("8267-6.4.1-3")
    @Tag("8267-6.1-1")
    @Tag("5667-3-2")
    @Tag("8166-4.3.2.1-1")
    void theNthChunkHasTheResultOfTheNthOperationThatReads(ServedProfile profile) throws Exception {
        begin(profile);
        for (int length : new int[] {1, 3, 4, 5001, 65_536}) {
            var a = sink(length);
            var b = sink(LINK.length + 7);
            var c = sink(1, length + 20);
            var reply =
                    caller.call(writeList(a.offered(), b.offered(), c.offered()), example(length));
            caller.requireReply(
                    writeList(a.filled(length), b.filled(LINK.length), c.filled(length)),
                    exampleResults(
                            wasReadApart(length), linkApart(LINK.length), wasReadApart(length)),
                    reply);
            assertArrayEquals(read(0, length), a.taken(length));
            assertArrayEquals(LINK, b.taken(LINK.length));
            assertArrayEquals(read(100, length), c.taken(length));
        }
    }

    @ParameterizedTest
    @EnumSource
    @Tag("8267-6.4.1-4")
    @Tag("5667-5-1")
    @Tag("8267-6.4.3-1")
    void anEmptyChunkAsksForItsResultInline(ServedProfile profile) throws Exception {
        begin(profile);
        for (var b : List.of(RawChunk.EMPTY, sink(0, 0))) {
            var a = sink(2000);
            var c = sink(2000);
            var reply =
                    caller.call(writeList(a.offered(), b.offered(), c.offered()), example(2000));
            caller.requireReply(
                    writeList(a.filled(2000), b.offered(), c.filled(2000)),
                    exampleResults(wasReadApart(2000), link(LINK), wasReadApart(2000)),
                    reply);
            assertArrayEquals(read(0, 2000), a.taken(2000));
            assertArrayEquals(read(100, 2000), c.taken(2000));
        }
    }

    @ParameterizedTest
    @EnumSource
    @Tag("8267-6.4.1-6")
    @Tag("8267-6.4.1-3")
    void resultsBeyondTheLastChunkAreInline(ServedProfile profile) throws Exception {
        begin(profile);
        var a = sink(400);
        var reply = caller.call(writeList(a.offered()), example(400));
        caller.requireReply(
                writeList(a.filled(400)),
                exampleResults(wasReadApart(400), link(LINK), wasRead(read(100, 400))),
                reply);
        assertArrayEquals(read(0, 400), a.taken(400));
    }

    @ParameterizedTest
    @EnumSource
    @Tag("8267-6.4.1-2")
    @Tag("8166-4.3.2.2-3")
    void chunksBeyondTheLastResultComeBackUnused(ServedProfile profile) throws Exception {
        begin(profile);
        var a = sink(40);
        var b = sink(10, 30);
        var reply =
                caller.call(
                        writeList(a.offered(), b.offered()), inExport().lookUp("link").readLink());
        caller.requireReply(
                writeList(a.filled(LINK.length), b.filled(0)),
                reply(
                        0,
                        Compound.rootWasPut(),
                        Compound.wasFound(),
                        Compound.wasFound(),
                        linkApart(LINK.length)),
                reply);
        assertArrayEquals(LINK, a.taken(LINK.length));
        b.taken(0);
    }

    @ParameterizedTest
    @EnumSource
    @Tag("8267-6.4.1-5")
    @Tag("8267-6.4.1-2")
    void aReadOfNothingKeepsItsChunk(ServedProfile profile) throws Exception {
        begin(profile);
        var a = sink(500);
        var b = sink(500);
        var reply =
                caller.call(
                        writeList(a.offered(), b.offered()),
                        inExport().lookUp("file").read(BYTES, 500).read(200, 500));
        caller.requireReply(
                writeList(a.filled(0), b.filled(500)),
                reply(
                        0,
                        Compound.rootWasPut(),
                        Compound.wasFound(),
                        Compound.wasFound(),
                        wasRead(new byte[0], true),
                        wasReadApart(500)),
                reply);
        a.taken(0);
        assertArrayEquals(read(200, 500), b.taken(500));
    }

    /** A COMPOUND ends at its first failure, so later operations have no results at all. */
    @ParameterizedTest
    @EnumSource
    @Tag("8267-6.4.1-5")
    void aRefusedReadAndThoseNeverReachedLeaveTheirChunksUnused(ServedProfile profile)
            throws Exception {
        begin(profile);
        var a = sink(300);
        var b = sink(3, 4);
        var c = sink(300);
        var reply =
                caller.call(
                        writeList(a.offered(), b.offered(), c.offered()),
                        inExport()
                                .save()
                                .lookUp("file")
                                .read(300)
                                .restore()
                                .read(7)
                                .lookUp("file")
                                .read(300));
        caller.requireReply(
                writeList(a.filled(300), b.filled(0), c.filled(0)),
                reply(
                        ERR_ISDIR,
                        Compound.rootWasPut(),
                        Compound.wasFound(),
                        Compound.wasSaved(),
                        Compound.wasFound(),
                        wasReadApart(300),
                        Compound.wasRestored(),
                        readFailed(ERR_ISDIR)),
                reply);
        assertArrayEquals(read(0, 300), a.taken(300));
        b.taken(0);
        c.taken(0);
    }

    @ParameterizedTest
    @EnumSource
    @Tag("8267-3-3")
    @Tag("8267-3.1-1")
    @Tag("8267-3.1-5")
    @Tag("8267-6.4.1-3")
    @Tag("5667-3-1")
    void aResultLongerThanItsChunkIsAnErrorOfTheTransport(ServedProfile profile) throws Exception {
        begin(profile);
        var a = sink(100);
        var b = sink(60, 39);
        var reply =
                caller.call(
                        writeList(a.offered(), b.offered()),
                        inExport().lookUp("file").read(100).read(100));
        profile.requireChunkError(caller.xid(), reply);
        a.taken(0);
        b.taken(0);
        requireAlive();
    }

    @ParameterizedTest
    @EnumSource
    @Tag("8267-6.4.1-6")
    void whatIsNotInWriteChunksMayFillTheReplyChunk(ServedProfile profile) throws Exception {
        begin(profile);
        var a = sink(9000);
        var rest = sink(3000, 7000);
        var lists = Words.of(0).and(writeChunks(a.offered())).word(1).and(rest.offered());
        var reply = caller.call(lists, inExport().lookUp("file").read(9000).read(100, 8001));
        var message =
                Words.of(caller.xid())
                        .and(
                                reply(
                                        0,
                                        Compound.rootWasPut(),
                                        Compound.wasFound(),
                                        Compound.wasFound(),
                                        wasReadApart(9000),
                                        wasRead(read(100, 8001))));
        profile.requireLongReply(
                caller.xid(),
                Words.of(0)
                        .and(writeChunks(a.filled(9000)))
                        .word(1)
                        .and(rest.filled(message.length())),
                reply);
        assertArrayEquals(read(0, 9000), a.taken(9000));
        assertArrayEquals(message.bytes(), rest.taken(message.length()));
    }
}
