package io.github.rpcrdma4j.oncrpc.tcp;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.CallPipeline;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.ReverseDirection;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcReply;
import io.github.rpcrdma4j.oncrpc.spi.CallProtection;
import io.github.rpcrdma4j.oncrpc.spi.RpcTransport;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;

/**
 * The calls that a server makes to its client on the client's connection, as NFSv4.1 does (RFC
 * 8881, Section 2.10.3.1). Thread-safe.
 */
final class ServerCalls implements CallStream, ReverseDirection {
    /** Sends a message on the connection. */
    interface Sending {
        void send(XdrWriter message, CallDeadline deadline)
                throws RpcException, InterruptedException;
    }

    private final SentCalls sent;
    private final Optional<InetSocketAddress> localAddress;
    private final SegmentPool pool;
    private final Sending sending;

    /**
     * @param client the name of the client, for messages
     * @param localAddress to which the client has connected, if it is known
     */
    ServerCalls(
            String client,
            Optional<InetSocketAddress> localAddress,
            SegmentPool pool,
            Sending sending) {
        this.sent = new SentCalls(client);
        this.localAddress = localAddress;
        this.pool = pool;
        this.sending = sending;
    }

    @Override
    public SentCalls sent() {
        return sent;
    }

    @Override
    public Optional<InetSocketAddress> localAddress() {
        return localAddress;
    }

    @Override
    public SegmentPool pool() {
        return pool;
    }

    @Override
    public void send(XdrWriter message, CallDeadline deadline)
            throws RpcException, InterruptedException {
        sending.send(message, deadline);
    }

    /** Fails all calls, because the connection has ended. */
    void lose(String reason) {
        if (sent.lose(reason)) {
            sent.failAll();
        }
    }

    @Override
    public boolean isOpen() {
        return sent.lossReason().isEmpty();
    }

    @Override
    public RpcClient client(Credential credential) {
        return new Caller(this, CallProtection.of(credential));
    }

    /** Returns a transport of calls, each with its own protection. */
    RpcTransport transport() {
        return new Caller(this, CallProtection.of(new Credential.None()));
    }

    /** A caller of the client's programs. Closing it changes nothing. */
    private record Caller(ServerCalls calls, CallProtection protection)
            implements RpcClient, RpcTransport {
        @Override
        public RpcReply call(RpcCall call, Duration timeout)
                throws RpcException, InterruptedException {
            return calls.call(call, protection, timeout);
        }

        @Override
        public RpcReply call(RpcCall call, CallProtection own, Duration timeout)
                throws RpcException, InterruptedException {
            return calls.call(call, own, timeout);
        }

        @Override
        public CallPipeline pipeline() {
            return new TcpPipeline(calls, protection);
        }

        @Override
        public void close() {
            // The connection is the server's.
        }
    }
}
