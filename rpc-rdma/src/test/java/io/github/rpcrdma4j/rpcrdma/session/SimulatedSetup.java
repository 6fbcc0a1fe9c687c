package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcReply;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionParameters;
import io.github.rpcrdma4j.rpcrdma.connection.Counters;
import io.github.rpcrdma4j.rpcrdma.connection.Endpoint;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.profile.ClientProfile;
import io.github.rpcrdma4j.rpcrdma.profile.ServerProfile;
import io.github.rpcrdma4j.rpcrdma.profile.WireProfile;
import io.github.rpcrdma4j.rpcrdma.requester.CallPlanner;
import io.github.rpcrdma4j.rpcrdma.requester.Requester;
import io.github.rpcrdma4j.rpcrdma.responder.Responder;
import io.github.rpcrdma4j.sim.SimWorld;
import java.net.InetSocketAddress;
import java.util.Random;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;

/** One end of a simulated connection, for its wire profile. It has one thread and no lock. */
public final class SimulatedSetup implements ClientProfile.Setup, ServerProfile.Setup {
    private final Random random = new Random(1);
    private final SimWorld world;
    private final Endpoint endpoint;
    private final Counters counters;
    private final RpcRdmaOptions options;
    private ConnectionParameters initial;
    private Requester requester;
    private Responder responder;

    /** Null until the end can make calls. */
    private CallEncoder encoder;

    /** Null at a client. */
    private ServerProfile profile;

    /** Called while the world is idle; returns whether it has caused new events. */
    private BooleanSupplier idle = () -> false;

    public SimulatedSetup(
            SimWorld world, Endpoint endpoint, Counters counters, RpcRdmaOptions options) {
        this.world = world;
        this.endpoint = endpoint;
        this.counters = counters;
        this.options = options;
    }

    /** Sets the connection parameters that private data and options determine. */
    public void initial(ConnectionParameters parameters) {
        initial = parameters;
    }

    public void requester(Requester by) {
        requester = by;
    }

    public void responder(Responder by) {
        responder = by;
    }

    public void encoder(CallEncoder by) {
        encoder = by;
    }

    public void idle(BooleanSupplier asked) {
        idle = asked;
    }

    public void profile(ServerProfile by) {
        profile = by;
    }

    @Override
    public WireProfile.Settings settings() {
        return options;
    }

    @Override
    public InetSocketAddress server() {
        return SimulatedEnd.NOWHERE;
    }

    @Override
    public Endpoint endpoint() {
        return endpoint;
    }

    @Override
    public Requester requester() {
        return requester;
    }

    @Override
    public Responder responder() {
        return responder;
    }

    @Override
    public Counters counters() {
        return counters;
    }

    @Override
    public Counters reverseCounters() {
        return counters;
    }

    @Override
    public RandomGenerator random() {
        return random;
    }

    @Override
    public long nanoTime() {
        return world.nanoTime();
    }

    @Override
    public ConnectionParameters initial() {
        return initial;
    }

    @Override
    public boolean isServing() {
        return true;
    }

    @Override
    public Set<SecurityFlavor> flavors() {
        return Set.of();
    }

    @Override
    public boolean callsWith(int xid) {
        return requester != null && requester.holds(xid);
    }

    @Override
    public void locked(Runnable work) {
        work.run();
    }

    @Override
    public boolean await(BooleanSupplier wanted, long nanos) {
        long deadline = world.nanoTime() + nanos;
        while (!wanted.getAsBoolean()) {
            if (world.nanoTime() >= deadline || !world.step() && !idle.getAsBoolean()) {
                return false;
            }
        }
        return true;
    }

    @Override
    public RpcReply call(RpcCall call) {
        throw new UnsupportedOperationException("a simulated world makes no such calls");
    }

    @Override
    public void agree(ConnectionParameters parameters, CallPlanner planner) {
        encoder.agree(parameters, planner);
        if (responder != null) {
            responder.agree(parameters.reversed());
        }
    }

    @Override
    public void agree(ConnectionParameters parameters) {
        responder.agree(parameters);
        if (encoder != null) {
            encoder.agree(parameters.reversed(), profile.planner());
        }
    }
}
