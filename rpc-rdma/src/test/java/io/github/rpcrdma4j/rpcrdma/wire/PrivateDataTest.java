package io.github.rpcrdma4j.rpcrdma.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.rpcrdma.connection.ConnectionParameters;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class PrivateDataTest {
    private static final PrivateData LARGE = new PrivateData(true, 4096, 65536);
    private static final PrivateData EXTREME = new PrivateData(false, 1024, 262144);

    @Test
    @Tag("8797-4-4")
    @Tag("8797-4-5")
    void encodesAndFindsTheGoldenExamples() {
        assertArrayEquals(Golden.bytes("EX-31"), LARGE.encode());
        assertArrayEquals(Golden.bytes("EX-32"), EXTREME.encode());
        assertEquals(Optional.of(LARGE), PrivateData.find(Golden.bytes("EX-31")));
        assertEquals(Optional.of(EXTREME), PrivateData.find(Golden.bytes("EX-32")));
    }

    @Test
    @Tag("8797-5.2-1")
    @Tag("8797-4-5")
    void findsItBehindOtherBytesAndAFalseStart() {
        assertEquals(
                Optional.of(new PrivateData(true, 4096, 4096)),
                PrivateData.find(Golden.bytes("EX-33")));
    }

    @Test
    @Tag("8797-5.2-2")
    @Tag("8797-5.2-3")
    @Tag("8797-6-1")
    void ignoresAnotherVersionAndACutOffOne() {
        assertEquals(Optional.empty(), PrivateData.find(Golden.bytes("EX-34")));
        assertEquals(Optional.empty(), PrivateData.find(Golden.bytes("EX-35")));
        assertEquals(Optional.empty(), PrivateData.find(new byte[0]));
    }

    @Test
    void searchesBehindAnUnknownVersion() {
        byte[] both = Arrays.copyOf(Golden.bytes("EX-34"), 16);
        System.arraycopy(Golden.bytes("EX-31"), 0, both, 8, 8);
        assertEquals(Optional.of(LARGE), PrivateData.find(both));
    }

    @Test
    @Tag("8797-4.2-1")
    @Tag("8797-4.2-2")
    void carriesEverySizeThatCanBeEncoded() {
        for (int size = 1024; size <= 262144; size += 1024) {
            var data = new PrivateData(false, size, 263168 - size);
            assertEquals(Optional.of(data), PrivateData.find(data.encode()));
        }
        for (int size : new int[] {0, 1023, 1025, 263168, -1024}) {
            assertThrows(IllegalArgumentException.class, () -> new PrivateData(false, size, 1024));
        }
    }

    @Test
    void survivesEveryTruncationAndCorruption() {
        byte[] bytes = Golden.bytes("EX-33");
        for (int at = 0; at < bytes.length; at++) {
            assertNotNull(PrivateData.find(Arrays.copyOf(bytes, at)));
            for (int value = 0; value < 256; value++) {
                byte[] corrupt = bytes.clone();
                corrupt[at] = (byte) value;
                assertNotNull(PrivateData.find(corrupt));
            }
        }
    }

    @Test
    @Tag("8166-3.3.2-1")
    @Tag("8166-3.3.3-3")
    @Tag("8797-4-1")
    @Tag("8797-4-2")
    @Tag("8797-4.2-3")
    @Tag("8797-4.2-4")
    @Tag("8797-4.2-5")
    @Tag("8797-5.1-1")
    @Tag("8166-3.3.2-2")
    @Tag("8797-1-1")
    void agreesOnTheSmallerOfSendAndReceive() {
        var own = new PrivateData(true, 4096, 16384);
        assertEquals(
                new ConnectionParameters(4096, 4096, true),
                ConnectionParameters.ofRequester(own, LARGE.encode()));
        assertEquals(
                new ConnectionParameters(4096, 4096, true),
                ConnectionParameters.ofResponder(own, LARGE.encode()));
        assertEquals(
                new ConnectionParameters(1024, 1024, false),
                ConnectionParameters.ofRequester(own, new byte[4]));
        assertEquals(
                new ConnectionParameters(4096, 1024, false),
                ConnectionParameters.ofRequester(own, EXTREME.encode()));
    }
}
