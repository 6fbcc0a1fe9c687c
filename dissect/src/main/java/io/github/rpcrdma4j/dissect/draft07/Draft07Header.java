package io.github.rpcrdma4j.dissect.draft07;

import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.ReadSegment;
import io.github.rpcrdma4j.rpcrdma.wire.WriteChunk;
import java.util.List;

/** A transport header of the last draft of version 2 (Section 6.3). */
public sealed interface Draft07Header {
    /** The value of {@code rdma_vers}, equal to that of the earlier drafts of version 2. */
    int VERSION = 2;

    /** Returns the XID of the RPC; without meaning in a {@link Grant}. */
    int xid();

    /**
     * Returns how many messages the peer may have sent since the start of the connection, modulo
     * 2^32: the received ones and those for which there is room.
     */
    int credits();

    /**
     * RDMA2_ERROR: the message with that XID failed.
     *
     * @param version the version of the failed message; any number, if the version is the error
     */
    record Failure(int xid, int version, int credits, HeaderError error) implements Draft07Header {}

    /** RDMA2_GRANT: only credits. */
    record Grant(int xid, int credits) implements Draft07Header {}

    /** RDMA2_CONNPROP_FINAL, or RDMA2_CONNPROP_MIDDLE if more properties follow. */
    record Properties(int xid, int credits, boolean isFinal, List<Property> properties)
            implements Draft07Header {
        public Properties {
            properties = List.copyOf(properties);
        }
    }

    /**
     * RDMA2_CALL_EXTERNAL: the RPC message is in a chunk, and no payload follows.
     *
     * @param invalidated the handle that the reply may invalidate; 0 is none
     * @param call the chunk, with one or more segments, all of Position 0
     * @param chunks the chunks other than {@code call}, so without a Position-Zero Read chunk
     */
    record CallExternal(
            int xid, int credits, int invalidated, List<ReadSegment> call, ChunkLists chunks)
            implements Draft07Header {
        public CallExternal {
            call = List.copyOf(call);
        }
    }

    /**
     * RDMA2_CALL_MIDDLE: payload of the RPC message follows, and later Sends continue it.
     *
     * @param remaining how many bytes of the message these later Sends carry
     */
    record CallMiddle(int xid, int credits, long remaining) implements Draft07Header {}

    /**
     * RDMA2_CALL_INLINE: the RPC message follows, or the end of a continued one.
     *
     * @param invalidated the handle that the reply may invalidate; 0 is none
     * @param chunks the chunks, without a Position-Zero Read chunk
     */
    record CallInline(int xid, int credits, int invalidated, ChunkLists chunks)
            implements Draft07Header {}

    /** RDMA2_REPLY_EXTERNAL: the RPC message is in the Reply chunk, and no payload follows. */
    record ReplyExternal(int xid, int credits, List<WriteChunk> writeList, WriteChunk replyChunk)
            implements Draft07Header {
        public ReplyExternal {
            writeList = List.copyOf(writeList);
        }
    }

    /**
     * RDMA2_REPLY_MIDDLE: payload of the RPC message follows, and later Sends continue it.
     *
     * @param remaining how many bytes of the message these later Sends carry
     */
    record ReplyMiddle(int xid, int credits, long remaining) implements Draft07Header {}

    /** RDMA2_REPLY_INLINE: the RPC message follows, or the end of a continued one. */
    record ReplyInline(int xid, int credits, List<WriteChunk> writeList) implements Draft07Header {
        public ReplyInline {
            writeList = List.copyOf(writeList);
        }
    }
}
