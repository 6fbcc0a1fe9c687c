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
        assertEquals(1, RpcRdmaOptions.DEFAULT.toBuilder().credits(1).build().credits());
        refuses(() -> RpcRdmaOptions.DEFAULT.toBuilder().credits(0).build());
        refuses(() -> RpcRdmaOptions.DEFAULT.toBuilder().credits(-1).build());
        refuses(() -> RpcRdmaOptions.DEFAULT.toBuilder().callBackCredits(0).build());
        refuses(() -> RpcRdmaOptions.DEFAULT.toBuilder().callBackCredits(16385).build());
    }

    @Test
    @Tag("8166-3.3.3-2")
    void takesMessagesOfAtLeast1024Bytes() {
        assertEquals(
                1024,
                RpcRdmaOptions.DEFAULT.toBuilder()
                        .inlineSend(1024)
                        .inlineReceive(1024)
                        .build()
                        .inlineReceive());
        refuses(() -> RpcRdmaOptions.DEFAULT.toBuilder().inlineSend(1024).inlineReceive(0).build());
        refuses(
                () ->
                        RpcRdmaOptions.DEFAULT.toBuilder()
                                .inlineSend(1024)
                                .inlineReceive(1023)
                                .build());
        refuses(
                () ->
                        RpcRdmaOptions.DEFAULT.toBuilder()
                                .inlineSend(512)
                                .inlineReceive(1024)
                                .build());
        refuses(
                () ->
                        RpcRdmaOptions.DEFAULT.toBuilder()
                                .inlineSend(1024)
                                .inlineReceive(263168)
                                .build());
    }

    @Test
    void wantsLimitsOfAPeerThatLeaveRoomForOneCall() {
        var options = RpcRdmaOptions.DEFAULT;
        long least = options.sizes().largestCall() + options.sizes().receiveMemory();
        var second = Duration.ofSeconds(1);
        options.toBuilder()
                .peerLimits(new PeerLimits(1, 1, least, second, second))
                .build()
                .requireRoomForAClient();
        var tooLittle =
                options.toBuilder()
                        .peerLimits(new PeerLimits(1, 1, least - 1, second, second))
                        .build();
        assertThrows(IllegalArgumentException.class, tooLittle::requireRoomForAClient);
        assertThrows(
                IllegalArgumentException.class, () -> new PeerLimits(0, 1, least, second, second));
        assertThrows(
                IllegalArgumentException.class,
                () -> new PeerLimits(1, 1, least, Duration.ZERO, second));
    }
}
