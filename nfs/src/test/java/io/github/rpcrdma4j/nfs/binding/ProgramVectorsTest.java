package io.github.rpcrdma4j.nfs.binding;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.PlannedResults;
import io.github.rpcrdma4j.nfs.ProgramVector;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding.Plan;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Goal: the shapes of NFS versions 2 and 3, MOUNT, NLM and NSM are those of their definitions.
 * Method: messages that {@code program_vectors.py} made from the definitions of other projects.
 */
class ProgramVectorsTest {
    /** What data counts whose length a call does not limit, in bytes. */
    private static final long LONG = 1 << 20;

    private static UpperLayerBinding binding(int program, int version) {
        return NfsBindings.find(program, version).orElseThrow();
    }

    @Test
    @Tag("8267-4-1")
    @Tag("8267-4-3")
    void theEligibleItemsAreFoundAndNoOthers() {
        int items = 0;
        for (var vector : ProgramVector.ALL) {
            var found = vector.items(vector.reader());
            var positions =
                    found.stream()
                            .map(item -> List.of(item.position(), item.data().byteSize()))
                            .toList();
            assertEquals(vector.item().stream().toList(), positions, vector::line);
            items += found.size();
        }
        assertTrue(items > 20, "items: " + items);
    }

    @Test
    void everyCallIsReadToItsEnd() {
        for (var vector : ProgramVector.ALL) {
            var in = vector.reader();
            if (vector.isCall()) {
                var plan = vector.binding().plan(vector.procedure(), in);
                assertEquals(0, in.remaining(), vector::line);
                boolean isList = UNBOUNDED.contains(vector.line().substring("call ".length()));
                assertEquals(isList, plan.resultsMax().isEmpty(), vector::line);
            }
        }
    }

    @Test
    void repliesWithBulkResultsAreReadToTheirEnd() {
        for (var vector : ProgramVector.ALL) {
            boolean hasBulk = vector.binding().eligibility(vector.procedure()).results() > 0;
            if (!vector.isCall() && hasBulk) {
                var in = vector.reader();
                vector.items(in);
                assertEquals(0, in.remaining(), vector::line);
            }
        }
    }

    /** Goal: the bound holds where no argument has a part in it. */
    @Test
    void noReplyIsLongerThanItsBound() {
        var plans = new HashMap<String, Plan>();
        for (var vector : ProgramVector.ALL) {
            if (vector.isCall()) {
                plans.put(
                        vector.line().substring("call ".length()),
                        vector.binding().plan(vector.procedure(), vector.reader()));
            }
        }
        var tight = new HashSet<String>();
        for (var vector : ProgramVector.ALL) {
            var name = vector.line().substring(vector.isCall() ? 0 : "reply ".length());
            if (vector.isCall() || COUNTED.contains(name)) {
                continue;
            }
            long data = vector.item().map(item -> (item.get(1) + 3) & -4L).orElse(0L);
            var most = plans.get(name).resultsMax();
            if (most.isPresent()) {
                long length = vector.bytes().length - data;
                assertTrue(length <= most.getAsLong(), vector::line);
                if (length == most.getAsLong()) {
                    tight.add(name);
                }
            } else {
                assertTrue(UNBOUNDED.contains(name), vector::line);
            }
        }
        assertTrue(tight.size() > 50, "replies as long as their bound: " + tight.size());
    }

    /** The listing procedures: their random replies ignore the count of the call. */
    private static final Set<String> COUNTED = Set.of("100003 2 16", "100003 3 16", "100003 3 17");

    /** The lists of mounts and exports. */
    private static final Set<String> UNBOUNDED =
            Set.of("100005 1 2", "100005 1 5", "100005 1 6", "100005 3 2", "100005 3 5");

    @Test
    void everyTruncatedCallHasAValue() {
        for (var vector : ProgramVector.ALL) {
            for (int length = 0; length < vector.bytes().length; length++) {
                var part = MemorySegment.ofArray(Arrays.copyOf(vector.bytes(), length));
                var items = vector.items(new XdrReader(part));
                assertTrue(items.size() <= 1, vector::line);
            }
        }
    }

