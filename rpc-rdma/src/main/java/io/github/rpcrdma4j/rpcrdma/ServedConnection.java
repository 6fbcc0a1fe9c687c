package io.github.rpcrdma4j.rpcrdma;

import io.github.rpcrdma4j.oncrpc.RpcDispatcher;
import io.github.rpcrdma4j.rpcrdma.connect.Endpoint;
import io.github.rpcrdma4j.rpcrdma.connect.Terms;
import io.github.rpcrdma4j.rpcrdma.responder.Responder;
import io.github.rpcrdma4j.rpcrdma.responder.ServedCall;
import io.github.rpcrdma4j.rpcrdma.wire.PrivateData;
import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.CompletionQueue;
import io.github.rpcrdma4j.verbs.ConnectRequest;
import io.github.rpcrdma4j.verbs.ProtectionDomain;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.QueuePairOptions;
import io.github.rpcrdma4j.verbs.RdmaException;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import io.github.rpcrdma4j.xdr.SegmentPool;
import java.net.InetSocketAddress;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;

/** A responder's connection and its lock. Cheap calls run on the thread that polls, others not. */
final class ServedConnection {
    private static final int READS = 32;

    private final InetSocketAddress peer;
    private final RpcDispatcher dispatcher;
    private final Bindings bindings;
    private final Executor workers;
    private final Statistics statistics;
    private final ProtectionDomain domain;
    private final QueuePair queuePair;

    /** Guards the responder and its endpoint. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Endpoint endpoint;
    private final Responder responder;

    ServedConnection(
            RdmaProvider provider,
            ConnectRequest request,
            CompletionQueue completionQueue,
            SegmentPool pool,
            RpcDispatcher dispatcher,
            Bindings bindings,
            Executor workers,
            Statistics statistics,
            RpcRdmaOptions options) {
        this.peer = request.peer();
        this.dispatcher = dispatcher;
        this.bindings = bindings;
        this.workers = workers;
        this.statistics = statistics;
        this.domain = provider.allocateProtectionDomain();
        this.queuePair =
                provider.createQueuePair(
                        new QueuePairOptions(
                                domain,
                                completionQueue,
                                Endpoint.SEND_QUEUE_SIZE,
                                options.credits(),
                                READS,
                                READS,
                                true));
        this.endpoint = new Endpoint(queuePair, pool, options.inlineReceive());
        var terms = Terms.ofResponder(options.privateData(), request.privateData());
        this.responder =
                new Responder(endpoint, domain, pool, statistics, terms, options, this::run);
    }

    QueuePair queuePair() {
        return queuePair;
    }

    void accept(ConnectRequest request, PrivateData own) throws RdmaException {
        request.accept(queuePair, own.encode());
    }

    /**
     * Takes a completion, on the thread that polls.
     *
     * @return whether the connection lives on
     */
    boolean completed(Completion completion) {
        lock.lock();
        try {
            endpoint.completed(completion);
        } catch (RuntimeException | Error broken) {
            // What cannot be answered ends the connection (RFC 8166-4.5.4-3).
            endpoint.close("internal error: " + broken);
            throw broken;
        } finally {
            lock.unlock();
        }
        return !endpoint.isClosed();
    }

    /** Runs a call; the lock is held by this thread. */
    private void run(ServedCall call) {
        var header = RpcDispatcher.peek(call.payload());
        if (header.isEmpty() || dispatcher.runsOnReader(header.get())) {
            execute(call);
        } else {
            workers.execute(() -> execute(call));
        }
    }

    private void execute(ServedCall call) {
        var outcome = ServedCall.Outcome.UNANSWERABLE;
        String failure = null;
        try {
            outcome = call.execute(dispatcher, bindings, peer);
        } catch (InterruptedException _) {
            failure = "the server is shutting down";
        }
        lock.lock();
        try {
            if (failure != null) {
                endpoint.close(failure);
            }
            responder.ended(call, outcome);
        } catch (RuntimeException | Error broken) {
            endpoint.close("internal error: " + broken);
            throw broken;
        } finally {
            lock.unlock();
        }
    }

    int registeredRegions() {
        return domain.registeredRegions();
    }

    int callsInProgress() {
        lock.lock();
        try {
            return responder.liveCalls();
        } finally {
            lock.unlock();
        }
    }

    void close(String reason) {
        lock.lock();
        try {
            endpoint.close(reason);
            domain.close();
        } finally {
            lock.unlock();
        }
    }
}
