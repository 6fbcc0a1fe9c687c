package io.github.rpcrdma4j.oncrpc.spi;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.PeerIdentity;
import io.github.rpcrdma4j.oncrpc.ReverseDirection;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * The handler of one connection: a dispatcher whose calls come from a known peer.
 *
 * @param identity who the peer was found to be when it connected
 */
record IdentifiedCalls(RpcDispatcher dispatcher, PeerIdentity identity) implements CallHandler {
    @Override
    public boolean runsOnReader(CallHeader call) {
        return dispatcher.runsOnReader(call);
    }

    @Override
    public boolean isUsuallyQuick(CallHeader call, XdrReader arguments) {
        return dispatcher.isUsuallyQuick(call, arguments);
    }

    @Override
    public CallThreads.Kind kind(CallHeader call, boolean movesLittle) {
        return dispatcher.kind(call, movesLittle);
    }

    @Override
    public boolean wrapsData(CallHeader call) {
        return dispatcher.wrapsData(call);
    }

    @Override
    public boolean dispatch(
            CallHeader header,
            XdrReader call,
            InetSocketAddress peer,
            SegmentPool pool,
            Optional<ReverseDirection> reverse,
            XdrWriter reply,
            Runnable passed)
            throws InterruptedException {
        return dispatcher.dispatch(header, call, peer, identity, pool, reverse, reply);
    }

    @Override
    public CallHandler with(RpcProgram program) {
        return new IdentifiedCalls(dispatcher.with(program), identity);
    }
}
