package io.github.rpcrdma4j.rpcrdma.requester;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding.Eligibility;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding.Pairing;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionParameters;
import io.github.rpcrdma4j.rpcrdma.requester.CallPlan.ReplyOffer;
import io.github.rpcrdma4j.xdr.BulkItem;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Method: inline thresholds of 1024 bytes. Of these an empty transport header takes 28, and an RPC
 * reply header 24.
 */
class CallPlanTest {
    private static final ConnectionParameters PARAMETERS =
            new ConnectionParameters(1024, 1024, false);
    private static final long WHOLE = 1 << 30;
    private static final Eligibility ALL = new Eligibility(8, 8);

    private static MemorySegment memory(int length) {
        return MemorySegment.ofArray(new byte[length]);
    }

    private static RpcCall call(long resultsMax, int... targets) {
        var memory = Arrays.stream(targets).mapToObj(CallPlanTest::memory).toList();
        return new RpcCall(1, 1, 1, _ -> {}, resultsMax, memory);
    }

    private static CallPlan reply(Eligibility eligible, long resultsMax, int... targets) {
        return CallPlan.plan(
                call(resultsMax, targets),
                0,
                eligible,
                40,
                List.of(),
                PARAMETERS,
                WHOLE,
                ReplyOffer.ALL);
    }

    private static CallPlan arguments(Eligibility eligible, long stream, int... lengths) {
        var items =
                Arrays.stream(lengths)
                        .mapToObj(length -> new BulkItem(stream, memory(length)))
                        .toList();
        return CallPlan.plan(
                call(0), 0, eligible, stream, items, PARAMETERS, WHOLE, ReplyOffer.ALL);
    }

    /** Goal: {@link CallPlan#isShort} agrees with the complete plan. */
    @Test
    void knowsShortCalls() {
        for (int results = 0; results < 2000; results += 4) {
            for (int verifier : new int[] {0, 40}) {
                for (int stream : new int[] {40, 996, 1000}) {
                    var plan =
                            CallPlan.plan(
                                    call(results),
                                    verifier,
                                    ALL,
                                    stream,
                                    List.of(),
                                    PARAMETERS,
                                    WHOLE,
                                    ReplyOffer.ALL);
                    assertEquals(
                            !plan.longCall() && plan.replyChunkBytes() == 0,
                            CallPlan.isShort(results, verifier, stream, PARAMETERS));
                }
            }
        }
    }

    /** Goal: {@link CallPlan#isShort} also agrees for bulk data. Method: lengths at the limit. */
    @Test
    void knowsShortCallsWithBulkData() {
        for (int length = 900; length < 1000; length++) {
            for (int verifier : new int[] {0, 40}) {
                var target = call(8, length);
                var read =
                        CallPlan.plan(
                                target,
                                verifier,
                                ALL,
                                40,
                                List.of(),
                                PARAMETERS,
                                WHOLE,
                                ReplyOffer.ALL);
                long bulk = CallPlan.paddedBytes(target.resultTargets());
                assertEquals(
                        !read.offersWriteChunks() && read.replyChunkBytes() == 0,
                        CallPlan.isShort(8 + bulk, verifier, 40, PARAMETERS));
                var write = arguments(ALL, 40, length);
                assertEquals(
                        !write.longCall() && write.reducedItems() == 0,
                        CallPlan.isShort(0, 0, 40 + XdrWriter.roundUp(length), PARAMETERS));
            }
        }
    }

    @Test
    @Tag("8166-3.5.3-4")
    @Tag("8166-4.3.3-1")
    @Tag("8166-6.2-1")
    @Tag("8267-3-1")
    @Tag("5666-5.2-1")
    void offersAReplyChunkOnlyWhenTheLargestReplyExceedsTheThreshold() {
        assertEquals(0, reply(ALL, 1024 - 28 - 24).replyChunkBytes());
        // The chunk holds the RPC message: its header, and the results with their padding.
        assertEquals(24 + 976, reply(ALL, 1024 - 28 - 24 + 1).replyChunkBytes());
    }

    @Test
    @Tag("5666-3.4-6")
    @Tag("8166-4.3.2.3-1")
    @Tag("8267-3-1")
    @Tag("5666-3.4-4")
    void leavesSmallResultsInTheStream() {
        assertEquals(plan(0, false, false, 0, 28, 40), reply(ALL, 104, 1024 - 28 - 24 - 104));
        assertEquals(
                plan(0, false, true, 0, 28 + 24, 40), reply(ALL, 104, 1024 - 28 - 24 - 104 + 1));
    }

