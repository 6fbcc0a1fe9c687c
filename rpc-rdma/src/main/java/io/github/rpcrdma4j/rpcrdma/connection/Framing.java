package io.github.rpcrdma4j.rpcrdma.connection;

import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.Frame;
import io.github.rpcrdma4j.rpcrdma.wire.TransportHeader;
import io.github.rpcrdma4j.rpcrdma.wire.v2.Direction;
import io.github.rpcrdma4j.rpcrdma.wire.v2.Header;

/** The version of a connection, as far as calls and replies are the same in both. */
public enum Framing {
    VERSION_1 {
        @Override
        public Frame message(Direction direction, int xid, int credits, ChunkLists chunks) {
            return new TransportHeader.Msg(xid, credits, chunks);
        }

        @Override
        public Frame noMessage(Direction direction, int xid, int credits, ChunkLists chunks) {
            return new TransportHeader.NoMsg(xid, credits, chunks);
        }

        @Override
        public Frame refusal(int xid, int credits) {
            return new TransportHeader.ChunkError(xid, TransportHeader.VERSION, credits);
        }
    },
    VERSION_2 {
        @Override
        public Frame message(Direction direction, int xid, int credits, ChunkLists chunks) {
            return new Header.Msg(xid, credits, direction, chunks);
        }

        @Override
        public Frame noMessage(Direction direction, int xid, int credits, ChunkLists chunks) {
            return new Header.NoMsg(xid, credits, direction, chunks);
        }

        @Override
        public Frame refusal(int xid, int credits) {
            return new Header.BadHeader(xid, credits);
        }
    };

    /** The header of a message that follows it. */
    public abstract Frame message(Direction direction, int xid, int credits, ChunkLists chunks);

    /** The header of a message that lies in a chunk. */
    public abstract Frame noMessage(Direction direction, int xid, int credits, ChunkLists chunks);

    /** The error that says that the chunks of a call were no good (V2-4.2.3-2). */
    public abstract Frame refusal(int xid, int credits);

    /** Octets that a header has more than one of version 1: the direction of version 2. */
    public int extraBytes() {
        return this == VERSION_1 ? 0 : Integer.BYTES;
    }
}
