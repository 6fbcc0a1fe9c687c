package io.github.rpcrdma4j.rpcrdma.rfc5666.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.oncrpc.spi.RawAuth;
import io.github.rpcrdma4j.rpcrdma.rfc5666.wire.Rfc5666Header.PaddedMsg;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.Golden;
import io.github.rpcrdma4j.sim.Seeds;
import io.github.rpcrdma4j.xdr.Placements;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Goal: RDMA_MSGP works in both directions. */
class AlignedPayloadTest {
    private static final int NFS = 100003;
    private static final int MESSAGES = 2000;

    private final SegmentPool pool = new SegmentPool(1 << 20);

    /** The WRITE of EX-23 has 600 bytes, which start at byte 256 of the Send. */
    @Test
    @Tag("5666-3.9-1")
    @Tag("5666-4.1-7")
    void makesTheWorkedExample() {
        var header = new PaddedMsg(0x0a0b0c0d, 32, 256, 512, ChunkLists.EMPTY);
        byte[] data = new byte[600];
        java.util.Arrays.fill(data, (byte) 0x44);
        byte[] handle = new byte[32];
        for (int i = 0; i < handle.length; i++) {
            handle[i] = (byte) i;
        }
        try (var call = new XdrWriter(pool)) {
            CallHeader.encode(call, header.xid(), NFS, 3, 7, RawAuth.NONE);
            call.opaque(handle).uint64(0).uint32(600).uint32(2).bulk(MemorySegment.ofArray(data));
            var payload =
                    AlignedPayload.of(Alignment.of(header), call.reducedStream(), call.bulkItems())
                            .orElseThrow();
            int headerBytes = header.encodedLength();
            var message = MemorySegment.ofArray(new byte[headerBytes + (int) payload.length()]);
            header.encode(message);
            payload.copyTo(message.asSlice(headerBytes));
            assertArrayEquals(Golden.bytes("EX-23"), message.toArray(ValueLayout.JAVA_BYTE));
        }
    }

    @Test
    @Tag("5666-3.9-2")
    @Tag("5666-3.9-3")
    void readsTheWorkedExample() throws Exception {
        var message = MemorySegment.ofArray(Golden.bytes("EX-23"));
        var call = (Rfc5666Received.Padded) Rfc5666Received.byResponder(message);
        var in =
                new XdrReader(
                        call.payload(),
                        AlignedPlacements.of(Placements.NONE, Alignment.of(call.header())));
        assertEquals(7, CallHeader.decode(in).procedure());
        assertEquals(32, in.opaque(64).byteSize());
        in.uint64();
        in.uint64();
        long position = in.position();
        var data = in.bulk(1024);
        assertEquals(96, position + Integer.BYTES);
        assertEquals(600, data.byteSize());
        assertEquals(0x44, data.get(ValueLayout.JAVA_BYTE, 0));
        assertEquals(0x44, data.get(ValueLayout.JAVA_BYTE, 599));
        assertEquals(96 + 600, in.position());
        in.finish();
    }

    @Test
    @Tag("5666-3.9-2")
    @Tag("5666-3.9-3")
    void padsFromExactlyTheThresholdOn() {
        var alignment = new Alignment(36, 64, 100);
        assertEquals(0, alignment.padding(8, 99));
        assertEquals(20, alignment.padding(8, 100));
        assertEquals(0, alignment.padding(28, 100));
        assertEquals(0, Alignment.NONE.padding(7, 1 << 20));
        assertEquals(1, new Alignment(36, 3, 0).padding(2, 1));
        // Both words are unsigned.
        assertEquals(0, new Alignment(0, 1, -1).padding(5, 1L << 31));
        assertEquals((1L << 32) - 6, new Alignment(0, -1, 0).padding(5, 1));
    }

    @Test
    void padsNothingWhereAnotherOpaqueCouldBeTakenForALongOne() {
        try (var call = new XdrWriter(pool)) {
            call.opaque(new byte[200]).bulk(MemorySegment.ofArray(new byte[300]));
            var items = call.bulkItems();
            var stream = call.reducedStream();
            assertEquals(208, stream.byteSize());
            assertTrue(AlignedPayload.of(new Alignment(36, 64, 208), stream, items).isEmpty());
            assertTrue(AlignedPayload.of(new Alignment(36, 64, 209), stream, items).isPresent());
            assertTrue(AlignedPayload.of(new Alignment(36, 64, 301), stream, items).isEmpty());
            assertThrows(
                    IllegalArgumentException.class,
                    () -> AlignedPayload.of(new Alignment(36, 8192, 209), stream, items));
        }
    }

    /** Padding that extends beyond the message makes the arguments malformed. */
    @Test
    void readsNoPaddingThatIsNotThere() {
        byte[] stream = {0, 0, 0, 4, 1, 2, 3, 4};
        for (int align : new int[] {100, -1}) {
            var in =
                    new XdrReader(
                            MemorySegment.ofArray(stream),
                            AlignedPlacements.of(Placements.NONE, new Alignment(36, align, 0)));
            assertThrows(XdrException.class, () -> in.opaque(100));
        }
    }

    /** Goal: every padded message can be read. Method: random items and alignments. */
    @Test
    @Tag("5666-3.9-2")
    void readsWhateverWasPadded() {
        Seeds.many(MESSAGES)
                .forEach(
                        seed -> {
                            var random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
                            var items = new ArrayList<byte[]>();
                            for (int i = 1 + random.nextInt(4); i > 0; i--) {
                                byte[] item = new byte[random.nextInt(400)];
                                random.nextBytes(item);
                                items.add(item);
                            }
                            var alignment =
                                    new Alignment(
                                            random.nextInt(900),
                                            1 + random.nextInt(512),
                                            random.nextInt(300));
                            readsBack(items, alignment, "seed " + seed);
                        });
    }

    private void readsBack(List<byte[]> items, Alignment alignment, String seed) {
        try (var out = new XdrWriter(pool)) {
            for (var item : items) {
                out.uint32(7).bulk(MemorySegment.ofArray(item));
            }
            var padded = AlignedPayload.of(alignment, out.reducedStream(), out.bulkItems());
            if (padded.isEmpty()) {
                return;
            }
            var stream = MemorySegment.ofArray(new byte[(int) padded.get().length()]);
            padded.get().copyTo(stream);
            var in = new XdrReader(stream, AlignedPlacements.of(Placements.NONE, alignment));
            for (var item : items) {
                assertEquals(7, in.uint32(), seed);
                assertArrayEquals(item, in.bulk(1000).toArray(ValueLayout.JAVA_BYTE), seed);
            }
            assertEquals(out.position(), in.position(), seed);
            in.finish();
        } catch (XdrException broken) {
            throw new AssertionError(seed, broken);
        }
    }
}
