package io.github.rpcrdma4j.rpcrdma.v2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.rpcrdma.v2.options.Version2.TransferPolicy;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2.Transmissions;
import org.junit.jupiter.api.Test;

class TransmissionsTest {
    private static Transmissions of(int segments, int segmentBytes) {
        return new Transmissions(8, 8, segments, segmentBytes, TransferPolicy.PLACED);
    }

    @Test
    void theSegmentsOfAReceiveHaveAtMost16MebibytesTogether() {
        assertEquals(16 << 20, of(64, 256 << 10).placementBytes());
        assertEquals(16 << 20, of(1, 16 << 20).placementBytes());
        for (int segmentBytes : new int[] {(256 << 10) + 4, 64 << 20, Integer.MAX_VALUE - 3}) {
            assertThrows(IllegalArgumentException.class, () -> of(64, segmentBytes));
        }
    }
}
