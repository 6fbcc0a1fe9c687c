package io.github.rpcrdma4j.nfs.server.raw;

import static io.github.rpcrdma4j.nfs.server.raw.Compound.data;
import static io.github.rpcrdma4j.nfs.server.raw.Compound.reply;
import static io.github.rpcrdma4j.nfs.server.raw.RawCaller.inExport;
import static io.github.rpcrdma4j.rpcrdma.raw.HeaderWords.readList;
import static io.github.rpcrdma4j.rpcrdma.raw.HeaderWords.writeChunks;
import static io.github.rpcrdma4j.rpcrdma.raw.HeaderWords.writeList;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.github.rpcrdma4j.rpcrdma.raw.RawChunk;
import io.github.rpcrdma4j.rpcrdma.raw.Words;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Goal: arguments have their chunks (RFC 8267, Sections 6.1 and 6.4.2). */
public abstract class CompoundReadListsContract extends CompoundContract {
    @ParameterizedTest
    @EnumSource
    @Tag("8267-6.1-1")
    @Tag("8166-3.4.4-1")
    void positionsAssignChunksToTheArguments(ServedProfile profile) throws Exception {
        begin(profile);
        for (int length : new int[] {1, 3, 4, 5003, 70_001}) {
            byte[] first = data(length, 3);
            byte[] second = data(length + 1, 4);
            var call =
                    inExport()
                            .save()
                            .lookUp("written")
                            .writeApart(first)
                            .restore()
                            .linkApart("link" + length, LINK)
                            .restore()
                            .lookUp("file")
                            .write(data(10, 4))
                            .writeApart(second);
            var at = call.positions();
            var entries =
                    new ArrayList<>(
                            List.of(
                                    source(first, at.get(0), length),
                                    source(LINK, at.get(1), 4, LINK.length - 4),
                                    source(second, at.get(2), length, 1)));
            Collections.rotate(entries, length);
            var reply = caller.call(readList(entries.toArray(Words[]::new)), call);
            SeenResults.requireSuccess(11, reply);
            assertArrayEquals(first, stored("written", length));
            assertArrayEquals(second, stored("file", length + 1));
            var made = directory.root().resolve("link" + length);
            assertEquals(new String(LINK), Files.readSymbolicLink(made).toString());
        }
    }

    private byte[] stored(String name, int length) throws Exception {
        return Arrays.copyOf(Files.readAllBytes(directory.root().resolve(name)), length);
    }

    @ParameterizedTest
    @EnumSource
    @Tag("8166-3.4.6.1-1")
    void aChunkMayHoldThePaddingOfItsItem(ServedProfile profile) throws Exception {
        begin(profile);
        byte[] data = data(1001, 3);
        var call = inExport().lookUp("written").writeApart(data).writeApart(data);
        var lists =
                readList(
                        source(Arrays.copyOf(data, 1004), call.positions().get(0), 1001, 3),
                        source(data, call.positions().get(1), 1001));
        SeenResults.requireSuccess(5, caller.call(lists, call));
        assertArrayEquals(data, stored("written", 1001));
    }

    /** Returns segments of equal lengths that hold {@code length} bytes together. */
    private static int[] segments(int length) {
        int[] lengths = new int[16];
        Arrays.fill(lengths, length / lengths.length);
        lengths[lengths.length - 1] += length % lengths.length;
        return lengths;
    }

    /**
     * The most that every server has to accept, and a Reply chunk: a Position-Zero Read chunk, a
     * Read chunk with data, a Write chunk, each of 16 segments.
     */
    @ParameterizedTest
    @EnumSource
    @Tag("8267-6.4.2-2")
    @Tag("8166-3.5.3-1")
    void acceptsTheChunksThatEveryClientMaySend(ServedProfile profile) throws Exception {
        begin(profile);
        byte[] data = data(50_001, 3);
        var call =
                inExport()
                        .save()
                        .lookUp("written")
                        .writeApart(data)
                        .restore()
                        .lookUp("file")
                        .read(40_000);
        var message = call.reduced(caller.nextXid());
        var zero = source(message.bytes(), 0, segments(message.length() & ~63));
        int left = message.length() & 63;
        byte[] end = Arrays.copyOfRange(message.bytes(), message.length() - left, message.length());
        var tail = left == 0 ? Words.NONE : source(end, 0, left);
        var apart = source(data, call.positions().getFirst(), segments(data.length));
        var write = sink(segments(40_000));
        var last = sink(segments(4096));
        var lists =
                zero.and(tail)
                        .and(apart)
                        .word(0)
                        .and(writeChunks(write.offered()))
                        .word(1)
                        .and(last.offered());
        var reply = caller.callLong(lists);
        assertEquals(caller.xid(), reply.at(0));
        assertArrayEquals(read(0, 40_000), write.taken(40_000));
        assertArrayEquals(data, stored("written", data.length));
    }

