package io.github.rpcrdma4j.rpcrdma.responder;

import io.github.rpcrdma4j.oncrpc.KeyedHash;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * What is known of a call before its arguments are fetched, and is equal when its requester sends
 * it again over another connection. Memory has other handles then, so they are no part of it.
 *
 * @param checksum of the message without reduced arguments, and of their length
 */
public record CallMark(int xid, int checksum) {
    /**
     * Returns the mark of a call.
     *
     * @param inline the message without reduced arguments; empty if all of it is in a Read chunk
     */
    static CallMark of(int xid, ChunkLists chunks, MemorySegment inline) {
        return new CallMark(xid, KeyedHash.of(checksum(inline), chunks.readBytes()));
    }

    private static int checksum(MemorySegment inline) {
        try {
            return CallHeader.decode(new XdrReader(inline)).checksumOfCopies(inline);
        } catch (XdrException _) {
            return KeyedHash.of(inline.toArray(ValueLayout.JAVA_BYTE));
        }
    }
}
