package io.github.rpcrdma4j.nfs.server.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.ClientRecord;
import io.github.rpcrdma4j.nfs.state.event.Outcome;
import io.github.rpcrdma4j.nfs.state.event.Principal;
import io.github.rpcrdma4j.nfs.state.limit.StateLimits;
import io.github.rpcrdma4j.nfs.state.limit.StateSettings;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.KeyedHash;
import io.github.rpcrdma4j.oncrpc.PeerIdentity;
import io.github.rpcrdma4j.oncrpc.ReverseDirection;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.share.HostPlace;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import io.github.rpcrdma4j.testing.Eventually;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: the threads of the state go on, and the log tells, if what the state calls throws. Method:
 * each of them throws.
 */
class ThrowingUpcallsTest {
    private static final InetSocketAddress PEER =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);

    private static final long LEASE = Duration.ofSeconds(90).toNanos();
    private static final long PATIENCE_SECONDS = 20;

    private final Logger logger = Logger.getLogger(ThrowingUpcallsTest.class.getName());
    private final List<String> told = new CopyOnWriteArrayList<>();
    private final Handler handler =
            new Handler() {
                @Override
                public void publish(LogRecord each) {
                    told.add(each.getMessage());
                }

                @Override
                public void flush() {}

                @Override
                public void close() {}
            };
    private final FailureLog failures =
            new FailureLog(System.getLogger(ThrowingUpcallsTest.class.getName()));
    private final Connections connections = new Connections();
    private StateDriver driver;

    /** What is thrown. */
    enum Thrown {
        EXCEPTION,
        ERROR;

        <T> T now() {
            if (this == ERROR) {
                throw new StackOverflowError("test");
            }
            throw new IllegalStateException("test");
        }
    }

    @BeforeEach
    void start() {
        logger.addHandler(handler);
        logger.setUseParentHandlers(false);
        driver =
                new StateDriver(
                        new StateSettings(
                                1, KeyedHash.random(), LEASE, LEASE, LEASE, StateLimits.DEFAULTS),
                        VolatileRecords.fresh(),
                        connections,
                        new StateNotices(),
                        failures,
                        System::nanoTime);
    }

    @AfterEach
    void stop() {
        driver.close();
        logger.removeHandler(handler);
    }

    @ParameterizedTest
    @EnumSource
    void anActionThatCannotBeStartedHoldsUpNoOther(Thrown thrown) {
        var started = new ArrayList<Action>();
        driver.onAction(
                action -> {
                    started.add(action);
                    thrown.now();
                });
        List<Action> actions = List.of(new Action.RecallAny(1, 0), new Action.RecallAny(2, 0));
        var outcome =
                driver.happen((_, _) -> new Outcome<>(Nfs4Status.OK, "done", actions, 0, null));
        assertEquals("done", outcome.value());
        assertEquals(actions, started);
        assertEquals(1, told.size());
    }

    /** Each tick of the state asks the connections whether they are open. */
    @ParameterizedTest
    @EnumSource
    void theTimeOfTheStateGoesOn(Thrown thrown) throws Exception {
        var asked = new CountDownLatch(2);
        var reverse =
                new ReverseDirection() {
                    @Override
                    public RpcClient client(Credential credential) {
                        return thrown.now();
                    }

                    @Override
                    public boolean isOpen() {
                        asked.countDown();
                        return thrown.now();
                    }
                };
        connections.of(
                new RpcRequest(
                        4,
                        1,
                        new Credential.None(),
                        new XdrReader(MemorySegment.ofArray(new byte[0])),
                        PEER,
                        PeerIdentity.ofAddress(PEER),
                        new SegmentPool(0),
                        Optional.of(reverse)));
        assertTrue(asked.await(PATIENCE_SECONDS, TimeUnit.SECONDS), "no second tick");
        assertEquals(1, told.size());
    }

    @ParameterizedTest
    @EnumSource
    void storageGoesOnThoughItsListenerThrows(Thrown thrown) throws Exception {
        var record = new ClientRecord(OpaqueName.of(new byte[4]), new Principal("sys:0"), "", 0);
        var place = new HostPlace(null, "");
        try (var actions =
                new StoredActions(VolatileRecords.fresh(), failures, (_, _) -> thrown.now())) {
            actions.add(new Action.Persist(1, record, place));
            actions.await(1, null);
            actions.add(new Action.Persist(2, record, place));
            actions.await(2, null);
        }
        assertEquals(1, told.size());
    }

    @ParameterizedTest
    @EnumSource
    void aThreadWhoseEndNobodyAwaitsTellsWhyItEnds(Thrown thrown) throws Exception {
        var thread = Thread.ofVirtual().start(failures.guarded("work", thrown::now));
        assertTrue(thread.join(Duration.ofSeconds(PATIENCE_SECONDS)));
        assertEquals(List.of("work"), told);
    }

    /** One thing that is not heeded does not keep the next one from being heeded. */
    @Test
    void aConflictThatIsNotHeededIsNoticed() throws Exception {
        var heeded = new CountDownLatch(2);
        var notices =
                new Notices(
                        task -> Thread.ofVirtual().start(failures.guarded("notice", task)),
                        () -> {
                            heeded.countDown();
                            Thrown.ERROR.now();
                        });
        Eventually.await(
                Duration.ofSeconds(PATIENCE_SECONDS),
                () -> {
                    notices.add();
                    return heeded.getCount() == 0;
                });
    }
}
