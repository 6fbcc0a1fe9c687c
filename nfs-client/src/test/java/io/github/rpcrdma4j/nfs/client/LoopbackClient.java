package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcReply;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.oncrpc.spi.CallProtection;
import io.github.rpcrdma4j.oncrpc.spi.RawAuth;
import io.github.rpcrdma4j.oncrpc.spi.ReplyHeader;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.xdr.PayloadStream;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A client that calls programs in this process, with encoded messages. It can lose its connection
 * before or after the execution of one selected call.
 */
public final class LoopbackClient implements RpcClient {
    /** The faults to inject. All connections of a test share them. */
    public static final class Faults {
        private final AtomicInteger calls = new AtomicInteger();
        private final int lostAt;
        private final boolean executed;
        private boolean forGood;

        /**
         * Selects the call whose connection is lost.
         *
         * @param lostAt number of the call, from 1
         * @param executed whether the server executes the call before the loss
         */
        public Faults(int lostAt, boolean executed) {
            this.lostAt = lostAt;
            this.executed = executed;
        }

        /** Returns faults that never lose a connection. */
        public static Faults none() {
            return new Faults(-1, false);
        }

        /** Makes the server unreachable after the loss. */
        public Faults forGood() {
            forGood = true;
            return this;
        }

        public boolean serverIsGone() {
            return forGood && calls.get() >= lostAt;
        }

        public int calls() {
            return calls.get();
        }
    }

    private static final InetSocketAddress PEER =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);

    private final RpcDispatcher dispatcher;
    private final Faults faults;
    private final SegmentPool pool;
    private volatile boolean lost;

    public LoopbackClient(RpcDispatcher dispatcher, Faults faults, SegmentPool pool) {
        this.dispatcher = dispatcher;
        this.faults = faults;
        this.pool = pool;
    }

    @Override
    public RpcReply call(RpcCall call, Duration timeout) throws RpcException, InterruptedException {
        if (lost) {
            throw new RpcException.ConnectionLost("the connection was lost", null);
        }
        boolean last = faults.calls.incrementAndGet() == faults.lostAt;
        if (last && !faults.executed) {
            throw lose();
        }
        int xid = call.xid().orElseThrow();
        var reply = execute(call, xid);
        if (last) {
            throw lose();
        }
        var protection = CallProtection.of(new Credential.None());
        var in = ReplyHeader.requireSuccess(new XdrReader(reply), call, xid, protection);
        return new RpcReply() {
            @Override
            public XdrReader results() {
                return in;
            }

            @Override
            public void close() {}
        };
    }

    private RpcException lose() {
        lost = true;
        return new RpcException.ConnectionLost("the connection was lost", null);
    }

    private MemorySegment execute(RpcCall call, int xid) throws InterruptedException {
        try (var message = new XdrWriter(pool);
                var reply = new XdrWriter(pool)) {
            var caller = RawAuth.of(new Credential.Sys(0, "test", 0, 0, List.of()));
            CallHeader.encode(
                    message, xid, call.program(), call.version(), call.procedure(), caller);
            call.arguments().accept(message);
            dispatcher.dispatch(new XdrReader(flat(message)), PEER, pool, reply);
            return flat(reply);
        }
    }

    private static MemorySegment flat(XdrWriter message) {
        var pieces = PayloadStream.of(message);
        var whole = Arena.ofAuto().allocate(pieces.length());
        pieces.copyTo(whole);
        return whole;
    }

    @Override
    public void close() {
        lost = true;
    }
}
