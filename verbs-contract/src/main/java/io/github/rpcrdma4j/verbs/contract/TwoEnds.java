package io.github.rpcrdma4j.verbs.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.github.rpcrdma4j.verbs.Completion;
import io.github.rpcrdma4j.verbs.ConnectRequest;
import io.github.rpcrdma4j.verbs.Listener;
import io.github.rpcrdma4j.verbs.QueuePair;
import io.github.rpcrdma4j.verbs.RdmaException;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import io.github.rpcrdma4j.verbs.UnknownHandle;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * The two ends of a connection under test, and how they connect.
 *
 * <p>The one thread of the test polls both ends, because a provider may make progress only in a
 * poll.
 */
public abstract class TwoEnds {
    TwoEnds() {}

    /** The time limit for connecting. */
    protected static final Duration SETUP = Duration.ofSeconds(10);

    static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);
    static final byte[] NOTHING = {};
    static final int READS = 4;

    RdmaProvider provider;
    Listener listener;
    End active;
    End passive;

    /** Answers a connect request on the passive side. */
    public interface Passive {
        /** Accepts or rejects the request. */
        void answer(ConnectRequest request) throws RdmaException;
    }

    /** Returns the address at which the ends listen. By default, that of the loopback interface. */
    protected InetAddress address() {
        return InetAddress.getLoopbackAddress();
    }

    /** Returns what the provider does not do as the contract says. By default, nothing. */
    protected Set<Difference> differences() {
        return Set.of();
    }

    /** Returns the most private data of a connect request, in bytes. */
    protected int requestDataMax() {
        return QueuePair.PRIVATE_DATA_MAX;
    }

    /** Returns the most private data of an answer that accepts, in bytes. */
    protected int acceptDataMax() {
        return QueuePair.PRIVATE_DATA_MAX;
    }

    final boolean differs(Difference difference) {
        return differences().contains(difference);
    }

    /** Checks that private data arrived, with zeros behind it if the provider adds them. */
    final void privateDataArrived(byte[] sent, byte[] received) {
        boolean isPadded = differs(Difference.PADS_PRIVATE_DATA);
        assertArrayEquals(isPadded ? Arrays.copyOf(sent, received.length) : sent, received);
    }

    /** Checks that a side knows why the connection ended, unless the provider may hide it. */
    final void knowsWhy(End end) {
        assertTrue(differs(Difference.HIDES_REASONS) || end.queuePair.failure().isPresent());
    }

    /** Checks which handle of the peer ended the connection. */
    final void reportsHandle(UnknownHandle.Use use, int handle, End end) {
        var expected =
                differs(Difference.HIDES_HANDLES)
                        ? Optional.<UnknownHandle>empty()
                        : Optional.of(new UnknownHandle(use, handle));
        assertEquals(expected, end.queuePair.unknownHandle());
    }

    /** Returns the provider under test. If it has state, it must be new for each test. */
    protected abstract RdmaProvider provider();

    /**
     * Connects, while the passive side takes one request from the listener and answers it.
     *
     * @return the private data that the active side received
     */
    protected abstract byte[] connect(
            QueuePair queuePair,
            InetSocketAddress address,
            byte[] privateData,
            Listener passiveListener,
            Passive passiveSide)
            throws RdmaException, InterruptedException;

    @BeforeEach
    void connectTwoEnds() throws Exception {
        provider = provider();
        listener = provider.listen(anyPort());
        active = new End(provider, READS, READS);
        passive = new End(provider, READS, READS);
    }

    @AfterEach
    void closeAll() {
        active.close();
        passive.close();
        assertEquals(0, active.domain.registeredRegions());
        assertEquals(0, passive.domain.registeredRegions());
        listener.close();
        active.completionQueue.close();
        passive.completionQueue.close();
    }

    InetSocketAddress anyPort() {
        return new InetSocketAddress(address(), 0);
    }

    void connect() throws Exception {
        connect(active, passive, NOTHING, NOTHING);
    }

    byte[] connect(End one, End other, byte[] out, byte[] back) throws Exception {
        return connect(
                one.queuePair,
                listener.address(),
                out,
                listener,
                request -> request.accept(other.queuePair, back));
    }

    void await(BooleanSupplier wanted) throws Exception {
        await(wanted, active, passive);
    }

    static void await(BooleanSupplier wanted, End... ends) throws Exception {
        long start = System.nanoTime();
        while (!wanted.getAsBoolean()) {
            for (var end : ends) {
                end.poll(TURN_NANOS);
            }
            if (System.nanoTime() - start > PATIENCE_NANOS) {
                var seen = new StringBuilder();
                for (var end : ends) {
                    seen.append(end.queuePair.state()).append(' ').append(end.completed);
                }
                fail("the condition was not met; states and completions: " + seen);
            }
        }
    }

    void awaitLoss() throws Exception {
        await(
                () ->
                        active.queuePair.state() == QueuePair.State.ERROR
                                && passive.queuePair.state() == QueuePair.State.ERROR);
        active.poll(0);
        passive.poll(0);
    }

    static byte[] bytes(MemorySegment memory) {
        return memory.toArray(ValueLayout.JAVA_BYTE);
    }

    static List<Long> ids(List<Completion> completions) {
        return completions.stream().map(each -> each.workRequestId()).toList();
    }
}
