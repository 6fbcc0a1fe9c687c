package io.github.rpcrdma4j.nfs.v4;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.shape.NamedArguments;
import io.github.rpcrdma4j.nfs.shape.Shape;
import io.github.rpcrdma4j.nfs.v4.Vectors.ExpectedItem;
import io.github.rpcrdma4j.nfs.v4.Vectors.ExpectedOperation;
import io.github.rpcrdma4j.nfs.v4.Vectors.ExpectedRead;
import io.github.rpcrdma4j.nfs.v4.Vectors.Vector;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Goal: the shapes are those of the RFCs. Method: walk over COMPOUNDs of an independent packer,
 * with every operation and every arm; damage their bytes.
 */
class GoldenCompoundsTest {
    @Test
    void walksOverEveryCall() {
        for (var vector : Vectors.calls()) {
            var in = vector.reader();
            var call = CompoundCall.walk(vector.kind(), in);
            assertEquals(new WalkEnd.Complete(), call.end(), () -> vector.operations().toString());
            assertEquals(0, in.remaining());
            assertEquals(vector.minorVersion(), call.minorVersion());
            assertEquals(vector.operations().size(), call.count());
            assertEquals(
                    vector.operations(),
                    call.operations().stream()
                            .map(
                                    each ->
                                            new ExpectedOperation(
                                                    each.operation().number(),
                                                    each.operation().name(),
                                                    each.position(),
                                                    0))
                            .toList());
            assertEquals(vector.items(), expected(call.items()));
            assertEquals(
                    vector.reads(),
                    call.reads().stream()
                            .map(each -> new ExpectedRead(each.index(), each.dataMax()))
                            .toList());
        }
    }

    @Test
    void walksOverEveryReply() {
        for (var vector : Vectors.replies()) {
            var in = vector.reader();
            var reply = CompoundReply.walk(vector.kind(), in);
            assertEquals(new WalkEnd.Complete(), reply.end(), () -> vector.operations().toString());
            assertEquals(0, in.remaining());
            assertEquals(vector.operations().size(), reply.count());
            assertEquals(vector.operations().getLast().status(), reply.status().orElseThrow());
            assertEquals(
                    vector.operations(),
                    reply.operations().stream()
                            .map(
                                    each ->
                                            new ExpectedOperation(
                                                    each.operation().number(),
                                                    each.operation().name(),
                                                    each.position(),
                                                    each.status()))
                            .toList());
            assertEquals(vector.items(), expected(reply.items()));
        }
    }

    private static List<ExpectedItem> expected(List<OperationItem> items) {
        return items.stream()
                .map(each -> new ExpectedItem(each.operation(), each.position(), each.length()))
                .toList();
    }

    /** Goal: the data of an item is what lies at its position, not a copy. */
    @Test
    void givesViewsOfTheItems() {
        for (var vector : Vectors.ALL) {
            var whole = MemorySegment.ofArray(vector.bytes());
            var items =
                    vector.isCall()
                            ? CompoundCall.walk(vector.kind(), new XdrReader(whole)).items()
                            : CompoundReply.walk(vector.kind(), new XdrReader(whole)).items();
            for (var item : items) {
                var part = whole.asSlice(item.position(), item.length());
                assertEquals(-1, part.mismatch(item.data()));
                assertEquals(part.address(), item.data().address());
            }
        }
    }

    @Test
    void theVectorsHaveEveryOperation() {
        for (var kind : CompoundKind.values()) {
            var known = new TreeSet<Integer>();
            Operation.all(kind).forEach(each -> known.add(each.number()));
            for (boolean isCall : new boolean[] {true, false}) {
                var seen = new TreeSet<Integer>();
                Vectors.ALL.stream()
                        .filter(each -> each.kind() == kind && each.isCall() == isCall)
                        .flatMap(each -> each.operations().stream())
                        .forEach(each -> seen.add(each.number()));
                assertEquals(known, seen);
            }
        }
    }

