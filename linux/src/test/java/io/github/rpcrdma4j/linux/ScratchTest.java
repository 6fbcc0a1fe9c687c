package io.github.rpcrdma4j.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class ScratchTest {
    @Test
    void writesThePathOfADescriptor() {
        var scratch = new Scratch();
        for (int descriptor : new int[] {0, 7, 10, 99, 100, 65_535, Integer.MAX_VALUE}) {
            long at = scratch.selfDescriptor(descriptor);
            assertEquals(scratch.address + Scratch.SELF_DESCRIPTOR, at);
            assertEquals(
                    "/proc/self/fd/" + descriptor,
                    scratch.memory.getString(Scratch.SELF_DESCRIPTOR));
        }
    }
}
