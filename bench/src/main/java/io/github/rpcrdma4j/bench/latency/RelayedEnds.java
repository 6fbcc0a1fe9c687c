package io.github.rpcrdma4j.bench.latency;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** A client and a server over soft-iWARP, with a relay between them. */
final class RelayedEnds implements AutoCloseable {
    private static final double NANOS_PER_MICRO = 1e3;
    private static final int CALLS_MIN = 3;

    private final RpcRdmaServer server;
    private final Relay relay;
    private final TransferModel model;
    private final RpcRdmaClient client;

    RelayedEnds(TransferModel model) throws IOException, InterruptedException {
        this.model = model;
        var provider = new IwarpProvider();
        server = model.serve(provider);
        try {
            relay = Relay.to(server.address());
        } catch (IOException failure) {
            server.close();
            throw failure;
        }
        try {
            client = model.connect(provider, relay.address());
        } catch (IOException | InterruptedException | RuntimeException failure) {
            relay.close();
            server.close();
            throw failure;
        }
    }

    /** Sets the delay of each direction, in nanoseconds. */
    void delay(long nanos) {
        relay.delay(nanos);
    }

    /**
     * Makes calls, one after another, for {@code nanos} nanoseconds, and at least three.
     *
     * @param memory memory for the data of a call
     * @return the time of each call, in microseconds
     */
    List<Double> run(Transfer transfer, MemorySegment memory, long nanos)
            throws IOException, InterruptedException {
        var micros = new ArrayList<Double>();
        long begin = System.nanoTime();
        long start = begin;
        while (micros.size() < CALLS_MIN || start - begin < nanos) {
            transfer.make(client, memory, model.places());
            long end = System.nanoTime();
            micros.add((end - start) / NANOS_PER_MICRO);
            start = end;
        }
        return micros;
    }

    @Override
    public void close() throws IOException {
        client.close();
        relay.close();
        server.close();
    }
}
