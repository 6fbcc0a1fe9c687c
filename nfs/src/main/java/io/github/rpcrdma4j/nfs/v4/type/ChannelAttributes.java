package io.github.rpcrdma4j.nfs.v4.type;

import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.OptionalInt;

/**
 * The limits of one channel of a session: {@code channel_attrs4} (RFC 8881, Section 18.36). All
 * numbers are unsigned; sizes are in bytes.
 *
 * <pre>
 *   headerpadsize | maxrequestsize | maxresponsesize | maxresponsesize_cached
 *   | maxoperations | maxrequests | rdma_ird&lt;1&gt;
 * </pre>
 *
 * @param requestMax the longest call message, with its RPC header
 * @param responseMax the longest reply message
 * @param cachedMax the longest reply message that the reply cache of a slot keeps
 * @param operations the most operations of a COMPOUND
 * @param slots the number of slots
 * @param readDepth the inbound RDMA read queue depth; Linux sends none
 */
public record ChannelAttributes(
        int headerPadding,
        int requestMax,
        int responseMax,
        int cachedMax,
        int operations,
        int slots,
        OptionalInt readDepth) {
    public static ChannelAttributes decode(XdrReader in) throws XdrException {
        return new ChannelAttributes(
                in.uint32(),
                in.uint32(),
                in.uint32(),
                in.uint32(),
                in.uint32(),
                in.uint32(),
                in.count(Integer.BYTES, 1) == 1
                        ? OptionalInt.of(in.uint32())
                        : OptionalInt.empty());
    }

    public XdrWriter encode(XdrWriter out) {
        out.uint32(headerPadding)
                .uint32(requestMax)
                .uint32(responseMax)
                .uint32(cachedMax)
                .uint32(operations)
                .uint32(slots)
                .uint32(readDepth.isPresent() ? 1 : 0);
        readDepth.ifPresent(out::uint32);
        return out;
    }
}
