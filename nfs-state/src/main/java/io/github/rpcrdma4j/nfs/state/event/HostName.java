package io.github.rpcrdma4j.nfs.state.event;

import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.oncrpc.KeyedHash;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/**
 * A host that locks files by NLM. Its address alone is believed: hosts at one address are told
 * apart by the names that they give themselves.
 *
 * <p>Among the names of clients it is {@code NLM host ADDRESS NAME}. No client of version 4 can
 * take such a name.
 *
 * @param address as text, without spaces; of a user of this machine, {@value #OF_USER} and a text
 *     for the user follow
 * @param name what it calls itself
 */
public record HostName(String address, OpaqueName name) {
    /** The most bytes of the name of a host. */
    public static final int NAME_MAX = 255;

    /** What separates an address and a user. */
    public static final String OF_USER = ",";

    /** The most bytes of the text of an address. */
    private static final int ADDRESS_MAX = 64;

    private static final byte[] PREFIX = "NLM host ".getBytes(StandardCharsets.US_ASCII);

    /**
     * @throws IllegalArgumentException if a name is too long, or if the text is no address
     */
    public HostName {
        boolean isAddress = !address.isEmpty() && address.indexOf(' ') < 0;
        if (!isAddress || address.length() > ADDRESS_MAX || name.bytes().length > NAME_MAX) {
            throw new IllegalArgumentException("no name of a host");
        }
    }

    /** Returns the name of a host at an address; nothing if the name is too long. */
    public static Optional<HostName> at(String address, OpaqueName name) {
        return name.bytes().length > NAME_MAX
                ? Optional.empty()
                : Optional.of(new HostName(address, name));
    }

    /** Returns the text of the address alone. */
    public String networkAddress() {
        int end = address.indexOf(OF_USER);
        return end < 0 ? address : address.substring(0, end);
    }

    @Override
    public int hashCode() {
        return KeyedHash.of(KeyedHash.of(address), name.hashCode());
    }

    /** Returns whether a name of a client is kept for hosts. */
    public static boolean isOfHost(OpaqueName client) {
        byte[] bytes = client.bytes();
        return bytes.length >= PREFIX.length
                && Arrays.equals(bytes, 0, PREFIX.length, PREFIX, 0, PREFIX.length);
    }

    /** Returns the name among those of clients. */
    public OpaqueName ofClient() {
        byte[] start = address.getBytes(StandardCharsets.US_ASCII);
        byte[] end = name.bytes();
        byte[] all = Arrays.copyOf(PREFIX, PREFIX.length + start.length + 1 + end.length);
        System.arraycopy(start, 0, all, PREFIX.length, start.length);
        all[PREFIX.length + start.length] = ' ';
        System.arraycopy(end, 0, all, PREFIX.length + start.length + 1, end.length);
        return OpaqueName.of(all);
    }

    /** Returns the host of a name among those of clients; nothing for a client of version 4. */
    public static Optional<HostName> of(OpaqueName client) {
        byte[] bytes = client.bytes();
        int space = PREFIX.length;
        while (space < bytes.length && bytes[space] != ' ') {
            space++;
        }
        int addressLength = space - PREFIX.length;
        int nameLength = bytes.length - space - 1;
        if (!isOfHost(client)
                || addressLength == 0
                || addressLength > ADDRESS_MAX
                || nameLength < 0
                || nameLength > NAME_MAX) {
            return Optional.empty();
        }
        var address = new String(bytes, PREFIX.length, addressLength, StandardCharsets.US_ASCII);
        var name = OpaqueName.of(Arrays.copyOfRange(bytes, space + 1, bytes.length));
        return Optional.of(new HostName(address, name));
    }
}
