package io.github.rpcrdma4j.gateway;

import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.Timeouts;
import io.github.rpcrdma4j.oncrpc.spi.CallHandler;
import io.github.rpcrdma4j.oncrpc.spi.HostPort;
import io.github.rpcrdma4j.oncrpc.spi.RpcTransport;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A server that a gateway reaches by its name. Each connection goes to an address that the name has
 * then. No answer is kept, so a server that moves is found by the next client.
 *
 * <p>One thread looks the name up at a time, and connections that begin meanwhile share its answer.
 * So a resolver that does not answer holds one thread, and each connection at most for its time.
 */
public final class NamedUpstream implements Upstream {
    /** Gives the upstream at one address of the name. */
    public interface Addressed {
        /**
         * Returns an upstream.
         *
         * @param timeout the time limit for connecting to this address
         */
        Upstream at(InetSocketAddress server, Duration timeout);
    }

    /** Resolves a name. */
    interface Lookup {
        /**
         * Returns the addresses of a name, in the order of their preference; not empty.
         *
         * @throws UnknownHostException if the name has none, or the resolver did not answer
         */
        InetAddress[] addresses(String name) throws UnknownHostException;
    }

    private final InetSocketAddress server;
    private final Duration timeout;
    private final Addressed addressed;
    private final Lookup lookup;

    /** The lookup in progress, or the last one. Guarded by this object. */
    private CompletableFuture<List<InetAddress>> latest = CompletableFuture.completedFuture(null);

    /**
     * Creates an upstream that asks the resolver of this machine.
     *
     * @param server the name and the port of the server, unresolved
     * @param timeout the time limit for the lookup and for connecting, over all addresses
     */
    public NamedUpstream(InetSocketAddress server, Duration timeout, Addressed addressed) {
        this(server, timeout, addressed, InetAddress::getAllByName);
    }

    NamedUpstream(InetSocketAddress server, Duration timeout, Addressed addressed, Lookup lookup) {
        this.server = server;
        this.timeout = timeout;
        this.addressed = addressed;
        this.lookup = lookup;
    }

    /**
     * Looks the name up once, to tell an operator at the start of a name that has no address.
     *
     * @throws RpcException.Unreachable if it has no address, or there is no answer in time
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public void check() throws RpcException, InterruptedException {
        addresses(System.nanoTime() + Timeouts.nanos(timeout));
    }

    /** Tries all addresses in their order. Each gets an equal part of the time that is left. */
    @Override
    public RpcTransport connect(
            InetSocketAddress client,
            boolean isPrivileged,
            CallHandler callBacks,
            Runnable whenEnded)
            throws RpcException, InterruptedException {
        long deadline = System.nanoTime() + Timeouts.nanos(timeout);
        var addresses = addresses(deadline);
        int untried = addresses.size();
        RpcException failure = null;
        for (var address : addresses) {
            long left = Math.max(1, deadline - System.nanoTime());
            var target = new InetSocketAddress(address, server.getPort());
            try {
                return addressed
                        .at(target, Duration.ofNanos(Math.max(1, left / untried)))
                        .connect(client, isPrivileged, callBacks, whenEnded);
            } catch (RpcException unreachable) {
                failure = unreachable;
                untried--;
            }
        }
        throw failure;
    }

    private List<InetAddress> addresses(long deadline) throws RpcException, InterruptedException {
        try {
            return answer().get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException _) {
            throw new RpcException.Unreachable(
                    "cannot connect to "
                            + HostPort.text(server)
                            + ": the resolver does not answer in time",
                    null);
        } catch (ExecutionException failed) {
            throw new RpcException.Unreachable(
                    "unknown host " + server.getHostString(), failed.getCause());
        }
    }

    /** Returns the lookup in progress; begins one if there is none. */
    private synchronized CompletableFuture<List<InetAddress>> answer() {
        if (latest.isDone()) {
            var begun = new CompletableFuture<List<InetAddress>>();
            // A platform thread: the resolver of the machine would hold the carrier of a virtual
            // one.
            Thread.ofPlatform().daemon().name("gateway-lookup").start(() -> lookUp(begun));
            latest = begun;
        }
        return latest;
    }

    private void lookUp(CompletableFuture<List<InetAddress>> answer) {
        try {
            answer.complete(List.of(lookup.addresses(server.getHostString())));
        } catch (UnknownHostException | RuntimeException | Error failed) {
            answer.completeExceptionally(failed);
        }
    }
}