    @ParameterizedTest
    @EnumSource
    @Tag("8267-6.4.2-3")
    void moreWriteChunksThanTheLimitAreAnErrorOfTheTransport(ServedProfile profile)
            throws Exception {
        begin(profile);
        var chunks = new Words[65];
        Arrays.fill(chunks, RawChunk.EMPTY.offered());
        profile.requireChunkError(
                caller.nextXid(),
                caller.call(
                        writeList(chunks),
                        inExport().lookUp("file").read(10).reduced(caller.xid())));
        requireAlive();
    }

    @ParameterizedTest
    @EnumSource
    @Tag("8166-6.1-2")
    @Tag("8267-6.4.2-3")
    @Tag("8166-4.5.2-2")
    void aChunkOfAnotherPositionIsAnErrorOfTheArguments(ServedProfile profile) throws Exception {
        begin(profile);
        byte[] data = data(1000, 3);
        var call = making().lookUp("written").writeApart(data);
        for (int distance : new int[] {-8, -4, 4, 8, 4000}) {
            refuses(source(data, call.positions().getFirst() + distance, 1000), call);
        }
        SeenResults.requireSuccess(
                7, caller.call(readList(source(data, call.positions().getFirst(), 1000)), call));
    }

    @ParameterizedTest
    @EnumSource
    @Tag("8267-6.4.2-3")
    @Tag("8166-4.5.2-2")
    void aChunkOfAnotherLengthIsAnErrorOfTheArguments(ServedProfile profile) throws Exception {
        begin(profile);
        byte[] data = data(1000, 3);
        var call = making().lookUp("written").writeApart(data);
        for (int length : new int[] {4, 996, 999, 1004, 2000}) {
            refuses(source(Arrays.copyOf(data, length), call.positions().getFirst(), length), call);
        }
    }

    /** The handle of a file is not eligible (RFC 8267-6.1-1). */
    @ParameterizedTest
    @EnumSource
    @Tag("8166-6.1-2")
    @Tag("8267-6.1-1")
    void aFileHandleMayNotMoveApart(ServedProfile profile) throws Exception {
        begin(profile);
        var before = making();
        int putFileHandle = 22;
        var call = before.inline(Words.of(putFileHandle, 32));
        int position = call.reduced(0).length();
        refuses(source(data(32, 7), position, 32), call);
        assertEquals(0, SeenResults.of(caller.call(readList(), before)).status());
    }

    /** Method: EXCHANGE_ID, whose owner is the longest item of the operations of sessions. */
    @ParameterizedTest
    @EnumSource
    @Tag("8267-6.6-4")
    void anItemOfASessionOperationMayNotMoveApart(ServedProfile profile) throws Exception {
        begin(profile);
        int exchangeId = 42;
        var head = Words.of(exchangeId).twoWords(1).word(1000);
        int position = Compound.call().inline(head).reduced(0).length();
        // No flags, no state protection, and no implementation.
        var call = Compound.call().inline(head.word(0, 0, 0));
        refuses(source(data(1000, 7), position, 1000), call);
    }

    /** What follows an operation of unknown shape cannot be found, so it has to be inline. */
    @ParameterizedTest
    @EnumSource
    @Tag("8267-7-1")
    @Tag("8166-6.1-2")
    void aChunkBehindAnUnknownOperationIsAnErrorOfTheArguments(ServedProfile profile)
            throws Exception {
        begin(profile);
        byte[] data = data(1000, 3);
        var call = making().unknown().writeApart(data);
        refuses(source(data, call.positions().getFirst(), 1000), call);
    }

    /** Goal: version 3 has the same rules. Method: its WRITE (RFC 1813, Section 3.3.7). */
    @ParameterizedTest
    @EnumSource
    @Tag("8166-6.1-2")
    @Tag("8166-4.5.2-2")
    void theArgumentsOfVersion3HaveTheirPlaces(ServedProfile profile) throws Exception {
        begin(profile);
        byte[] data = data(1002, 1);
        int xid = caller.nextXid();
        var write =
                Words.of(xid, 0, 2, 100003, 3, 7, 0, 0, 0, 0)
                        .opaque(data(20, 7))
                        .twoWords(0)
                        .word(data.length, 2, data.length);
        SeenResults.requireGarbageArgs(
                caller.call(readList(source(data, write.length() - 4, 1002)), write));
        var getAttributes = Words.of(xid, 0, 2, 100003, 3, 1, 0, 0, 0, 0).word(32);
        SeenResults.requireGarbageArgs(
                caller.call(
                        readList(source(data(32, 7), getAttributes.length(), 32)), getAttributes));
    }

    private static Compound.Call making() {
        return inExport().save().makeDirectory("made").restore();
    }

    /** Requires that nothing is carried out. */
    private void refuses(Words chunk, Compound.Call call) throws Exception {
        SeenResults.requireGarbageArgs(caller.call(readList(chunk), call));
        assertFalse(Files.exists(directory.root().resolve("made")), "an operation was carried out");
        requireAlive();
    }
}
