package io.github.rpcrdma4j.oncrpc.udp;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import io.github.rpcrdma4j.oncrpc.spi.HostPort;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.xdr.PayloadStream;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.UnresolvedAddressException;
import java.util.Collection;

/**
 * Serves ONC RPC programs over UDP. One thread carries out all calls, so none of them may wait. A
 * reply that is longer than its call by more than the header of a reply is dropped: anyone can send
 * a datagram in the name of another host, and that host would get the reply.
 */
public final class UdpRpcServer implements AutoCloseable {
    /** The longest call that is read, in bytes. The rest of a longer one is cut off. */
    private static final int CALL_MAX = 8192;

    /** How much longer than its call a reply may be, in bytes. */
    private static final int SURPLUS_MAX = 64;

    private final DatagramChannel channel;
    private final RpcDispatcher dispatcher;
    private final SegmentPool pool = new SegmentPool(0);
    private final FailureLog failures =
            new FailureLog(System.getLogger(UdpRpcServer.class.getName()));
    private final InetSocketAddress address;

    private UdpRpcServer(DatagramChannel channel, RpcDispatcher dispatcher) throws IOException {
        this.channel = channel;
        this.dispatcher = dispatcher;
        this.address = (InetSocketAddress) channel.getLocalAddress();
    }

    /**
     * Starts a server.
     *
     * @param address the address to listen on; with port 0, the system chooses a free port
     * @param programs the programs to serve; their calls do not wait
     * @throws IOException if the address cannot be bound; the message is one line that names it
     * @throws IllegalArgumentException if versions of a program overlap
     */
    public static UdpRpcServer listen(
            InetSocketAddress address, Collection<? extends RpcProgram> programs)
            throws IOException {
        var dispatcher = new RpcDispatcher(programs);
        var channel = DatagramChannel.open();
        boolean isBound = false;
        try {
            channel.bind(address);
            isBound = true;
            var server = new UdpRpcServer(channel, dispatcher);
            Thread.ofPlatform()
                    .daemon()
                    .name("rpc-udp-" + server.address.getPort())
                    .start(server::serve);
            return server;
        } catch (UnresolvedAddressException _) {
            throw new IOException("cannot listen on " + HostPort.text(address) + ": unknown host");
        } catch (IOException failure) {
            throw new IOException(
                    "cannot listen on " + HostPort.text(address) + ": " + failure.getMessage(),
                    failure);
        } finally {
            if (!isBound) {
                channel.close();
            }
        }
    }

    /** Returns the address at which the server listens, with the actual port. */
    public InetSocketAddress address() {
        return address;
    }

    private void serve() {
        var call = ByteBuffer.allocate(CALL_MAX);
        while (true) {
            try {
                call.clear();
                var peer = (InetSocketAddress) channel.receive(call);
                answer(call.flip(), peer);
            } catch (ClosedChannelException _) {
                return;
            } catch (InterruptedException _) {
                // The thread belongs to this object, so an interrupt ends it.
                return;
            } catch (IOException | RuntimeException | Error failed) {
                failures.report("a call over UDP failed", failed);
            }
        }
    }

    private void answer(ByteBuffer call, InetSocketAddress peer)
            throws IOException, InterruptedException {
        int length = call.remaining();
        try (var reply = new XdrWriter(pool)) {
            var in = new XdrReader(MemorySegment.ofBuffer(call));
            if (!dispatcher.dispatch(in, peer, pool, reply)) {
                return;
            }
            var pieces = PayloadStream.of(reply);
            if (pieces.length() <= length + SURPLUS_MAX) {
                byte[] bytes = new byte[(int) pieces.length()];
                pieces.copyTo(MemorySegment.ofArray(bytes));
                channel.send(ByteBuffer.wrap(bytes), peer);
            }
        }
    }

    /** Stops serving. A call in progress may still be answered. */
    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException failed) {
            failures.report("cannot close a UDP socket", failed);
        }
    }
}
