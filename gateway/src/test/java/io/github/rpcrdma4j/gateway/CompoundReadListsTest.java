package io.github.rpcrdma4j.gateway;

import static io.github.rpcrdma4j.gateway.WireToTcp.GRANT;
import static io.github.rpcrdma4j.gateway.WireToTcp.requireReply;
import static io.github.rpcrdma4j.nfs.server.raw.Compound.call;
import static io.github.rpcrdma4j.nfs.server.raw.Compound.data;
import static io.github.rpcrdma4j.nfs.server.raw.Compound.filehandleWasPut;
import static io.github.rpcrdma4j.nfs.server.raw.Compound.link;
import static io.github.rpcrdma4j.nfs.server.raw.Compound.reply;
import static io.github.rpcrdma4j.nfs.server.raw.Compound.wasCreated;
import static io.github.rpcrdma4j.nfs.server.raw.Compound.wasRead;
import static io.github.rpcrdma4j.nfs.server.raw.Compound.wasReadApart;
import static io.github.rpcrdma4j.nfs.server.raw.Compound.wasWritten;
import static io.github.rpcrdma4j.rpcrdma.raw.HeaderWords.noMsg;
import static io.github.rpcrdma4j.rpcrdma.raw.HeaderWords.readList;
import static io.github.rpcrdma4j.rpcrdma.raw.HeaderWords.writeChunks;
import static io.github.rpcrdma4j.rpcrdma.raw.HeaderWords.writeList;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import io.github.rpcrdma4j.nfs.server.raw.Compound;
import io.github.rpcrdma4j.rpcrdma.raw.HeaderWords;
import io.github.rpcrdma4j.rpcrdma.raw.RawChunk;
import io.github.rpcrdma4j.rpcrdma.raw.Words;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: the arguments of COMPOUNDs travel as RFC 8267, Sections 6.1, 6.4.1 and 6.4.2, says. Method:
 * the server behind a gateway has to get each call as if nothing had moved apart.
 */
class CompoundReadListsTest {
    private static final byte[] LINK = Compound.ascii("../../target");

    private WireToTcp wire;

    @BeforeEach
    void connect() throws Exception {
        wire = new WireToTcp();
    }

    @AfterEach
    void close() throws Exception {
        wire.close();
    }

    private Words source(byte[] data, int position, int... lengths) {
        return wire.client().source(data, lengths).reads(position);
    }

