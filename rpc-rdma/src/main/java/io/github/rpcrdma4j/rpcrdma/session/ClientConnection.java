package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.CallProtection;
import io.github.rpcrdma4j.oncrpc.CallThreads;
import io.github.rpcrdma4j.oncrpc.FailureLog;
import io.github.rpcrdma4j.oncrpc.Flight;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcDispatcher;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcReply;
import io.github.rpcrdma4j.oncrpc.Timeouts;
import io.github.rpcrdma4j.rpcrdma.binding.Bindings;
import io.github.rpcrdma4j.rpcrdma.binding.UpperLayerBinding;
import io.github.rpcrdma4j.rpcrdma.chunk.AlignedPayload;
import io.github.rpcrdma4j.rpcrdma.connection.ConfRdma;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionMemory;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.connection.Framing;
import io.github.rpcrdma4j.rpcrdma.connection.Reception;
import io.github.rpcrdma4j.rpcrdma.connection.Terms;
import io.github.rpcrdma4j.rpcrdma.exchange.VersionMemory;
import io.github.rpcrdma4j.rpcrdma.exchange.VersionProbe;
import io.github.rpcrdma4j.rpcrdma.metrics.Counter;
import io.github.rpcrdma4j.rpcrdma.metrics.Statistics;
import io.github.rpcrdma4j.rpcrdma.options.Rfc5666;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.options.Version2;
import io.github.rpcrdma4j.rpcrdma.requester.KeepAlive;
import io.github.rpcrdma4j.rpcrdma.requester.PendingCall;
import io.github.rpcrdma4j.rpcrdma.requester.Requester;
import io.github.rpcrdma4j.rpcrdma.responder.BrokenCalls;
import io.github.rpcrdma4j.rpcrdma.wire.Alignment;
import io.github.rpcrdma4j.verbs.ProtectionDomain;
import io.github.rpcrdma4j.verbs.QueuePairOptions;
import io.github.rpcrdma4j.verbs.RdmaException;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import io.github.rpcrdma4j.xdr.XdrException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * A client's connection. The threads that wait for answers poll it by turns ({@link PollingTurn});
 * where the server may call back there is a listener, which polls when no caller does.
 */
public final class ClientConnection {
    private static final FailureLog FAILURES =
            new FailureLog(System.getLogger(ClientConnection.class.getName()));

    /**
     * Responders exist that ignore the advertised size and send inline replies as long as a few
     * pages; a receive of this size takes them.
     */
    private static final int RECEIVE_BYTES_MIN = 16 << 10;

    private static final long POOL_BYTES = 64L << 20;

    /** How long a server may take to answer the first message of version 2. */
    private static final Duration FIRST_ANSWER = Duration.ofSeconds(3);

    /** How long what was sent last has to leave. */
    private static final Duration CLOSE_GRACE = Duration.ofSeconds(1);

    /** Of all clients of this process. */
    private static final VersionMemory VERSIONS =
            new VersionMemory(1024, Duration.ofMinutes(10).toNanos());

    private final InetSocketAddress peer;
    private final RpcRdmaOptions options;
    private final Statistics statistics = new Statistics();
    private final Statistics reverseStatistics = new Statistics();
    private final SegmentPool pool = new SegmentPool(POOL_BYTES);
    private final ProtectionDomain domain;
    private final PollingTurn turn;
    private final Endpoint endpoint;

    /** Guards everything below, the requester and the responder included. */
    private final ConnectionLock lock =
            new ConnectionLock(Runnable::run, broken -> FAILURES.report("internal error", broken));

    private final Requester requester;

    /** Set before the connection is handed out; null if it never was. */
    private CallingSide calls;

    private CallEncoder encoder;
    private int version = 1;

    /** Set before the connection is handed out, if version 2 is wanted. */
    private Reception reception;

    /** Both are set together at the most once, before the connection is handed out. */
    private ServingSide served;

    private CallThreads workers;

    private boolean closed;

    private ClientConnection(
            RdmaProvider provider, InetSocketAddress peer, RpcRdmaOptions options) {
        this.peer = peer;
        this.options = options;
        domain = provider.allocateProtectionDomain();
        var completionQueue = provider.createCompletionQueue();
        var queuePair =
                provider.createQueuePair(
                        new QueuePairOptions(
                                domain,
                                completionQueue,
                                Endpoint.SEND_QUEUE_SIZE,
                                options.sizes().receives(),
                                Terms.READS,
                                Terms.READS,
                                Endpoint.GATHER_MAX));
        endpoint =
                new Endpoint(
                        new ConnectionMemory(queuePair, domain, pool),
                        Math.max(options.sizes().receiveLength(), RECEIVE_BYTES_MIN));
        turn = new PollingTurn(lock, completionQueue, endpoint);
        requester = new Requester(endpoint, statistics, options.credits(), PendingCall::tellCaller);
    }

