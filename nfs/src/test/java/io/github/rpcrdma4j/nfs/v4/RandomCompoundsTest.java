package io.github.rpcrdma4j.nfs.v4;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.PlannedResults;
import io.github.rpcrdma4j.nfs.v4.Vectors.Vector;
import io.github.rpcrdma4j.rpcrdma.chunk.ReadChunkPlacements;
import io.github.rpcrdma4j.sim.Seeds;
import io.github.rpcrdma4j.xdr.BulkItem;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Goal: a walk is right for any sequence of operations, with any of their bulk items apart. Method:
 * operations of the vectors in random order, with random items removed from the stream; random
 * words.
 */
class RandomCompoundsTest {
    private static final int RUNS = 2_000;
    private static final int OPERATIONS_MAX = 40;

    /** The bytes of an operation from its number on, and where its items are in them. */
    private record Piece(String name, byte[] bytes, List<Vectors.ExpectedItem> items) {}

    private static List<Piece> pieces(List<Vector> vectors) {
        var pieces = new ArrayList<Piece>();
        for (var vector : vectors) {
            for (int i = 0; i < vector.operations().size(); i++) {
                int index = i;
                int from = (int) vector.operations().get(i).position();
                int to =
                        i + 1 < vector.operations().size()
                                ? (int) vector.operations().get(i + 1).position()
                                : vector.bytes().length;
                pieces.add(
                        new Piece(
                                vector.operations().get(i).name(),
                                Arrays.copyOfRange(vector.bytes(), from, to),
                                vector.items().stream()
                                        .filter(each -> each.operation() == index)
                                        .map(
                                                each ->
                                                        new Vectors.ExpectedItem(
                                                                index,
                                                                each.position() - from,
                                                                each.length()))
                                        .toList()));
            }
        }
        return pieces;
    }

    private static final List<Piece> ARGUMENTS =
            pieces(
                    Vectors.calls().stream()
                            .filter(each -> each.kind() == CompoundKind.COMPOUND)
                            .toList());
    private static final List<Piece> WITH_ITEMS =
            ARGUMENTS.stream().filter(each -> !each.items().isEmpty()).toList();

    /** A message under construction, without the items that lie apart. */
    private static final class Message {
        final ByteArrayOutputStream reduced = new ByteArrayOutputStream();
        final List<String> names = new ArrayList<>();
        final List<Long> positions = new ArrayList<>();
        final List<BulkItem> items = new ArrayList<>();
        final List<BulkItem> apart = new ArrayList<>();
        private long position;

        void words(int... words) {
            var bytes = ByteBuffer.allocate(words.length * Integer.BYTES);
            for (int word : words) {
                bytes.putInt(word);
            }
            add(bytes.array());
        }

        private void add(byte[] bytes) {
            reduced.writeBytes(bytes);
            position += bytes.length;
        }

        void operation(Piece piece, Random random) {
            names.add(piece.name());
            positions.add(position);
            int from = 0;
            for (var item : piece.items()) {
                int at = (int) item.position();
                int padded = (int) XdrWriter.roundUp(item.length());
                add(Arrays.copyOfRange(piece.bytes(), from, at));
                var data = Arrays.copyOfRange(piece.bytes(), at, at + (int) item.length());
                var bulk = new BulkItem(position, MemorySegment.ofArray(data));
                items.add(bulk);
                // A chunk of no bytes is no chunk.
                if (data.length > 0 && random.nextBoolean()) {
                    apart.add(bulk);
                    position += padded;
                } else {
                    add(Arrays.copyOfRange(piece.bytes(), at, at + padded));
                }
                from = at + padded;
            }
            add(Arrays.copyOfRange(piece.bytes(), from, piece.bytes().length));
        }
    }

    @Test
    void findsEveryOperationAndItemWhereverTheItemsLie() throws Exception {
        var random = new Random(Seeds.one());
        for (int run = 0; run < RUNS; run++) {
            int count = random.nextInt(OPERATIONS_MAX + 1);
            var message = new Message();
            message.words(0, Operation.MINOR_VERSION_MAX, count);
            for (int i = 0; i < count; i++) {
                var from = random.nextInt(3) == 0 ? WITH_ITEMS : ARGUMENTS;
                message.operation(from.get(random.nextInt(from.size())), random);
            }
            var in =
                    new XdrReader(
                            MemorySegment.ofArray(message.reduced.toByteArray()),
                            new ReadChunkPlacements(message.apart));
            var call = CompoundCall.walk(CompoundKind.COMPOUND, in);
            assertEquals(new WalkEnd.Complete(), call.end());
            in.finish();
            assertEquals(
                    message.names,
                    call.operations().stream().map(each -> each.operation().name()).toList());
            assertEquals(
                    message.positions,
                    call.operations().stream()
                            .map(CompoundCall.CalledOperation::position)
                            .toList());
            assertEquals(message.items.size(), call.items().size());
            for (int i = 0; i < message.items.size(); i++) {
                var item = call.items().get(i);
                assertEquals(i, item.ordinal());
                assertEquals(message.items.get(i).position(), item.position());
                assertEquals(-1, message.items.get(i).data().mismatch(item.data()));
            }
        }
    }

    /** Goal: random words lead to a value. Small words let a walk go on. */
    @Test
    void randomWordsHaveAValue() {
        var random = new Random(Seeds.one());
        int complete = 0;
        for (int run = 0; run < 10 * RUNS; run++) {
            var words = ByteBuffer.allocate(4 * (1 + random.nextInt(60)));
            while (words.hasRemaining()) {
                words.putInt(random.nextInt(20) == 0 ? random.nextInt() : random.nextInt(76));
            }
            words.putInt(0, random.nextInt(4));
            var bytes = MemorySegment.ofArray(words.array());
            for (var kind : CompoundKind.values()) {
                var call = CompoundCall.walk(kind, new XdrReader(bytes));
                complete += call.end().isComplete() ? 1 : 0;
                assertTrue(call.operations().size() <= Operation.COUNT_MAX);
                CompoundReply.walk(kind, new XdrReader(bytes));
            }
            requireBound(bytes);
        }
        assertTrue(complete < 10 * RUNS);
    }

    /** Goal: the bound that a server asks for, without a plan, is that of the plan. */
    private static void requireBound(MemorySegment call) {
        for (long unknown : new long[] {0, 1 << 20}) {
            assertEquals(
                    new PlannedResults(Nfs4Binding.BINDING)
                            .resultsMax(Nfs4Binding.COMPOUND, new XdrReader(call), unknown),
                    Nfs4Binding.BINDING.resultsMax(
                            Nfs4Binding.COMPOUND, new XdrReader(call), unknown));
        }
    }

    @Test
    void theBoundOfAReplyNeedsNoPlan() {
        for (var vector : Vectors.calls()) {
            var call = MemorySegment.ofArray(vector.bytes());
            for (int end = 0; end <= vector.bytes().length; end += Integer.BYTES) {
                requireBound(call.asSlice(0, end));
            }
        }
    }
}
