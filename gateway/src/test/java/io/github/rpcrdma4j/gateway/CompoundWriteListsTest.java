package io.github.rpcrdma4j.gateway;

import static io.github.rpcrdma4j.gateway.WireToTcp.GRANT;
import static io.github.rpcrdma4j.gateway.WireToTcp.requireChunkError;
import static io.github.rpcrdma4j.gateway.WireToTcp.requireReply;
import static io.github.rpcrdma4j.nfs.server.raw.Compound.attributes;
import static io.github.rpcrdma4j.nfs.server.raw.Compound.call;
import static io.github.rpcrdma4j.nfs.server.raw.Compound.data;
import static io.github.rpcrdma4j.nfs.server.raw.Compound.filehandleWasPut;
import static io.github.rpcrdma4j.nfs.server.raw.Compound.link;
import static io.github.rpcrdma4j.nfs.server.raw.Compound.linkApart;
import static io.github.rpcrdma4j.nfs.server.raw.Compound.readFailed;
import static io.github.rpcrdma4j.nfs.server.raw.Compound.reply;
import static io.github.rpcrdma4j.nfs.server.raw.Compound.wasRead;
import static io.github.rpcrdma4j.nfs.server.raw.Compound.wasReadApart;
import static io.github.rpcrdma4j.rpcrdma.raw.HeaderWords.noMsg;
import static io.github.rpcrdma4j.rpcrdma.raw.HeaderWords.writeChunks;
import static io.github.rpcrdma4j.rpcrdma.raw.HeaderWords.writeList;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import io.github.rpcrdma4j.nfs.server.raw.Compound;
import io.github.rpcrdma4j.rpcrdma.raw.HeaderWords;
import io.github.rpcrdma4j.rpcrdma.raw.RawChunk;
import io.github.rpcrdma4j.rpcrdma.raw.Words;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: the results of COMPOUNDs travel as RFC 8267, Sections 6.4.1 and 6.4.3, says. Method: every
 * word of the replies of a gateway, whose server answers with given results.
 */
class CompoundWriteListsTest {
    private static final byte[] LINK = Compound.ascii("../target");

    private WireToTcp wire;

    @BeforeEach
    void connect() throws Exception {
        wire = new WireToTcp();
    }

    @AfterEach
    void close() throws Exception {
        wire.close();
    }

    private RawChunk sink(int... lengths) {
        return wire.client().sink(lengths);
    }

    @Test
    @Tag("8267-6.4.1-1")
    @Tag("8267-6.1-1")
    void withoutAWriteListAllResultsAreInline() throws Exception {
        var results = reply(0, wasRead(data(99, 1)), link(LINK), wasRead(data(50, 2)));
        var reply = wire.exchange(writeList(), call().read(99).readLink().read(50), results);
        requireReply(writeList(), results, reply);
    }

    /** PUTFH READ PUTFH READLINK PUTFH READ with chunks A, B and C. */
    private static Compound.Call example(int length) {
        return call().putFileHandle(32)
                .read(length)
                .putFileHandle(28)
                .readLink()
                .putFileHandle(5)
                .read(length);
    }

