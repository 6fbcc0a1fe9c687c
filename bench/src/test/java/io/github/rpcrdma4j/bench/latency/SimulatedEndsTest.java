package io.github.rpcrdma4j.bench.latency;

import static io.github.rpcrdma4j.bench.latency.TransferModel.CHEAPEST;
import static io.github.rpcrdma4j.bench.latency.TransferModel.CONTINUED;
import static io.github.rpcrdma4j.bench.latency.TransferModel.DATA_CHUNK;
import static io.github.rpcrdma4j.bench.latency.TransferModel.FETCHED;
import static io.github.rpcrdma4j.bench.latency.TransferModel.ONE_SEND;
import static io.github.rpcrdma4j.bench.latency.TransferModel.PLACED;
import static io.github.rpcrdma4j.bench.latency.TransferModel.READ_LIST;
import static io.github.rpcrdma4j.bench.latency.TransferModel.REPLY_CHUNK;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/**
 * Goal: the costs of each model are counted exactly, at any distance. Method: real ends in a
 * simulated world.
 */
class SimulatedEndsTest {
    private static final long NEAR = 20_000;
    private static final long FAR = 10_000_000;

    private final MemorySegment memory = Arena.ofAuto().allocate(Transfer.LONGEST);

    private CallCosts costs(TransferModel model, Transfer transfer, long delay) throws Exception {
        try (var ends = new SimulatedEnds(model, delay)) {
            return ends.measure(transfer, memory);
        }
    }

    @Test
    void countsTheModelsOfVersion1() throws Exception {
        assertEquals(new CallCosts(1, 2, 0, 0, 0, 0), costs(ONE_SEND, Transfer.WRITE_64K, NEAR));
        assertEquals(new CallCosts(1, 2, 1, 0, 1, 0), costs(DATA_CHUNK, Transfer.READ_8K, NEAR));
        assertEquals(new CallCosts(2, 2, 0, 1, 1, 0), costs(DATA_CHUNK, Transfer.WRITE_8K, NEAR));
        assertEquals(new CallCosts(1, 2, 1, 0, 1, 0), costs(REPLY_CHUNK, Transfer.READ_64K, NEAR));
        assertEquals(new CallCosts(1, 2, 0, 0, 1, 0), costs(REPLY_CHUNK, Transfer.REPLY_100, NEAR));
        assertEquals(new CallCosts(2, 3, 0, 1, 0, 1), costs(READ_LIST, Transfer.REPLY_40K, NEAR));
        assertEquals(new CallCosts(1, 2, 0, 0, 0, 0), costs(READ_LIST, Transfer.REPLY_100, NEAR));
    }

    /** Goal: a bulk WRITE takes one round trip and no registration. */
    @Test
    void countsTheModelsOfVersion2() throws Exception {
        assertEquals(new CallCosts(1, 18, 0, 0, 0, 0), costs(CONTINUED, Transfer.WRITE_64K, NEAR));
        assertEquals(new CallCosts(1, 2, 0, 0, 0, 0), costs(PLACED, Transfer.WRITE_8K, NEAR));
        assertEquals(new CallCosts(1, 9, 0, 0, 0, 0), costs(PLACED, Transfer.WRITE_64K, NEAR));
        assertEquals(new CallCosts(1, 9, 0, 0, 0, 0), costs(PLACED, Transfer.READ_64K, NEAR));
        assertEquals(new CallCosts(1, 12, 0, 0, 1, 0), costs(CONTINUED, Transfer.REPLY_40K, NEAR));
        assertEquals(1, costs(CHEAPEST, Transfer.WRITE_64K, FAR).roundTrips());
    }

    /** Goal: a small reply of unknown length needs no registration. */
    @Test
    void countsRepliesThatAreFetched() throws Exception {
        assertEquals(new CallCosts(1, 2, 0, 0, 0, 0), costs(FETCHED, Transfer.REPLY_100, NEAR));
        assertEquals(new CallCosts(2, 4, 0, 1, 0, 1), costs(FETCHED, Transfer.REPLY_40K, NEAR));
        assertEquals(new CallCosts(1, 5, 0, 0, 0, 0), costs(CHEAPEST, Transfer.REPLY_40K, NEAR));
    }

    private static boolean choosesByItself(TransferModel model) {
        return model == CHEAPEST;
    }

    @Test
    void costsDoNotDependOnDistance() throws Exception {
        for (var model : TransferModel.values()) {
            for (var transfer : Transfer.values()) {
                if (model.moves(transfer) && !choosesByItself(model)) {
                    assertEquals(costs(model, transfer, NEAR), costs(model, transfer, FAR));
                }
            }
        }
    }

    @Test
    void hasSeveralModelsForEachTransfer() {
        for (var transfer : Transfer.values()) {
            assertTrue(
                    Arrays.stream(TransferModel.values())
                                    .filter(model -> model.moves(transfer))
                                    .count()
                            > 1,
                    transfer::words);
        }
    }
}
