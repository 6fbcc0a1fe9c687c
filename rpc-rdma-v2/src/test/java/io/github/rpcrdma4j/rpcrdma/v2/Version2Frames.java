package io.github.rpcrdma4j.rpcrdma.v2;

import io.github.rpcrdma4j.rpcrdma.session.HeaderFormat;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Direction;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header;
import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.Golden;
import io.github.rpcrdma4j.rpcrdma.wire.TransportHeader;
import java.util.List;

/** The transport headers of version 2, for the messages of a hostile peer. */
final class Version2Frames implements HeaderFormat {
    @Override
    public List<String> examples() {
        return Golden.messagesOfVersion2();
    }

    @Override
    public TransportHeader call(int xid, int credits, ChunkLists chunks) {
        return new Version2Header.Msg(xid, credits, Direction.CALL, chunks);
    }

    @Override
    public TransportHeader longCall(int xid, int credits, ChunkLists chunks) {
        return new Version2Header.NoMsg(xid, credits, Direction.CALL, chunks);
    }
}
