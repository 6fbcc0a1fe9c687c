package io.github.rpcrdma4j.iwarp.mpa;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import org.junit.jupiter.api.Test;

class ScratchPoolTest {
    @Test
    void reusesTheLastBufferCleared() {
        var pool = new ScratchPool();
        var first = pool.take();
        var second = pool.take();
        assertNotSame(first, second);
        first.bytes().position(7).limit(9);
        pool.giveBack(second);
        pool.giveBack(first);
        assertSame(first, pool.take());
        assertEquals(0, first.bytes().position());
        assertEquals(ScratchPool.BYTES, first.bytes().remaining());
    }

    @Test
    void showsTheSameBytesInEveryView() {
        var scratch = new ScratchPool().take();
        scratch.bytes().put(5, (byte) 42);
        assertEquals(42, scratch.view().get(5));
        assertEquals(42, scratch.run(1).get(5));
        assertNotSame(scratch.run(0), scratch.run(1));
        assertEquals(scratch.memory().byteSize(), scratch.bytes().capacity());
    }
}