    @Test
    void theVectorsHaveEveryArmOfEveryUnion() {
        var seen = new HashSet<String>();
        Vectors.ALL.forEach(each -> seen.addAll(each.arms()));
        int unions = 0;
        for (var type : ShapeTable.types().entrySet()) {
            if (type.getValue() instanceof Shape.Union union) {
                unions++;
                assertTrue(hasAll(union, numbers(seen, type.getKey())), type::getKey);
            }
        }
        assertTrue(unions > 20, "unions: " + unions);
    }

    @Test
    void theVectorsHaveEveryArmOfTheResults() {
        for (var kind : CompoundKind.values()) {
            for (var operation : Operation.all(kind)) {
                var seen = new HashSet<Integer>();
                Vectors.replies().stream()
                        .filter(each -> each.kind() == kind)
                        .flatMap(each -> each.operations().stream())
                        .filter(each -> each.number() == operation.number())
                        .forEach(each -> seen.add(each.status()));
                var arms = operation.results().arms().keySet();
                boolean hasAll = seen.containsAll(arms) && seen.size() > arms.size();
                assertTrue(hasAll, operation::name);
            }
        }
    }

    private static Set<Integer> numbers(Set<String> arms, String union) {
        var numbers = new HashSet<Integer>();
        for (var arm : arms) {
            var sides = arm.split("=");
            if (sides[0].equals(union)) {
                numbers.add(Integer.parseInt(sides[1]));
            }
        }
        return numbers;
    }

    private static boolean hasAll(Shape.Union union, Set<Integer> seen) {
        Map<Integer, Shape> arms = union.arms();
        return seen.containsAll(arms.keySet())
                && union.otherwise().isPresent() == !arms.keySet().containsAll(seen);
    }

    /** Goal: every truncation has a value, and the operations before it are found. */
    @Test
    void everyTruncationHasAValue() {
        for (var vector : Vectors.ALL) {
            for (int length = 0; length < vector.bytes().length; length++) {
                var part = Arrays.copyOf(vector.bytes(), length);
                var end = walk(vector, part);
                assertTrue(end instanceof WalkEnd.Malformed, () -> vector + ": " + end);
                int before =
                        (int)
                                vector.operations().stream()
                                        .filter(each -> each.position() + 4 <= part.length)
                                        .count();
                int index = ((WalkEnd.Malformed) end).index();
                assertTrue(index == before || index == before - 1, () -> before + " " + index);
            }
        }
    }

    /** Goal: every corrupt byte has a value. Method: each byte in turn has each other value. */
    @Test
    void everyCorruptByteHasAValue() {
        long complete = 0;
        long malformed = 0;
        for (var vector : Vectors.ALL) {
            byte[] bytes = vector.bytes().clone();
            for (int at = 0; at < bytes.length; at++) {
                for (int mask = 1; mask <= 0xff; mask++) {
                    bytes[at] ^= (byte) mask;
                    var end = walk(vector, bytes);
                    bytes[at] ^= (byte) mask;
                    complete += end.isComplete() ? 1 : 0;
                    malformed += end instanceof WalkEnd.Malformed ? 1 : 0;
                }
            }
        }
        assertTrue(complete > 0 && malformed > 0, complete + " " + malformed);
    }

    private static WalkEnd walk(Vector vector, byte[] bytes) {
        var in = new XdrReader(MemorySegment.ofArray(bytes));
        if (vector.isCall()) {
            var call = CompoundCall.walk(vector.kind(), in);
            boolean isBounded = call.longestReducedResults() instanceof ResultsBound.Bytes;
            assertTrue(call.end().isComplete() || !isBounded);
            return call.end();
        }
        return CompoundReply.walk(vector.kind(), in).end();
    }

    /** Goal: no reply is longer than its bound, as far as the call does not count. */
    @Test
    void noResultIsLongerThanItsBound() {
        for (var vector : Vectors.replies()) {
            var operations = vector.operations();
            for (int i = 0; i < operations.size(); i++) {
                long next =
                        i + 1 < operations.size()
                                ? operations.get(i + 1).position()
                                : vector.bytes().length;
                var operation =
                        Operation.of(vector.kind(), operations.get(i).number()).orElseThrow();
                long most = operation.resultsMax(NamedArguments.NONE, true).orElse(Long.MAX_VALUE);
                assertTrue(next - operations.get(i).position() <= most, operation::name);
            }
        }
    }
}
