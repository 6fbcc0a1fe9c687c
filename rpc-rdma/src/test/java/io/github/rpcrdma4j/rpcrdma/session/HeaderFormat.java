package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.github.rpcrdma4j.rpcrdma.wire.Golden;
import io.github.rpcrdma4j.rpcrdma.wire.TransportHeader;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header;
import java.util.List;

/** The transport headers of the messages of a hostile peer. */
public interface HeaderFormat {
    /** Version 1. */
    HeaderFormat VERSION_1 =
            new HeaderFormat() {
                @Override
                public List<String> examples() {
                    return Golden.messages();
                }

                @Override
                public TransportHeader call(int xid, int credits, ChunkLists chunks) {
                    return new Version1Header.Msg(xid, credits, chunks);
                }

                @Override
                public TransportHeader longCall(int xid, int credits, ChunkLists chunks) {
                    return new Version1Header.NoMsg(xid, credits, chunks);
                }
            };

    /** Returns the names of the worked examples. */
    List<String> examples();

    TransportHeader call(int xid, int credits, ChunkLists chunks);

    /** Returns the header of a long call, whose message is in a chunk. */
    TransportHeader longCall(int xid, int credits, ChunkLists chunks);
}
