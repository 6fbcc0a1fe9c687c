package io.github.rpcrdma4j.sim;

import io.github.rpcrdma4j.verbs.CompletionQueue;
import io.github.rpcrdma4j.verbs.Listener;
import io.github.rpcrdma4j.verbs.ProtectionDomain;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.QueuePairOptions;
import io.github.rpcrdma4j.verbs.RdmaException;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import io.github.rpcrdma4j.verbs.software.SoftwareDomain;
import java.net.InetSocketAddress;

/** A provider of one world, with a tap on its side's requests. */
record SimProvider(SimWorld world, SimTap tap) implements RdmaProvider {
    @Override
    public String name() {
        return "sim";
    }

    @Override
    public ProtectionDomain allocateProtectionDomain() {
        return new SoftwareDomain(world.random());
    }

    @Override
    public CompletionQueue createCompletionQueue() {
        return new SimCompletionQueue(world);
    }

    @Override
    public QueuePair createQueuePair(QueuePairOptions options) {
        return new SimQueuePair(world, options, tap);
    }

    @Override
    public Listener listen(InetSocketAddress address) throws RdmaException {
        var listener = new SimListener(world, world.freeAddress(address));
        if (!world.bind(listener.address(), listener)) {
            throw new RdmaException.Unreachable("cannot listen on " + address, null);
        }
        return listener;
    }
}
