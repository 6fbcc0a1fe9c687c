package io.github.rpcrdma4j.dissect.draft07;

import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.ReadSegment;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import java.util.List;

/** A transport header of the last draft of version 2 (Section 6.3). */
public sealed interface Draft07Header {
    /** {@code rdma_vers}, the same as that of {@code wire.v2}. */
    int VERSION = 2;

    /** The XID of the RPC; of no meaning in a {@link Grant}. */
    int xid();

    /**
     * How many messages the peer may have sent since the connection began: those that were received
     * and those that there is room for, modulo 2^32.
     */
    int credits();

    /**
     * RDMA2_ERROR: the message of that XID came to nothing.
     *
     * @param version the one of that message, which may be any where it is what is wrong
     */
    record Failure(int xid, int version, int credits, HeaderError error) implements Draft07Header {}

    /** RDMA2_GRANT: nothing but credits. */
    record Grant(int xid, int credits) implements Draft07Header {}

    /** RDMA2_CONNPROP_FINAL, or RDMA2_CONNPROP_MIDDLE if more of them follow. */
    record Properties(int xid, int credits, boolean isFinal, List<Property> properties)
            implements Draft07Header {
        public Properties {
            properties = List.copyOf(properties);
        }
    }

    /**
     * RDMA2_CALL_EXTERNAL: the RPC message is in a chunk, and nothing follows.
     *
     * @param invalidated the handle that the reply may invalidate; 0 is none
     * @param call the chunk, of one segment or more, all of position 0
     * @param chunks without a Position-Zero Read chunk
     */
    record CallExternal(
            int xid, int credits, int invalidated, List<ReadSegment> call, ChunkLists chunks)
            implements Draft07Header {
        public CallExternal {
            call = List.copyOf(call);
        }
    }

    /**
     * RDMA2_CALL_MIDDLE: a part of the RPC message follows, which others continue.
     *
     * @param remaining bytes of the message that those have
     */
    record CallMiddle(int xid, int credits, long remaining) implements Draft07Header {}

    /**
     * RDMA2_CALL_INLINE: the RPC message follows, or its last part.
     *
     * @param invalidated the handle that the reply may invalidate; 0 is none
     * @param chunks without a Position-Zero Read chunk
     */
    record CallInline(int xid, int credits, int invalidated, ChunkLists chunks)
            implements Draft07Header {}

    /** RDMA2_REPLY_EXTERNAL: the RPC message is in the Reply chunk, and nothing follows. */
    record ReplyExternal(int xid, int credits, List<WriteChunk> writeList, WriteChunk replyChunk)
            implements Draft07Header {
        public ReplyExternal {
            writeList = List.copyOf(writeList);
        }
    }

    /**
     * RDMA2_REPLY_MIDDLE: a part of the RPC message follows, which others continue.
     *
     * @param remaining bytes of the message that those have
     */
    record ReplyMiddle(int xid, int credits, long remaining) implements Draft07Header {}

    /** RDMA2_REPLY_INLINE: the RPC message follows, or its last part. */
    record ReplyInline(int xid, int credits, List<WriteChunk> writeList) implements Draft07Header {
        public ReplyInline {
            writeList = List.copyOf(writeList);
        }
    }
}
