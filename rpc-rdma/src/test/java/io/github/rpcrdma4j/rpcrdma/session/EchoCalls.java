package io.github.rpcrdma4j.rpcrdma.session;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;

/**
 * Makes calls to an {@link EchoProgram} and checks their results.
 *
 * @param timeout the timeout of each call
 */
public record EchoCalls(RpcRdmaClient client, Duration timeout) {
    /** Sends a bulk argument, and checks that it arrived. */
    public void store(MemorySegment data) throws Exception {
        int size = (int) data.byteSize();
        try (var reply = client.call(EchoProgram.store(size, data), timeout)) {
            assertEquals(size, reply.results().uint32());
            assertEquals(EchoProgram.sum(data), reply.results().uint64());
            reply.results().finish();
        }
    }

    /** Fetches a bulk result as long as its target, and checks it. */
    public void fetch(int seed, MemorySegment target) throws Exception {
        int size = (int) target.byteSize();
        try (var reply = client.call(EchoProgram.fetch(size, seed, target), timeout)) {
            assertEquals(size, reply.results().uint32());
            assertArrayEquals(
                    EchoProgram.pattern(size, seed),
                    reply.results().bulk(size).toArray(ValueLayout.JAVA_BYTE));
            reply.results().finish();
        }
    }

    /** Sends a bulk argument, and checks that it comes back as a bulk result. */
    public void swap(MemorySegment data, MemorySegment target) throws Exception {
        try (var reply = client.call(EchoProgram.swap(data, target), timeout)) {
            assertArrayEquals(
                    data.toArray(ValueLayout.JAVA_BYTE),
                    reply.results().bulk(data.byteSize()).toArray(ValueLayout.JAVA_BYTE));
            reply.results().finish();
        }
    }
}