    /**
     * @param protection of the call by which both sides tell of themselves, if there is one
     * @param bindings of the programs to be called
     * @param served what the server may call back; empty if it may not
     */
    public static ClientConnection open(
            RdmaProvider provider,
            InetSocketAddress peer,
            CallProtection protection,
            Collection<? extends UpperLayerBinding> bindings,
            Optional<RpcDispatcher> served,
            RpcRdmaOptions options)
            throws RpcException, InterruptedException {
        if (served.isPresent() && options.rfc5666().isPresent()) {
            throw new IllegalArgumentException(
                    "calls both ways and RFC 5666 exclude each other: choose one");
        }
        boolean knows1 = mayFallBack(options) && VERSIONS.speaks1Alone(peer, System.nanoTime());
        if (!knows1) {
            var connection = attempt(provider, peer, protection, bindings, served, options);
            if (connection.isPresent()) {
                return connection.get();
            }
            VERSIONS.remember(peer, System.nanoTime());
        }
        var only1 = options.withoutVersion2();
        return attempt(provider, peer, protection, bindings, served, only1).orElseThrow();
    }

    private static boolean mayFallBack(RpcRdmaOptions options) {
        return options.version2().map(Version2::speaks1).orElse(false);
    }

    /**
     * @return empty if the server is to be spoken to in version 1, on a new connection
     */
    private static Optional<ClientConnection> attempt(
            RdmaProvider provider,
            InetSocketAddress peer,
            CallProtection protection,
            Collection<? extends UpperLayerBinding> bindings,
            Optional<RpcDispatcher> served,
            RpcRdmaOptions options)
            throws RpcException, InterruptedException {
        var connection = new ClientConnection(provider, peer, options);
        try {
            if (connection.begin(protection, bindings, served)) {
                return Optional.of(connection);
            }
            connection.close();
            return Optional.empty();
        } catch (RdmaException failure) {
            connection.close();
            throw new RpcException.Unreachable(failure.getMessage(), failure);
        } catch (RpcException | InterruptedException | RuntimeException failure) {
            connection.close();
            throw failure;
        }
    }

    /**
     * @return false if the server is to be spoken to in version 1, on a new connection
     */
    private boolean begin(
            CallProtection protection,
            Collection<? extends UpperLayerBinding> bindings,
            Optional<RpcDispatcher> served)
            throws RdmaException, RpcException, InterruptedException {
        var initial = establish();
        var terms = initial;
        if (options.version2().isPresent()) {
            var profile = new Version2Profile(options, served.isPresent());
            switch (negotiate(profile, initial)) {
                case VERSION_1 -> {
                    endpoint.front(Optional.empty());
                    VERSIONS.remember(peer, System.nanoTime());
                }
                case VERSION_2 -> {
                    version = 2;
                    statistics.count(Counter.VERSION_2_CONNECTIONS);
                    terms = profile.ofClient(initial, reception.exchanges());
                }
                case VERSION_1_ANEW -> {
                    return false;
                }
                case OPEN, NONE ->
                        throw new RpcException.Unreachable(
                                peer + " does not speak version 2 of RPC-over-RDMA", null);
            }
        }
        call(bindings, terms);
        if (options.rfc5666().isPresent()) {
            configure(bindings, protection, terms, options.rfc5666().get());
        }
        if (served.isPresent()) {
            serve(served.get(), terms.reversed());
        }
        return true;
    }

    /** Finds out which version the server speaks. */
    private Negotiation.Result negotiate(Version2Profile profile, Terms initial)
            throws InterruptedException {
        long deadline = System.nanoTime() + FIRST_ANSWER.toNanos();
        var negotiation = new Negotiation(options.version2().orElseThrow());
        lock.lock();
        try {
            reception =
                    profile.reception(
                            endpoint,
                            statistics,
                            requester::holds,
                            negotiation::on,
                            () -> changed(profile, initial));
            endpoint.front(Optional.of(reception));
            reception.open();
            while (negotiation.result() == Negotiation.Result.OPEN) {
                long left = deadline - System.nanoTime();
                if (left <= 0) {
                    negotiation.on(new VersionProbe.Event.TimedOut());
                } else {
                    turn.await(left);
                }
            }
            if (negotiation.result() == Negotiation.Result.VERSION_2) {
                profile.speak(requester, reception, System::nanoTime);
            }
            return negotiation.result();
        } finally {
            turn.leave();
            lock.unlock();
        }
    }

    /** The server is not any more what it said, or has said for the first time what it is. */
    private void changed(Version2Profile profile, Terms initial) {
        var terms = profile.ofClient(initial, reception.exchanges());
        if (encoder != null) {
            encoder.agree(terms);
        }
        if (served != null) {
            served.agree(terms.reversed());
        }
    }

    private Terms establish() throws RdmaException, InterruptedException {
        var own = options.privateData();
        var answer = endpoint.queuePair().connect(peer, own.encode(), options.setupTimeout());
        statistics.count(Counter.CONNECTIONS_OPENED);
        return Terms.ofRequester(own, answer);
    }

