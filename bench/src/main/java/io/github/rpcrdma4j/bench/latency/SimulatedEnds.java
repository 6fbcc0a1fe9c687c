package io.github.rpcrdma4j.bench.latency;

import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.sim.SimOptions;
import io.github.rpcrdma4j.sim.SimWorld;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/** A client and a server in a simulated world, in which only the distance takes time. */
final class SimulatedEnds implements AutoCloseable {
    /** Calls before the measurement. In them the ends may exchange settings. */
    private static final int CALLS_BEFORE = 3;

    private static final int CALLS = 4;

    private final long delayNanos;
    private final SimWorld world;
    private final WorkRequestCounter clientCounter = new WorkRequestCounter();
    private final WorkRequestCounter serverCounter = new WorkRequestCounter();
    private final RpcRdmaServer server;
    private final TransferModel model;
    private final RpcRdmaClient client;

    /**
     * @param delayNanos the delay from one end to the other, in nanoseconds
     */
    SimulatedEnds(TransferModel model, long delayNanos) throws IOException, InterruptedException {
        this.model = model;
        this.delayNanos = delayNanos;
        world = new SimWorld(0, SimOptions.distant(delayNanos));
        server = model.serve(new QuiescentProvider(world, serverCounter));
        try {
            client = model.connect(world.provider(clientCounter), server.address());
        } catch (IOException | InterruptedException | RuntimeException failure) {
            server.close();
            throw failure;
        }
    }

    /**
     * Makes some calls and returns the means of their round trips, messages and registrations.
     *
     * @param memory memory for the data of a call
     */
    CallCosts measure(Transfer transfer, MemorySegment memory)
            throws IOException, InterruptedException {
        for (int i = 0; i < CALLS_BEFORE; i++) {
            make(transfer, memory);
        }
        var clientBefore = clientCounter.counts();
        var serverBefore = serverCounter.counts();
        long nanos = 0;
        for (int i = 0; i < CALLS; i++) {
            nanos += make(transfer, memory);
        }
        var byClient = clientCounter.counts().since(clientBefore);
        var byServer = serverCounter.counts().since(serverBefore);
        return new CallCosts(
                (double) nanos / CALLS / (2 * delayNanos),
                each(byClient.sends() + byServer.sends()),
                each(byClient.writes() + byServer.writes()),
                each(byClient.reads() + byServer.reads()),
                each(byClient.registrations()),
                each(byServer.registrations()));
    }

    private static double each(long count) {
        return (double) count / CALLS;
    }

    /**
     * Makes a call and returns its simulated time in nanoseconds. Then waits for later messages of
     * the call, which do not count.
     */
    private long make(Transfer transfer, MemorySegment memory)
            throws IOException, InterruptedException {
        long start = world.nanoTime();
        transfer.make(client, memory, model.places());
        long nanos = world.nanoTime() - start;
        world.settle();
        return nanos;
    }

    @Override
    public void close() {
        client.close();
        server.close();
    }
}
