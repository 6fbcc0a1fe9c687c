package io.github.rpcrdma4j.rpcrdma.options;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class RpcRdmaOptionsTest {
    private static void refuses(Runnable options) {
        assertThrows(IllegalArgumentException.class, options::run);
    }

    @Test
    @Tag("5666-3.3-2")
    @Tag("8166-3.3.1-3")
    void grantsAtLeastOneCredit() {
        assertEquals(1, RpcRdmaOptions.DEFAULT.withCredits(1).credits());
        refuses(() -> RpcRdmaOptions.DEFAULT.withCredits(0));
        refuses(() -> RpcRdmaOptions.DEFAULT.withCredits(-1));
        refuses(() -> RpcRdmaOptions.DEFAULT.withReverseCredits(0));
        refuses(() -> RpcRdmaOptions.DEFAULT.withReverseCredits(16385));
    }

    @Test
    @Tag("8166-3.3.3-2")
    void takesMessagesOfAtLeast1024Bytes() {
        assertEquals(1024, RpcRdmaOptions.DEFAULT.withInline(1024, 1024).inlineReceive());
        refuses(() -> RpcRdmaOptions.DEFAULT.withInline(1024, 0));
        refuses(() -> RpcRdmaOptions.DEFAULT.withInline(1024, 1023));
        refuses(() -> RpcRdmaOptions.DEFAULT.withInline(512, 1024));
        refuses(() -> RpcRdmaOptions.DEFAULT.withInline(1024, 263168));
    }

    @Test
    void wantsLimitsOfAPeerThatLeaveRoomForOneCall() {
        var options = RpcRdmaOptions.DEFAULT;
        long least = options.sizes().largestCall() + options.sizes().receiveMemory();
        var second = Duration.ofSeconds(1);
        options.withPeerLimits(new PeerLimits(1, 1, least, second, second)).requireRoomForAClient();
        var tooLittle = options.withPeerLimits(new PeerLimits(1, 1, least - 1, second, second));
        assertThrows(IllegalArgumentException.class, tooLittle::requireRoomForAClient);
        assertThrows(
                IllegalArgumentException.class, () -> new PeerLimits(0, 1, least, second, second));
        assertThrows(
                IllegalArgumentException.class,
                () -> new PeerLimits(1, 1, least, Duration.ZERO, second));
    }
}