    private static Words exampleResults(Words first, Words second, Words third) {
        var put = filehandleWasPut();
        return reply(0, put, first, put, second, put, third);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 4, 5001, 65_536})
    @Tag("8267-6.4.1-2")
    @Tag("8267-6.4.1-3")
    @Tag("8267-6.1-1")
    void theNthChunkHasTheResultOfTheNthOperationThatReads(int length) throws Exception {
        var a = sink(length);
        var b = sink(LINK.length + 7);
        var c = sink(1, length + 20);
        byte[] first = data(length, 1);
        byte[] third = data(length, 3);
        var reply =
                wire.exchange(
                        writeList(a.offered(), b.offered(), c.offered()),
                        example(length),
                        exampleResults(wasRead(first), link(LINK), wasRead(third)));
        requireReply(
                writeList(a.filled(length), b.filled(LINK.length), c.filled(length)),
                exampleResults(wasReadApart(length), linkApart(LINK.length), wasReadApart(length)),
                reply);
        assertArrayEquals(first, a.taken(length));
        assertArrayEquals(LINK, b.taken(LINK.length));
        assertArrayEquals(third, c.taken(length));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("8267-6.4.1-4")
    @Tag("5667-5-1")
    void anEmptyChunkAsksForItsResultInline(boolean hasNoSegments) throws Exception {
        var a = sink(2000);
        var b = hasNoSegments ? RawChunk.EMPTY : sink(0, 0);
        var c = sink(2000);
        byte[] first = data(2000, 1);
        byte[] third = data(1999, 3);
        var reply =
                wire.exchange(
                        writeList(a.offered(), b.offered(), c.offered()),
                        example(2000),
                        exampleResults(wasRead(first), link(LINK), wasRead(third)));
        requireReply(
                writeList(a.filled(2000), b.offered(), c.filled(1999)),
                exampleResults(wasReadApart(2000), link(LINK), wasReadApart(1999)),
                reply);
        assertArrayEquals(first, a.taken(2000));
        assertArrayEquals(third, c.taken(1999));
    }

    @Test
    @Tag("8267-6.4.1-4")
    void emptyChunksAloneAskForAllResultsInline() throws Exception {
        var empty = RawChunk.EMPTY.offered();
        var results = reply(0, wasRead(data(9, 1)), wasRead(data(8, 2)), link(LINK));
        var reply =
                wire.exchange(writeList(empty, empty), call().read(9).read(8).readLink(), results);
        requireReply(writeList(empty, empty), results, reply);
    }

    @Test
    @Tag("8267-6.4.1-6")
    void resultsBeyondTheLastChunkAreInline() throws Exception {
        var a = sink(400);
        byte[] first = data(400, 1);
        var reply =
                wire.exchange(
                        writeList(a.offered()),
                        call().read(400).read(33).readLink(),
                        reply(0, wasRead(first), wasRead(data(33, 2)), link(LINK)));
        requireReply(
                writeList(a.filled(400)),
                reply(0, wasReadApart(400), wasRead(data(33, 2)), link(LINK)),
                reply);
        assertArrayEquals(first, a.taken(400));
    }

    @Test
    @Tag("8267-6.4.1-2")
    @Tag("8166-4.3.2.2-3")
    void chunksBeyondTheLastResultComeBackUnused() throws Exception {
        var a = sink(40);
        var b = sink(10, 30);
        var c = sink(7);
        var reply =
                wire.exchange(
                        writeList(a.offered(), b.offered(), c.offered()),
                        call().putFileHandle(4).readLink().getAttributes(),
                        reply(0, filehandleWasPut(), link(LINK), attributes()));
        requireReply(
                writeList(a.filled(LINK.length), b.filled(0), c.filled(0)),
                reply(0, filehandleWasPut(), linkApart(LINK.length), attributes()),
                reply);
        assertArrayEquals(LINK, a.taken(LINK.length));
        b.taken(0);
        c.taken(0);
    }

    @Test
    @Tag("8267-6.4.1-5")
    @Tag("8267-6.4.1-2")
    void aReadOfNothingKeepsItsChunk() throws Exception {
        var a = sink(500);
        var b = sink(500);
        byte[] second = data(77, 2);
        var reply =
                wire.exchange(
                        writeList(a.offered(), b.offered()),
                        call().read(500).read(500).readLink(),
                        reply(0, wasRead(new byte[0]), wasRead(second), link(LINK)));
        requireReply(
                writeList(a.filled(0), b.filled(77)),
                reply(0, wasRead(new byte[0]), wasReadApart(77), link(LINK)),
                reply);
        a.taken(0);
        assertArrayEquals(second, b.taken(77));
    }

    /** A COMPOUND ends at its first failure, so later operations have no results at all. */
    @Test
    @Tag("8267-6.4.1-5")
    void aRefusedReadAndThoseNeverReachedLeaveTheirChunksUnused() throws Exception {
        var a = sink(300);
        var b = sink(3, 4);
        var c = sink(300);
        byte[] first = data(300, 1);
        int status = Compound.ERR_OPENMODE;
        var reply =
                wire.exchange(
                        writeList(a.offered(), b.offered(), c.offered()),
                        call().read(300).read(7).read(300),
                        reply(status, wasRead(first), readFailed(status)));
        requireReply(
                writeList(a.filled(300), b.filled(0), c.filled(0)),
                reply(status, wasReadApart(300), readFailed(status)),
                reply);
        assertArrayEquals(first, a.taken(300));
        b.taken(0);
        c.taken(0);
    }

    /**
     * No server answers like this, as a COMPOUND ends at its first failure. Only so is there a
     * result behind a union arm without data.
     */
    @Test
    @Tag("8267-6.4.1-5")
    @Tag("8267-6.4.1-2")
    void aResultDoesNotMoveUpToTheChunkOfARefusedRead() throws Exception {
        var a = sink(300);
        var b = sink(300);
        byte[] second = data(250, 2);
        var reply =
                wire.exchange(
                        writeList(a.offered(), b.offered()),
                        call().read(300).read(300),
                        reply(0, readFailed(Compound.ERR_IO), wasRead(second)));
        requireReply(
                writeList(a.filled(0), b.filled(250)),
                reply(0, readFailed(Compound.ERR_IO), wasReadApart(250)),
                reply);
        a.taken(0);
        assertArrayEquals(second, b.taken(250));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("8267-3.1-1")
    @Tag("8267-3.1-5")
    @Tag("8267-6.4.1-3")
    void aResultLongerThanItsChunkIsAnErrorOfTheTransport(boolean hasReplyChunk) throws Exception {
        var a = sink(100);
        var b = sink(60, 39);
        var last = hasReplyChunk ? sink(8192) : RawChunk.EMPTY;
        int number = wire.nextXid();
        var call = call().read(100).read(100);
        var chunks = Words.of(0).and(writeChunks(a.offered(), b.offered()));
        chunks = hasReplyChunk ? chunks.word(1).and(last.offered()) : chunks.word(0);
        wire.client().send(HeaderWords.msg(number, 1).and(chunks).and(call.message(number)));
        var answer =
                wire.passes(
                        number,
                        call.message(number),
                        reply(0, wasRead(data(100, 1)), wasRead(data(100, 2))));
        requireChunkError(number, answer);
        a.taken(0);
        b.taken(0);
        last.taken(0);
        wire.requireAlive();
    }

    @Test
    @Tag("8267-3-1")
    @Tag("8267-6.4.1-6")
    void whatIsNotInWriteChunksMayFillTheReplyChunk() throws Exception {
        var a = sink(9000);
        var rest = sink(3000, 7000);
        byte[] first = data(9000, 1);
        var results = reply(0, wasRead(first), wasRead(data(8001, 2)), link(LINK));
        var lists = Words.of(0).and(writeChunks(a.offered())).word(1).and(rest.offered());
        var reply = wire.exchange(lists, call().read(9000).read(8001).readLink(), results);
        int number = reply.at(0);
        var message =
                Words.of(number)
                        .and(reply(0, wasReadApart(9000), wasRead(data(8001, 2)), link(LINK)));
        noMsg(number, GRANT)
                .word(0)
                .and(writeChunks(a.filled(9000)))
                .word(1)
                .and(rest.filled(message.length()))
                .requireSame(reply);
        assertArrayEquals(first, a.taken(9000));
        assertArrayEquals(message.bytes(), rest.taken(message.length()));
    }

    /** What follows an operation of unknown shape cannot be found, so none of it is reduced. */
    @Test
    @Tag("8267-7-1")
    void nothingIsReducedBehindAnUnknownOperation() throws Exception {
        var a = sink(30);
        var b = sink(30);
        byte[] first = data(30, 1);
        var unknown = Words.of(Compound.UNKNOWN, 0, 0);
        var reply =
                wire.exchange(
                        writeList(a.offered(), b.offered()),
                        call().read(30).unknown().read(30),
                        reply(0, wasRead(first), unknown, wasRead(data(30, 2))));
        requireReply(
                writeList(a.filled(30), b.filled(0)),
                reply(0, wasReadApart(30), unknown, wasRead(data(30, 2))),
                reply);
        assertArrayEquals(first, a.taken(30));
        b.taken(0);
    }

    @Test
    @Tag("8166-8.2.2.3-1")
    void nothingIsReducedUnderIntegrity() throws Exception {
        var a = sink(30);
        int number = wire.nextXid();
        var call = call().read(30).withIntegrity(number);
        var results = reply(0, wasRead(data(30, 1)));
        wire.client().send(HeaderWords.msg(number, 1).and(writeList(a.offered())).and(call));
        requireReply(writeList(a.filled(0)), results, wire.passes(number, call, results));
        a.taken(0);
    }

    @Test
    @Tag("8267-6.4.1-5")
    void aCallThatTheServerRefusesLeavesItsChunksUnused() throws Exception {
        var a = sink(30);
        // MSG_ACCEPTED, SYSTEM_ERR; MSG_DENIED, AUTH_ERROR, AUTH_TOOWEAK.
        for (var refusal : new Words[] {Words.of(1, 0, 0, 0, 5), Words.of(1, 1, 1, 5)}) {
            var reply = wire.exchange(writeList(a.offered()), call().read(30), refusal);
            requireReply(writeList(a.filled(0)), refusal, reply);
        }
        a.taken(0);
    }
}
