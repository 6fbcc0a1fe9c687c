package io.github.rpcrdma4j.nfs.v4.attribute;

import io.github.rpcrdma4j.oncrpc.KeyedHash;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.OptionalInt;

/**
 * A user, a group or a special identifier, as text: the values of owner and owner_group (RFC 8881,
 * Section 5.9) and {@code who} of an ACE (Section 6.2.1.5). A peer may send any bytes. Immutable.
 */
public final class Who {
    /** The owner of the file. */
    public static final Who OWNER = of("OWNER@");

    /** The group of the file. */
    public static final Who GROUP = of("GROUP@");

    /** All, the owner and the group included. */
    public static final Who EVERYONE = of("EVERYONE@");

    private static final int DIGITS_MAX = 10;
    private static final int RADIX = 10;

    /** {@code uid_t} -1 is no id: system calls take it for "do not change". */
    private static final long ID_MAX = 0xffff_fffeL;

    private final byte[] bytes;

    private Who(byte[] own) {
        bytes = own;
    }

    /** Returns the principal of a text, encoded in UTF-8. */
    public static Who of(String text) {
        return new Who(text.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Returns the principal of bytes.
     *
     * @param bytes copied
     */
    public static Who of(byte[] bytes) {
        return new Who(bytes.clone());
    }

    /**
     * Returns a numeric id as text, in decimal digits (RFC 8881, Section 5.9).
     *
     * @param id unsigned
     */
    public static Who ofId(int id) {
        return of(Integer.toUnsignedString(id));
    }

    static Who decode(XdrReader in) throws XdrException {
        return new Who(in.bytes(Integer.MAX_VALUE));
    }

    XdrWriter encode(XdrWriter out) {
        return out.opaque(bytes);
    }

    /** Returns a copy of the bytes. */
    public byte[] bytes() {
        return bytes.clone();
    }

    /**
     * Returns the numeric id, unsigned, or nothing if this is not one: decimal digits without a
     * sign and without leading zeros (RFC 8881, Section 5.9), less than 2^32 - 1.
     */
    public OptionalInt id() {
        if (bytes.length == 0 || bytes.length > DIGITS_MAX || bytes.length > 1 && bytes[0] == '0') {
            return OptionalInt.empty();
        }
        long id = 0;
        for (byte each : bytes) {
            if (each < '0' || each > '9') {
                return OptionalInt.empty();
            }
            id = id * RADIX + each - '0';
        }
        return id > ID_MAX ? OptionalInt.empty() : OptionalInt.of((int) id);
    }

    /** Returns whether the bytes are well-formed UTF-8, as the RFC demands. */
    public boolean isUtf8() {
        return Arrays.equals(bytes, toString().getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Who who && Arrays.equals(bytes, who.bytes);
    }

    @Override
    public int hashCode() {
        return KeyedHash.of(bytes);
    }

    /** Returns the text; malformed bytes are replaced. */
    @Override
    public String toString() {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
