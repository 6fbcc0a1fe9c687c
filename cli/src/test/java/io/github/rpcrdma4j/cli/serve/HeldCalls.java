package io.github.rpcrdma4j.cli.serve;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.v3.Procedure;
import io.github.rpcrdma4j.oncrpc.PeerIdentifier;
import io.github.rpcrdma4j.oncrpc.ReverseDirection;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import io.github.rpcrdma4j.oncrpc.spi.CallHandler;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.oncrpc.spi.CallService;
import io.github.rpcrdma4j.oncrpc.spi.CallThreads;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.oncrpc.spi.ServedPeer;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The calls of a server whose threads are held back while a directory is to be made: the first such
 * call before it is carried out, and the thread that reads the connection at the second one.
 */
final class HeldCalls implements CallService {
    private final RpcDispatcher dispatcher;
    private final AtomicInteger read = new AtomicInteger();

    /** The first call has arrived. */
    final CountDownLatch arrived = new CountDownLatch(1);

    /** The second one keeps the connection from being read. */
    final CountDownLatch unread = new CountDownLatch(1);

    /** Lets the first call go on. */
    final CountDownLatch goOn = new CountDownLatch(1);

    /** The first call is carried out. */
    final CountDownLatch carriedOut = new CountDownLatch(1);

    /** Lets the connection be read again. */
    final CountDownLatch readOn = new CountDownLatch(1);

    HeldCalls(RpcDispatcher dispatcher) {
        this.dispatcher = dispatcher;
    }

    @Override
    public PeerIdentifier identifier() {
        return dispatcher.identifier();
    }

    @Override
    public List<UpperLayerBinding> bindings() {
        return dispatcher.bindings();
    }

    private static boolean makesDirectory(CallHeader call) {
        return call.procedure() == Procedure.MKDIR.number();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public CallHandler connected(ServedPeer peer) {
        var calls = dispatcher.connected(peer);
        return new CallHandler() {
            @Override
            public boolean runsOnReader(CallHeader call) {
                if (makesDirectory(call) && read.incrementAndGet() == 2) {
                    unread.countDown();
                    HeldCalls.await(readOn);
                }
                return calls.runsOnReader(call);
            }

            @Override
            public boolean isUsuallyQuick(CallHeader call, XdrReader arguments) {
                return false;
            }

            @Override
            public CallThreads.Kind kind(CallHeader call, boolean movesLittle) {
                return calls.kind(call, movesLittle);
            }

            @Override
            public boolean wrapsData(CallHeader call) {
                return calls.wrapsData(call);
            }

            @Override
            public boolean dispatch(
                    CallHeader header,
                    XdrReader call,
                    InetSocketAddress from,
                    SegmentPool pool,
                    Optional<ReverseDirection> reverse,
                    XdrWriter reply,
                    Runnable passed)
                    throws InterruptedException {
                if (!makesDirectory(header)) {
                    return calls.dispatch(header, call, from, pool, reverse, reply, passed);
                }
                arrived.countDown();
                goOn.await();
                try {
                    return calls.dispatch(header, call, from, pool, reverse, reply, passed);
                } finally {
                    carriedOut.countDown();
                }
            }
        };
    }
}
