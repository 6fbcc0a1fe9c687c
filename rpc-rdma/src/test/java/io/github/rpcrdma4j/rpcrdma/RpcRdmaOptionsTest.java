package io.github.rpcrdma4j.rpcrdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

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
    void takesMessagesOfAtLeast1024Octets() {
        assertEquals(1024, RpcRdmaOptions.DEFAULT.withInline(1024, 1024).inlineReceive());
        refuses(() -> RpcRdmaOptions.DEFAULT.withInline(1024, 0));
        refuses(() -> RpcRdmaOptions.DEFAULT.withInline(1024, 1023));
        refuses(() -> RpcRdmaOptions.DEFAULT.withInline(512, 1024));
        refuses(() -> RpcRdmaOptions.DEFAULT.withInline(1024, 263168));
    }
}
