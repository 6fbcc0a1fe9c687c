package io.github.rpcrdma4j.nfs.v4.operation;

import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * The arguments of a COMPOUND: {@code COMPOUND4args} (RFC 8881, Section 16.2). A client encodes
 * them. A server decodes the {@link Header}, and then one operation after the other.
 *
 * <pre>
 *   tag | minor version(32) | count(32) | operations
 * </pre>
 */
public record CompoundArguments(OpaqueName tag, int minorVersion, List<Arguments> operations) {
    public CompoundArguments {
        operations = List.copyOf(operations);
    }

    /**
     * What is in front of the operations.
     *
     * @param tag the client's, for people
     * @param minorVersion unsigned
     * @param count how many operations the client claims to send, unsigned
     */
    public record Header(OpaqueName tag, int minorVersion, int count) {
        public static Header decode(XdrReader in) throws XdrException {
            return new Header(OpaqueName.decode(in), in.uint32(), in.uint32());
        }

        public XdrWriter encode(XdrWriter out) {
            return tag.encode(out).uint32(minorVersion).uint32(count);
        }
    }

    /**
     * Reads all operations, at most up to one that is {@link Arguments.Illegal}.
     *
     * @throws XdrException if one is malformed
     */
    public static CompoundArguments decode(XdrReader in) throws XdrException {
        var header = Header.decode(in);
        var operations = new ArrayList<Arguments>();
        long count = Integer.toUnsignedLong(header.count);
        // Every operation takes bytes of the message, so its length bounds the list.
        while (operations.size() < count) {
            var next = Arguments.decode(header.minorVersion, in);
            operations.add(next);
            if (next instanceof Arguments.Illegal) {
                break;
            }
        }
        return new CompoundArguments(header.tag, header.minorVersion, operations);
    }

    public void encode(XdrWriter out) {
        new Header(tag, minorVersion, operations.size()).encode(out);
        operations.forEach(each -> each.encode(out));
    }
}
