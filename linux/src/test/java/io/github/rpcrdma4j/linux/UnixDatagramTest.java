package io.github.rpcrdma4j.linux;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: what is sent arrives at the socket of that name. Method: sockets of the C library. */
class UnixDatagramTest {
    private static final int AF_UNIX = 1;
    private static final int SOCK_DGRAM = 2;
    private static final int MSG_DONTWAIT = 0x40;
    private static final int ENOENT = 2;
    private static final byte[] MESSAGE = "READY=1\nSTATUS=a".getBytes(StandardCharsets.UTF_8);

    @TempDir private Path directory;

    @SuppressWarnings("restricted")
    private static long function(String name, FunctionDescriptor signature, Object... arguments)
            throws Throwable {
        var linker = Linker.nativeLinker();
        var address = linker.defaultLookup().find(name).orElseThrow();
        return ((Number) linker.downcallHandle(address, signature).invokeWithArguments(arguments))
                .longValue();
    }

    /** Returns what a socket of a name receives when something is sent to it. */
    private static byte[] received(byte[] name, String address) throws Throwable {
        var word = ValueLayout.JAVA_INT;
        var pointer = ValueLayout.ADDRESS;
        var size = ValueLayout.JAVA_LONG;
        try (var arena = Arena.ofConfined()) {
            int socket =
                    (int)
                            function(
                                    "socket",
                                    FunctionDescriptor.of(word, word, word, word),
                                    AF_UNIX,
                                    SOCK_DGRAM,
                                    0);
            var own = arena.allocate(2 + name.length);
            own.set(ValueLayout.JAVA_SHORT, 0, (short) AF_UNIX);
            MemorySegment.copy(name, 0, own, ValueLayout.JAVA_BYTE, 2, name.length);
            var bind = FunctionDescriptor.of(word, word, pointer, word);
            assertEquals(0, function("bind", bind, socket, own, (int) own.byteSize()));
            assertEquals(0, UnixDatagram.send(address, MESSAGE));
            var buffer = arena.allocate(UnixDatagram.MESSAGE_MAX);
            var receive = FunctionDescriptor.of(size, word, pointer, size, word);
            long length =
                    function("recv", receive, socket, buffer, buffer.byteSize(), MSG_DONTWAIT);
            function("close", FunctionDescriptor.of(word, word), socket);
            return buffer.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
        }
    }

    @Test
    void reachesTheSocketOfAPath() throws Throwable {
        var path = directory.resolve("notify").toString();
        assertArrayEquals(MESSAGE, received((path + "\0").getBytes(), path));
    }

    @Test
    void reachesASocketOfTheAbstractNamespace() throws Throwable {
        var name = "rpcrdma4j-" + directory.getFileName();
        assertArrayEquals(MESSAGE, received(("\0" + name).getBytes(), "@" + name));
    }

    @Test
    void reportsThatThereIsNoSuchSocket() {
        assertEquals(-ENOENT, UnixDatagram.send(directory.resolve("none").toString(), MESSAGE));
    }

    @Test
    void refusesAddressesAndMessagesWithoutRoom() {
        var path = directory + "/" + "x".repeat(108);
        assertThrows(IllegalArgumentException.class, () -> UnixDatagram.send(path, MESSAGE));
        assertThrows(IllegalArgumentException.class, () -> UnixDatagram.send("", MESSAGE));
        byte[] longer = new byte[UnixDatagram.MESSAGE_MAX + 1];
        assertThrows(IllegalArgumentException.class, () -> UnixDatagram.send("/x", longer));
    }
}
