package io.github.rpcrdma4j.bench.latency;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/**
 * Goal: the costs of each way are counted exactly, at any distance. Method: real ends in a
 * simulated world.
 */
class DistantEndsTest {
    private static final long NEAR = 20_000;
    private static final long FAR = 10_000_000;

    private final MemorySegment memory = Arena.ofAuto().allocate(Transfer.LONGEST);

    private Trips trips(Way way, Transfer transfer, long delay) throws Exception {
        try (var ends = new DistantEnds(way, delay)) {
            return ends.measure(transfer, memory);
        }
    }

    @Test
    void countsTheWaysOfVersion1() throws Exception {
        assertEquals(new Trips(1, 2, 0, 0, 0, 0), trips(Way.ONE_SEND, Transfer.WRITE_64K, NEAR));
        assertEquals(new Trips(1, 2, 1, 0, 1, 0), trips(Way.DATA_CHUNK, Transfer.READ_8K, NEAR));
        assertEquals(new Trips(2, 2, 0, 1, 1, 0), trips(Way.DATA_CHUNK, Transfer.WRITE_8K, NEAR));
        assertEquals(new Trips(1, 2, 1, 0, 1, 0), trips(Way.REPLY_CHUNK, Transfer.READ_64K, NEAR));
        assertEquals(new Trips(1, 2, 0, 0, 1, 0), trips(Way.REPLY_CHUNK, Transfer.REPLY_100, NEAR));
        assertEquals(new Trips(2, 3, 0, 1, 0, 1), trips(Way.READ_LIST, Transfer.REPLY_40K, NEAR));
        assertEquals(new Trips(1, 2, 0, 0, 0, 0), trips(Way.READ_LIST, Transfer.REPLY_100, NEAR));
    }

    /** Goal: a bulk WRITE takes one round trip and no registration. */
    @Test
    void countsTheWaysOfVersion2() throws Exception {
        assertEquals(new Trips(1, 18, 0, 0, 0, 0), trips(Way.CONTINUED, Transfer.WRITE_64K, NEAR));
        assertEquals(new Trips(1, 2, 0, 0, 0, 0), trips(Way.PLACED, Transfer.WRITE_8K, NEAR));
        assertEquals(new Trips(1, 9, 0, 0, 0, 0), trips(Way.PLACED, Transfer.WRITE_64K, NEAR));
        assertEquals(new Trips(1, 9, 0, 0, 0, 0), trips(Way.PLACED, Transfer.READ_64K, NEAR));
        assertEquals(new Trips(1, 12, 0, 0, 1, 0), trips(Way.CONTINUED, Transfer.REPLY_40K, NEAR));
        assertEquals(1, trips(Way.CHEAPEST, Transfer.WRITE_64K, FAR).roundTrips());
    }

    /** Goal: a small reply of unknown length needs no registration. */
    @Test
    void countsRepliesThatAreFetched() throws Exception {
        assertEquals(new Trips(1, 2, 0, 0, 0, 0), trips(Way.FETCHED, Transfer.REPLY_100, NEAR));
        assertEquals(new Trips(2, 4, 0, 1, 0, 1), trips(Way.FETCHED, Transfer.REPLY_40K, NEAR));
        assertEquals(new Trips(1, 5, 0, 0, 0, 0), trips(Way.CHEAPEST, Transfer.REPLY_40K, NEAR));
    }

    private static boolean choosesByItself(Way way) {
        return way == Way.CHEAPEST;
    }

    @Test
    void findsTheSameAtAnyDistance() throws Exception {
        for (var way : Way.values()) {
            for (var transfer : Transfer.values()) {
                if (way.moves(transfer) && !choosesByItself(way)) {
                    assertEquals(trips(way, transfer, NEAR), trips(way, transfer, FAR));
                }
            }
        }
    }

    @Test
    void hasSeveralWaysForEachTransfer() {
        for (var transfer : Transfer.values()) {
            assertTrue(
                    Arrays.stream(Way.values()).filter(way -> way.moves(transfer)).count() > 1,
                    transfer::words);
        }
    }
}