    /** Returns segments of equal lengths that hold {@code length} bytes together. */
    private static int[] segments(int count, int length) {
        int[] lengths = new int[count];
        Arrays.fill(lengths, length / count);
        lengths[count - 1] += length % count;
        return lengths;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5003, 70_001})
    @Tag("8267-6.1-1")
    @Tag("8166-3.4.4-1")
    void positionsAssignChunksToTheArguments(int length) throws Exception {
        byte[] first = data(length, 1);
        byte[] second = data(length + 1, 2);
        var call =
                call().putFileHandle(32)
                        .writeApart(first)
                        .putFileHandle(5)
                        .linkApart(LINK)
                        .putFileHandle(28)
                        .write(data(10, 4))
                        .writeApart(second)
                        .getAttributes();
        var at = call.positions();
        var entries =
                Arrays.asList(
                        source(first, at.get(0), length),
                        source(LINK, at.get(1), 4, LINK.length - 4),
                        source(second, at.get(2), length, 1));
        var put = filehandleWasPut();
        var results =
                reply(
                        0,
                        put,
                        wasWritten(length),
                        put,
                        wasCreated(),
                        put,
                        wasWritten(10),
                        wasWritten(length + 1),
                        Compound.attributes());
        for (int i = 0; i < entries.size(); i++) {
            Collections.rotate(entries, 1);
            requireReply(
                    readList(),
                    results,
                    wire.exchange(readList(entries.toArray(Words[]::new)), call, results));
        }
    }

    @Test
    @Tag("8166-3.4.6.1-1")
    void aChunkMayHoldThePaddingOfItsItem() throws Exception {
        byte[] data = data(1001, 1);
        var call = call().writeApart(data).writeApart(data);
        var lists =
                readList(
                        source(Arrays.copyOf(data, 1004), call.positions().get(0), 1001, 3),
                        source(data, call.positions().get(1), 1001));
        var results = reply(0, wasWritten(1001), wasWritten(1001));
        requireReply(readList(), results, wire.exchange(lists, call, results));
    }

    @Test
    @Tag("8267-6.4.1-2")
    void aCallMayHaveReadChunksAndWriteChunks() throws Exception {
        byte[] data = data(3000, 1);
        var a = wire.client().sink(1500, 1500);
        byte[] read = data(2999, 2);
        var call = call().writeApart(data).read(3000).linkApart(LINK).readLink();
        var lists =
                source(data, call.positions().get(0), 3000)
                        .and(source(LINK, call.positions().get(1), LINK.length))
                        .word(0)
                        .and(writeChunks(a.offered()))
                        .word(0);
        var reply =
                wire.exchange(
                        lists,
                        call,
                        reply(0, wasWritten(3000), wasRead(read), wasCreated(), link(LINK)));
        requireReply(
                writeList(a.filled(2999)),
                reply(0, wasWritten(3000), wasReadApart(2999), wasCreated(), link(LINK)),
                reply);
        assertArrayEquals(read, a.taken(2999));
    }

    /**
     * The most that every server has to accept, and a Reply chunk: a Position-Zero Read chunk, a
     * Read chunk with data, a Write chunk, each of 16 segments.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("8267-6.4.2-2")
    @Tag("8166-3.5.3-1")
    void acceptsTheChunksThatEveryClientMaySend(boolean positionZeroComesFirst) throws Exception {
        byte[] data = data(50_001, 1);
        byte[] read = data(40_003, 2);
        var call = call().putFileHandle(32).writeApart(data).read(40_003).getAttributes();
        int number = wire.nextXid();
        var message = call.reduced(number);
        var zero = source(message.bytes(), 0, segments(16, message.length()));
        var apart = source(data, call.positions().getFirst(), segments(16, data.length));
        var write = wire.client().sink(segments(16, read.length));
        var last = wire.client().sink(segments(16, 4096));
        var lists =
                (positionZeroComesFirst ? zero.and(apart) : apart.and(zero))
                        .word(0)
                        .and(writeChunks(write.offered()))
                        .word(1)
                        .and(last.offered());
        var put = filehandleWasPut();
        var reply =
                wire.exchangeLong(
                        number,
                        lists,
                        call,
                        reply(0, put, wasWritten(50_001), wasRead(read), Compound.attributes()));
        requireReply(
                Words.of(0).and(writeChunks(write.filled(read.length))).word(1).and(last.filled(0)),
                reply(0, put, wasWritten(50_001), wasReadApart(read.length), Compound.attributes()),
                reply);
        assertArrayEquals(read, write.taken(read.length));
        last.taken(0);
    }

    @Test
    @Tag("8267-6.4.2-2")
    void aLongCallMayHaveALongReply() throws Exception {
        byte[] data = data(30_000, 1);
        var call = call().write(data).read(20_000);
        int number = wire.nextXid();
        var message = call.message(number);
        var zero = source(message.bytes(), 0, segments(16, message.length()));
        var last = wire.client().sink(segments(16, 32_768));
        var results = reply(0, wasWritten(30_000), wasRead(data(20_000, 2)));
        var reply =
                wire.exchangeLong(number, zero.word(0, 0, 1).and(last.offered()), call, results);
        var expected = Words.of(number).and(results);
        noMsg(number, GRANT).word(0, 0, 1).and(last.filled(expected.length())).requireSame(reply);
        assertArrayEquals(expected.bytes(), last.taken(expected.length()));
    }

    @Test
    @Tag("8267-6.4.2-3")
    void moreWriteChunksThanTheLimitAreAnErrorOfTheTransport() throws Exception {
        var chunks = new Words[65];
        Arrays.fill(chunks, RawChunk.EMPTY.offered());
        wire.refusesTheHeader(writeList(chunks), call().readLink());
    }

    @Test
    @Tag("8267-6.4.2-3")
    void moreSegmentsThanTheLimitAreAnErrorOfTheTransport() throws Exception {
        var piece = wire.client().sink(4).pieces().getFirst();
        var chunk = new RawChunk(Collections.nCopies(257, piece));
        wire.refusesTheHeader(writeList(chunk.offered()), call().readLink());
    }

    @Test
    @Tag("8267-6.4.2-3")
    void moreBytesThanTheLimitAreAnErrorOfTheTransport() throws Exception {
        int length = (8 << 20) + 4;
        var call = call().writeApart(new byte[length]);
        wire.refusesTheHeader(
                readList(source(new byte[0], call.positions().getFirst(), length)), call);
    }

    @ParameterizedTest
    @ValueSource(ints = {-8, -4, 4, 8, 4000})
    @Tag("8166-6.1-2")
    @Tag("8267-6.4.2-3")
    @Tag("8166-4.5.2-2")
    void aChunkOfAnotherPositionIsAnErrorOfTheArguments(int distance) throws Exception {
        byte[] data = data(1000, 1);
        var call = call().putFileHandle(32).writeApart(data).getAttributes();
        wire.refusesTheArguments(
                readList(source(data, call.positions().getFirst() + distance, 1000)), call);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 4, 996, 999, 1004, 2000})
    @Tag("8267-6.4.2-3")
    @Tag("8166-4.5.2-2")
    void aChunkOfAnotherLengthIsAnErrorOfTheArguments(int length) throws Exception {
        byte[] data = data(1000, 1);
        var call = call().putFileHandle(32).writeApart(data).getAttributes();
        wire.refusesTheArguments(
                readList(source(Arrays.copyOf(data, length), call.positions().getFirst(), length)),
                call);
    }

    /** The name of a link, and the handle of a file, are not eligible (RFC 8267-6.1-1). */
    @Test
    @Tag("8166-6.1-2")
    @Tag("8267-6.1-1")
    void aFileHandleMayNotMoveApart() throws Exception {
        byte[] handle = data(32, 7);
        var call = call().putFileHandle(32).getAttributes();
        int header = call.message(0).length() - (32 + 2 * 4 + 3 * 4);
        var all = call.message(0);
        var reduced =
                new Words(Arrays.copyOf(all.bytes(), header + 8))
                        .and(new Words(Arrays.copyOfRange(all.bytes(), header + 40, all.length())));
        var shorter = new Compound.Call(1, 2, Words.NONE, reduced.from(13), List.of());
        wire.refusesTheArguments(readList(source(handle, header + 8, 32)), shorter);
    }

    /** What follows an operation of unknown shape cannot be found, so it has to be inline. */
    @Test
    @Tag("8267-7-1")
    @Tag("8166-6.1-2")
    void aChunkBehindAnUnknownOperationIsAnErrorOfTheArguments() throws Exception {
        byte[] data = data(1000, 1);
        var call = call().writeApart(data).unknown();
        var results = reply(0, wasWritten(1000));
        requireReply(
                readList(),
                results,
                wire.exchange(
                        readList(source(data, call.positions().getFirst(), 1000)), call, results));
        var behind = call().unknown().writeApart(data);
        wire.refusesTheArguments(
                readList(source(data, behind.positions().getFirst(), 1000)), behind);
    }

    /** Under integrity, no argument is eligible (RFC 8166, Section 8.2.2.3). */
    @Test
    @Tag("8166-6.1-2")
    void aChunkUnderIntegrityIsAnErrorOfTheArguments() throws Exception {
        byte[] data = data(1000, 1);
        int number = wire.nextXid();
        var whole = call().write(data).withIntegrity(number);
        int position = whole.length() - data.length;
        var reduced = new Words(Arrays.copyOf(whole.bytes(), position));
        wire.refusesTheArguments(number, readList(source(data, position, 1000)), reduced);
    }

    /** Goal: version 3 has the same rules. Method: its WRITE (RFC 1813, Section 3.3.7). */
    @Test
    @Tag("8166-6.1-2")
    void theDataOfAWriteOfVersion3MovesApart() throws Exception {
        byte[] data = data(1002, 1);
        int number = wire.nextXid();
        var reduced =
                Words.of(number, 0, 2, 100003, 3, 7, 0, 0, 0, 0)
                        .opaque(data(20, 7))
                        .twoWords(0)
                        .word(data.length, 2, data.length);
        int position = reduced.length();
        var whole = new Words(Arrays.copyOf(reduced.bytes(), position - 4)).opaque(data);
        wire.client()
                .send(
                        HeaderWords.msg(number, 1)
                                .and(readList(source(data, position, 1002)))
                                .and(reduced));
        var stale = Words.of(1, 0, 0, 0, 0, 70, 0, 0);
        requireReply(readList(), stale, wire.passes(number, whole, stale));
        wire.refusesTheArguments(number, readList(source(data, position - 4, 1002)), reduced);
    }
}
