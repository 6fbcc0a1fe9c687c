package io.github.rpcrdma4j.nfs.v4.operation;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.v4.CompoundCall;
import io.github.rpcrdma4j.nfs.v4.CompoundKind;
import io.github.rpcrdma4j.nfs.v4.CompoundReply;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.WalkEnd;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Goal: every record survives a message, which walks by shapes understand as well. */
class CompoundRecordsTest {
    private static final OpaqueName TAG = ArgumentSamples.name("tag");
    private static final int BYTES_MAX = 600;

    private final SegmentPool pool = new SegmentPool(1 << 20);

    private interface Encoder {
        void encode(XdrWriter out);
    }

    private interface Decoder<T> {
        T decode(XdrReader in) throws XdrException;
    }

    @AfterEach
    void checkNothingLeaks() {
        assertEquals(0, pool.leased());
    }

    private byte[] bytes(Encoder encoder) {
        try (var out = new XdrWriter(pool)) {
            encoder.encode(out);
            out.inlineBulkItems();
            return out.reducedStream().toArray(ValueLayout.JAVA_BYTE);
        }
    }

    private static XdrReader reader(byte[] bytes) {
        return new XdrReader(MemorySegment.ofArray(bytes));
    }

    private static CompoundArguments arguments(byte[] bytes) throws XdrException {
        var in = reader(bytes);
        var arguments = CompoundArguments.decode(in);
        in.finish();
        return arguments;
    }

    /** Returns all records below a sealed interface. */
    private static Set<Class<?>> records(Class<?> type) {
        var found = new HashSet<Class<?>>();
        if (type.isRecord()) {
            found.add(type);
        }
        if (type.isSealed()) {
            Stream.of(type.getPermittedSubclasses()).forEach(each -> found.addAll(records(each)));
        }
        return found;
    }

    private static Set<Class<?>> classes(List<?> samples) {
        var found = new HashSet<Class<?>>();
        samples.forEach(each -> found.add(each.getClass()));
        return found;
    }

    @Test
    void theSamplesHaveEveryRecord() {
        var arguments = records(Arguments.class);
        arguments.removeAll(Set.of(Arguments.NotSupported.class, Arguments.Illegal.class));
        var samples = new ArrayList<>(ArgumentSamples.all());
        samples.addAll(ArgumentSamples.ofVersion0());
        assertEquals(arguments, classes(samples));
        assertEquals(records(Result.class), classes(ResultSamples.all()));
    }

    @Test
    void everyArgumentSurvivesAMessage() throws XdrException {
        survive(2, ArgumentSamples.all());
        survive(0, ArgumentSamples.ofVersion0());
    }

    private void survive(int minorVersion, List<Arguments> samples) throws XdrException {
        for (var each : samples) {
            var compound = new CompoundArguments(TAG, minorVersion, List.of(each));
            byte[] bytes = bytes(compound::encode);
            var walk = CompoundCall.walk(CompoundKind.COMPOUND, reader(bytes));
            assertEquals(new WalkEnd.Complete(), walk.end(), each::toString);
            assertEquals(each.opcode().number(), walk.operations().getFirst().operation().number());
            var decoded = arguments(bytes);
            assertArrayEquals(bytes, bytes(decoded::encode), each::toString);
            if (!holdsMemory(each)) {
                assertEquals(compound, decoded);
            }
        }
    }

    /** Returns whether a record holds a view of memory, which has no equality of bytes. */
    private static boolean holdsMemory(Record each) {
        return Arrays.stream(each.getClass().getRecordComponents())
                        .anyMatch(part -> part.getType() == MemorySegment.class)
                || each instanceof DataResult.ReadPlus;
    }

    private static boolean holdsMemory(Object each) {
        return holdsMemory((Record) each);
    }

    @Test
    void allArgumentsTogetherAreOneMessage() throws XdrException {
        var all = ArgumentSamples.all();
        byte[] bytes = bytes(new CompoundArguments(TAG, 2, all)::encode);
        var walk = CompoundCall.walk(CompoundKind.COMPOUND, reader(bytes));
        assertEquals(new WalkEnd.Complete(), walk.end());
        assertEquals(all.size(), walk.operations().size());
        assertArrayEquals(bytes, bytes(arguments(bytes)::encode));
    }