    private void call(Collection<? extends UpperLayerBinding> bindings, Terms terms) {
        if (options.keepAlive().isPositive()) {
            requester.reserveForProbe();
        }
        call(new CallEncoder(endpoint.memory(), terms, bindings, options.segmentMax()));
    }

    /** From now on calls are made by this encoder. */
    private void call(CallEncoder by) {
        encoder = by;
        var keepAlive = new KeepAlive(Timeouts.nanos(options.keepAlive()));
        if (calls != null) {
            calls.close();
        }
        calls = new CallingSide(lock, endpoint, requester, encoder, peer, turn, keepAlive);
    }

    /** Speaks RFC 5666 from now on, and tells the server first if that is wanted. */
    private void configure(
            Collection<? extends UpperLayerBinding> bindings,
            CallProtection protection,
            Terms initial,
            Rfc5666 rfc5666)
            throws RpcException, InterruptedException {
        requester.speakRfc5666();
        var terms = initial;
        int align = rfc5666.align();
        if (rfc5666.configures()) {
            var own =
                    new ConfRdma.Arguments(
                            options.inlineSend(), options.inlineReceive(), Terms.READS);
            var server = ask(own, protection);
            if (server.isEmpty()) {
                // It is one of today.
                return;
            }
            terms = initial.configured(own, server.get(), options.inlineSend());
            align = align(server.get(), align);
            requester.limitReads(Math.max(1, terms.readsMax()));
        }
        var alignment = align == 1 ? Alignment.NONE : new Alignment(0, align, rfc5666.alignFrom());
        var encoder =
                new CallEncoder(
                        endpoint.memory(), terms, bindings, options.segmentMax(), true, alignment);
        call(encoder);
    }

    /** What the server likes, if it can be had (RFC 5666-6.2-8). */
    private static int align(ConfRdma.Results server, int own) {
        long liked = Integer.toUnsignedLong(server.align());
        return own == 1 || liked == 0 || liked > AlignedPayload.ALIGN_MAX ? 1 : (int) liked;
    }

    /**
     * Makes the first call of the connection.
     *
     * @return empty if the server does not want to be asked, or not by this caller
     */
    private Optional<ConfRdma.Results> ask(ConfRdma.Arguments own, CallProtection protection)
            throws RpcException, InterruptedException {
        try (var reply = calls.call(ConfRdma.call(own), protection, options.setupTimeout())) {
            return Optional.of(ConfRdma.Results.decode(reply.results()));
        } catch (RpcException.Refused | RpcException.Denied _) {
            return Optional.empty();
        } catch (XdrException malformed) {
            throw new RpcException.BadReply(
                    "the server's answer to CONF_RDMA makes no sense: " + malformed.getMessage());
        }
    }

    private void serve(RpcDispatcher dispatcher, Terms terms) {
        workers = new CallThreads("rpcrdma-call-back-", FAILURES);
        // Posts receives for all reverse credits beside those for replies, before the first call
        // could ask the server to use them (RFC 8167-4.3.1-1, 8167-4.3.1-2).
        served =
                new ServingSide(
                        lock,
                        endpoint,
                        reverseStatistics,
                        terms,
                        options.withCredits(options.reverseCredits()),
                        new ServingSide.Service(
                                dispatcher,
                                new Bindings(List.of()),
                                workers,
                                new BrokenCalls(),
                                new QuickCalls(),
                                FAILURES),
                        peer,
                        Optional.empty(),
                        Optional.empty());
        if (terms.framing() == Framing.VERSION_2) {
            served.speakVersion2(reception);
        }
        turn.listen();
    }

    /** Makes a call; else like {@link io.github.rpcrdma4j.oncrpc.RpcTransport#call}. */
    public RpcReply call(RpcCall call, CallProtection protection, Duration timeout)
            throws RpcException, InterruptedException {
        return calls.call(call, protection, timeout);
    }

    /** Starts a flight of calls. */
    public Flight flight(CallProtection protection) {
        return calls.flight(protection);
    }

    /** The version of RPC-over-RDMA that is spoken. */
    public int version() {
        return version;
    }

    /** What was counted of the server's calls. */
    public Statistics reverseStatistics() {
        return reverseStatistics;
    }

    /** What was counted of calls. */
    public Statistics statistics() {
        return statistics;
    }

    /** How many memory windows are open. */
    public int registeredRegions() {
        return endpoint.queuePair().boundWindows();
    }

    /** How many leases of memory are open. */
    public int leasedMemory() {
        return pool.leased();
    }

    /** Ends the connection and its calls. Closing twice is harmless. */
    public void close() {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            endpoint.close("closed on this side", CLOSE_GRACE);
            domain.close();
            statistics.count(Counter.CONNECTIONS_ENDED);
            if (workers != null) {
                workers.stop();
            }
            turn.close();
            if (calls != null) {
                calls.close();
            }
        } finally {
            lock.unlock();
        }
    }
}
