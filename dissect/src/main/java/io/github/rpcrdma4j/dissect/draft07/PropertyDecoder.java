package io.github.rpcrdma4j.dissect.draft07;

import io.github.rpcrdma4j.dissect.draft07.Property.Default;
import io.github.rpcrdma4j.dissect.draft07.Property.HostAuthentication;
import io.github.rpcrdma4j.dissect.draft07.Property.ReceiveSize;
import io.github.rpcrdma4j.dissect.draft07.Property.Reverse;
import io.github.rpcrdma4j.dissect.draft07.Property.ReverseSupport;
import io.github.rpcrdma4j.dissect.draft07.Property.SegmentCount;
import io.github.rpcrdma4j.dissect.draft07.Property.SegmentSize;
import io.github.rpcrdma4j.dissect.draft07.Property.SendSize;
import io.github.rpcrdma4j.dissect.draft07.Property.Unknown;
import io.github.rpcrdma4j.rpcrdma.v2.wire.WordReader;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.util.ArrayList;
import java.util.List;

/**
 * Decodes a list of properties (draft-ietf-nfsv4-rpcrdma-version-two-07, Section 5).
 *
 * <pre>
 *   properties   count | { id | bytes | value }*
 *      1  SBSIZ      bytes
 *      2  RBSIZ      bytes
 *      3  RSSIZ      bytes
 *      4  RCSIZ      segments
 *      5  BRS        0 none, 1 simple, 2 continued, 3 general
 *      6  HOSTAUTH   bytes | message
 * </pre>
 *
 * An empty value means the default. A value that is too short or invalid invalidates the whole
 * list. Extra bytes after a value do not, and neither does an unknown identifier.
 */
final class PropertyDecoder {
    /** The most properties of one header. */
    static final int PROPERTIES_MAX = 64;

    /** The longest message of host authentication, in bytes. */
    static final int AUTHENTICATION_MAX = 4096;

    static final int SBSIZ = 1;
    static final int RBSIZ = 2;
    static final int RSSIZ = 3;
    static final int RCSIZ = 4;
    static final int BRS = 5;
    static final int HOSTAUTH = 6;
    private static final int EMPTY_BYTES = 2 * Integer.BYTES;

    private PropertyDecoder() {}

    /** The result of decoding a list. */
    sealed interface Decoded {
        record Ok(List<Property> properties) implements Decoded {}

        /** An invalid value: the whole list is ignored. */
        record BadValue(String why) implements Decoded {}
    }

    /**
     * Decodes a list.
     *
     * @throws XdrException if the list is cut off between two values, or longer than {@link
     *     #PROPERTIES_MAX}
     */
    static Decoded decode(XdrReader in) throws XdrException {
        int count = in.count(EMPTY_BYTES, PROPERTIES_MAX);
        var properties = new ArrayList<Property>(count);
        for (int i = 0; i < count; i++) {
            int id = in.uint32();
            try {
                properties.add(property(id, new XdrReader(in.opaque(in.remaining()))));
            } catch (XdrException bad) {
                return new Decoded.BadValue(
                        "property " + Integer.toUnsignedString(id) + ": " + bad.getMessage());
            }
        }
        return new Decoded.Ok(properties);
    }

    private static Property property(int id, XdrReader value) throws XdrException {
        if (id < SBSIZ || id > HOSTAUTH) {
            return new Unknown(id);
        }
        if (value.remaining() == 0) {
            return new Default(id);
        }
        return switch (id) {
            case SBSIZ -> new SendSize(WordReader.number(value));
            case RBSIZ -> new ReceiveSize(WordReader.number(value));
            case RSSIZ -> new SegmentSize(WordReader.number(value));
            case RCSIZ -> new SegmentCount(WordReader.number(value));
            case BRS -> new ReverseSupport(reverse(value));
            default -> new HostAuthentication(bytes(value));
        };
    }

    private static Reverse reverse(XdrReader in) throws XdrException {
        long level = WordReader.number(in);
        if (level >= Reverse.values().length) {
            throw new XdrException("invalid reverse support level: " + level);
        }
        return Reverse.values()[(int) level];
    }

    private static List<Byte> bytes(XdrReader in) throws XdrException {
        byte[] bytes = in.bytes(AUTHENTICATION_MAX);
        var list = new ArrayList<Byte>(bytes.length);
        for (byte oneByte : bytes) {
            list.add(oneByte);
        }
        return list;
    }
}