    @Test
    void everyResultSurvivesAMessage() throws XdrException {
        for (var each : ResultSamples.all()) {
            var compound = new CompoundResult(each.status(), TAG, List.of(each));
            byte[] bytes = bytes(compound::encode);
            var walk = CompoundReply.walk(CompoundKind.COMPOUND, reader(bytes));
            assertEquals(new WalkEnd.Complete(), walk.end(), each::toString);
            assertEquals(each.status().number(), walk.operations().getFirst().status());
            if (each instanceof Result.Failed(var opcode, _)
                    && opcode.operation().hasValues(Nfs4Status.DELAY.number())) {
                throw new AssertionError(each + " has no values");
            }
            var decoded = CompoundResult.decode(reader(bytes));
            assertArrayEquals(bytes, bytes(decoded::encode), each::toString);
            if (!holdsMemory(each)) {
                assertEquals(compound, decoded);
            }
        }
    }

    @Test
    void allResultsTogetherAreOneMessage() throws XdrException {
        var all = ResultSamples.all();
        byte[] bytes = bytes(new CompoundResult(Nfs4Status.OK, TAG, all)::encode);
        var walk = CompoundReply.walk(CompoundKind.COMPOUND, reader(bytes));
        assertEquals(new WalkEnd.Complete(), walk.end());
        assertEquals(all.size(), walk.operations().size());
        assertArrayEquals(bytes, bytes(CompoundResult.decode(reader(bytes))::encode));
    }

    /** Goal: the n-th READ-class result has the n-th Write chunk, even if others fail. */
    @Test
    void everyReadClassResultTakesItsWriteChunk() {
        var data = MemorySegment.ofArray(new byte[] {1});
        try (var out = new XdrWriter(pool)) {
            Result.failed(Opcode.READ, Nfs4Status.IO).encode(out);
            Result.failed(Opcode.READLINK, Nfs4Status.INVAL).encode(out);
            Result.failed(Opcode.READ_PLUS, Nfs4Status.NOTSUPP).encode(out);
            new DataResult.Read(true, data, () -> {}).encode(out);
            Result.failed(Opcode.READ, Nfs4Status.IO).encode(out);
            new NameResult.ReadLink(data, () -> {}).encode(out);
            assertEquals(
                    List.of(2, 4), out.bulkItems().stream().map(each -> each.ordinal()).toList());
        }
    }

    private int decoded;
    private int refused;

    @Test
    void damagedArgumentsAreRefusedOrDecoded() {
        for (var each : ArgumentSamples.all()) {
            byte[] bytes = bytes(new CompoundArguments(TAG, 2, List.of(each))::encode);
            for (int length = 0; length < Math.min(bytes.length, BYTES_MAX); length++) {
                byte[] part = Arrays.copyOf(bytes, length);
                assertThrows(XdrException.class, () -> arguments(part));
            }
            corrupt(bytes, this::decodeArguments);
        }
        assertTrue(decoded > 1000 && refused > 1000, decoded + " " + refused);
    }

    /** Goal: what the records understand, the walk by shapes understands as well. */
    private void decodeArguments(byte[] corrupt) {
        try {
            var found = arguments(corrupt);
            var end = CompoundCall.walk(CompoundKind.COMPOUND, reader(corrupt)).end();
            assertTrue(!(end instanceof WalkEnd.Malformed), () -> found + " but " + end);
            decoded++;
        } catch (XdrException malformed) {
            refused++;
        }
    }

    @Test
    void damagedResultsAreRefusedOrDecoded() {
        for (var each : ResultSamples.all()) {
            byte[] bytes = bytes(new CompoundResult(each.status(), TAG, List.of(each))::encode);
            for (int length = 0; length < bytes.length; length++) {
                byte[] part = Arrays.copyOf(bytes, length);
                assertThrows(XdrException.class, () -> CompoundResult.decode(reader(part)));
            }
            corrupt(bytes, this::decodeResult);
        }
        assertTrue(decoded > 1000 && refused > 1000, decoded + " " + refused);
    }

    private void decodeResult(byte[] corrupt) {
        try {
            var result = CompoundResult.decode(reader(corrupt));
            assertTrue(result.results().size() <= 1, result::toString);
            decoded++;
        } catch (XdrException malformed) {
            refused++;
        }
    }

    /** Flips each bit of a message in turn, and all bits of each byte; 600 bytes of a long one. */
    private static void corrupt(byte[] bytes, Consumer<byte[]> user) {
        for (int at = 0; at < Math.min(bytes.length, BYTES_MAX); at++) {
            for (int mask : new int[] {1, 2, 4, 8, 16, 32, 64, 128, 0xff}) {
                bytes[at] ^= (byte) mask;
                user.accept(bytes);
                bytes[at] ^= (byte) mask;
            }
        }
    }
}