    @Test
    void everyCorruptedCallHasAValue() {
        for (var vector : ProgramVector.ALL) {
            byte[] bytes = vector.bytes().clone();
            for (int at = 0; at < bytes.length; at++) {
                byte right = bytes[at];
                for (int wrong : new int[] {0, 1, 0x7f, 0x80, 0xff}) {
                    bytes[at] = (byte) wrong;
                    var items = vector.items(new XdrReader(MemorySegment.ofArray(bytes)));
                    assertTrue(items.size() <= 1, vector::line);
                }
                bytes[at] = right;
            }
        }
    }

    /**
     * Goal: the bound that a server asks for, without a plan, is that of the plan. Where an
     * argument only selects an arm of the results, the longest arm counts.
     */
    @Test
    void theBoundOfAReplyNeedsNoPlan() {
        for (var vector : ProgramVector.ALL) {
            if (!vector.isCall()) {
                continue;
            }
            var call = MemorySegment.ofArray(vector.bytes());
            boolean hasBulk = vector.binding().eligibility(vector.procedure()).results() > 0;
            for (int end = 0; end <= vector.bytes().length; end += Integer.BYTES) {
                var bytes = call.asSlice(0, end);
                long planned =
                        new PlannedResults(vector.binding())
                                .resultsMax(vector.procedure(), new XdrReader(bytes), LONG);
                long bound =
                        vector.binding().resultsMax(vector.procedure(), new XdrReader(bytes), LONG);
                assertTrue(bound >= planned, vector::line);
                if (hasBulk) {
                    assertEquals(planned, bound, vector::line);
                }
            }
        }
    }

    /** Goal: a call that cannot be read shows no bound, and one without arguments does. */
    @Test
    void aCallThatEndsEarlyHasNoBound() {
        var read = binding(100003, 3);
        var nothing = new XdrReader(MemorySegment.ofArray(new byte[0]));
        assertEquals(OptionalLong.empty(), read.plan(6, nothing).resultsMax());
        assertEquals(OptionalLong.of(0), read.plan(0, nothing).resultsMax());
        assertEquals(Plan.UNREAD, read.plan(22, nothing));
    }

    @Test
    @Tag("8267-3.1-4")
    @Tag("8267-4.1-1")
    @Tag("8267-5.2-3")
    void onlyGetAclMayBeTriedAgainWithALongerReplyChunk() {
        for (var vector : ProgramVector.ALL) {
            if (vector.isCall()) {
                assertFalse(
                        vector.binding().plan(vector.procedure(), vector.reader()).mayTryLonger(),
                        vector::line);
            }
        }
        byte[] getAcl = HexFormat.of().parseHex("00000004" + "01020304" + "0000000f");
        var plan = binding(100227, 3).plan(1, new XdrReader(MemorySegment.ofArray(getAcl)));
        assertTrue(plan.mayTryLonger());
        assertEquals(OptionalLong.of(4 + 88 + 4 + 2 * (4 + 4) + 12 * 2048L), plan.resultsMax());
    }

    /** The layouts of these messages have no definition in XDR: their bytes are written by hand. */
    @Test
    void theShapesOfAclsReadWhatLinuxSends() {
        var setAcl =
                "00000004"
                        + "01020304" // handle
                        + "00000001"
                        + "00000001" // mask, count
                        + "00000001"
                        + "00000001"
                        + "00000000"
                        + "00000006" // the list of the file
                        + "00000000"
                        + "00000000"; // the default list
        var in = new XdrReader(MemorySegment.ofArray(HexFormat.of().parseHex(setAcl)));
        var plan = binding(100227, 3).plan(2, in);
        assertEquals(0, in.remaining());
        assertEquals(OptionalLong.of(4 + 88), plan.resultsMax());
        assertEquals(List.of(), plan.bulkArguments());
    }
}
