package io.github.rpcrdma4j.rdmacore.library;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

class SocketAddressesTest {
    @Test
    void readsWhatItWrites() throws Exception {
        for (var host : new String[] {"192.0.2.1", "2001:db8::1", "::1"}) {
            for (int port : new int[] {0, 1, 20049, 65535}) {
                var address = new InetSocketAddress(InetAddress.getByName(host), port);
                try (var arena = Arena.ofConfined()) {
                    long at = arena.allocate(SocketAddresses.SIZE, 8).address();
                    SocketAddresses.write(address, at);
                    assertEquals(address, SocketAddresses.read(at));
                }
            }
        }
    }

    /**
     * The expected bytes are those of ip(7): family, port and address, the last two as on the wire.
     */
    @Test
    void writesTheStructureOfC() throws Exception {
        var address = new InetSocketAddress(InetAddress.getByName("192.0.2.1"), 20049);
        byte[] expected =
                ByteBuffer.allocate(SocketAddresses.SIZE)
                        .order(ByteOrder.nativeOrder())
                        .putShort((short) 2)
                        .order(ByteOrder.BIG_ENDIAN)
                        .putShort((short) 20049)
                        .put(new byte[] {(byte) 192, 0, 2, 1})
                        .array();
        try (var arena = Arena.ofConfined()) {
            long at = arena.allocate(SocketAddresses.SIZE, 8).address();
            SocketAddresses.write(address, at);
            assertArrayEquals(expected, Memory.bytes(at, SocketAddresses.SIZE));
        }
    }
}