    @Test
    @Tag("8166-4.3.3-1")
    @Tag("8267-3-1")
    void countsTheReturnedWriteListAsPartOfTheReply() {
        assertEquals(0, reply(ALL, 1024 - 28 - 24 - 24, 8192).replyChunkBytes());
        assertEquals(
                plan(0, false, true, 24 + 952, 28 + 24 + 20, 40),
                reply(ALL, 1024 - 28 - 24 - 24 + 1, 8192));
    }

    @Test
    @Tag("8166-4.3.2-1")
    void takesResultsThatMayNotBeReducedByReplyChunk() {
        assertEquals(
                plan(0, false, false, 24 + 104 + 8192, 28 + 20, 40),
                reply(Eligibility.NONE, 104, 8192));
        assertEquals(
                24 + 104 + 2 * 8192,
                reply(new Eligibility(0, 1), 104, 8192, 8192).replyChunkBytes());
    }

    @Test
    void cutsChunksWhereAProviderEndsARegion() {
        var plan =
                CallPlan.plan(
                        call(104, 8193), 0, ALL, 40, List.of(), PARAMETERS, 4096, ReplyOffer.ALL);
        assertEquals(28 + 8 + 3 * 16, plan.headerBytes());
    }

    @Test
    @Tag("8166-3.3.2-1")
    @Tag("8166-4.3.1-1")
    void leavesArgumentsThatFitInTheStream() {
        assertEquals(plan(0, false, false, 0, 28, 996), arguments(ALL, 96, 899));
        assertEquals(plan(1, false, false, 0, 52, 96), arguments(ALL, 96, 901));
    }

    @Test
    @Tag("8166-3.5.2-1")
    void reducesNoMoreArgumentsThanItMust() {
        assertEquals(plan(1, false, false, 0, 52, 196), arguments(ALL, 96, 4093, 100));
        assertEquals(plan(2, false, false, 0, 76, 96), arguments(ALL, 96, 4093, 1024));
    }

    @Test
    @Tag("8166-3.4.2-1")
    @Tag("8166-3.5.3-1")
    @Tag("5666-4-1")
    void movesWhatIsStillTooLongAsALongCall() {
        assertEquals(plan(0, false, false, 0, 28, 996), arguments(ALL, 996));
        assertEquals(plan(0, true, false, 0, 52, 1000), arguments(ALL, 1000));
        assertEquals(plan(0, true, false, 0, 52, 96 + 4096), arguments(Eligibility.NONE, 96, 4093));
    }

    @Test
    void offersNoDataChunkBesideAPositionZeroReadChunk() {
        assertEquals(plan(0, true, false, 0, 52, 1000 + 4096), arguments(ALL, 1000, 4093));
    }

    @Test
    void makesNoEntryForAnEmptyArgument() {
        assertEquals(plan(2, false, false, 0, 52, 96), arguments(ALL, 96, 0, 4093));
    }

    @Test
    @Tag("8166-4.5.4-1")
    void refusesChunkListsThatExceedTheThreshold() {
        var call = call(104, 1 << 20);
        assertThrows(
                IllegalArgumentException.class,
                () -> CallPlan.plan(call, 0, ALL, 40, List.of(), PARAMETERS, 4096, ReplyOffer.ALL));
    }

    /** Returns a plan without fetched results, as in RFC 8166. */
    private static CallPlan plan(
            int reduced,
            boolean isLong,
            boolean writes,
            long replyChunk,
            int header,
            long message) {
        return new CallPlan(
                reduced, isLong, writes, replyChunk, 0, header, message, Pairing.SLIDING);
    }

    @Test
    @Tag("5666-3.4-5")
    void offersNothingWhereResultsAreFetched() {
        var plan = fetched(call(8, 5000));
        assertEquals(
                new CallPlan(0, false, false, 0, 24 + 8 + 5000, 28, 48, Pairing.SLIDING), plan);
        assertEquals(0, fetched(call(8, 8)).unofferedBytes());
    }

    private static CallPlan fetched(RpcCall call) {
        return CallPlan.plan(
                call,
                0,
                new Eligibility(0, 1),
                48,
                List.of(),
                PARAMETERS,
                1 << 20,
                ReplyOffer.NOTHING);
    }

    @Test
    @Tag("5666-6.2-7")
    void needsNoRdmaReadOfAPeerThatAnswersNone() {
        var parameters = new ConnectionParameters(1024, 1024, false).withReadsMax(0);
        var eligible = new Eligibility(1, 1);
        assertThrows(
                IllegalArgumentException.class,
                () ->
                        CallPlan.plan(
                                call(8),
                                0,
                                eligible,
                                2000,
                                List.of(),
                                parameters,
                                1 << 20,
                                ReplyOffer.ALL));
    }
}
