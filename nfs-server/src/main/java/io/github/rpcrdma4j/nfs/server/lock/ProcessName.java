package io.github.rpcrdma4j.nfs.server.lock;

import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/**
 * An owner of locks of a host. In the table of locks, which has the locks of all versions, its name
 * is {@code PROCESS:OWNER}, with the number in decimal.
 *
 * @param process the number that the host gives
 * @param owner what else names it
 */
record ProcessName(int process, OpaqueName owner) {
    private static final int DIGITS_MAX = 10;

    /** The most bytes of the owner, which a lock that waits keeps twice. */
    static final int OWNER_MAX = 512;

    /** Returns the name in the table. */
    OpaqueName inTable() {
        var number = Integer.toUnsignedString(process) + ':';
        byte[] start = number.getBytes(StandardCharsets.US_ASCII);
        byte[] end = owner.bytes();
        byte[] all = Arrays.copyOf(start, start.length + end.length);
        System.arraycopy(end, 0, all, start.length, end.length);
        return OpaqueName.of(all);
    }

    /**
     * Returns the owner of a lock in the table. Owners of version 4 have the number 0 and their
     * whole name, unless it looks like one of a host.
     */
    static ProcessName of(OpaqueName inTable) {
        byte[] bytes = inTable.bytes();
        int colon = 0;
        while (colon < bytes.length && colon <= DIGITS_MAX && bytes[colon] != ':') {
            colon++;
        }
        var number = number(bytes, colon);
        if (number.isEmpty() || colon == bytes.length) {
            return new ProcessName(0, inTable);
        }
        var owner = OpaqueName.of(Arrays.copyOfRange(bytes, colon + 1, bytes.length));
        return new ProcessName(number.get(), owner);
    }

    private static Optional<Integer> number(byte[] bytes, int length) {
        try {
            var text = new String(bytes, 0, length, StandardCharsets.US_ASCII);
            return Optional.of(Integer.parseUnsignedInt(text));
        } catch (NumberFormatException _) {
            return Optional.empty();
        }
    }
}
