package io.github.rpcrdma4j.nfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class UmaskTest {
    @Test
    void readsTheUmaskOfTheProcess() {
        assertEquals(0027, Umask.ofStatus("Name:\tx\nUmask:\t0027\nState:\tR\n"));
        assertEquals(0022, Umask.ofStatus("Name:\tx\nState:\tR\n"));
    }
}
