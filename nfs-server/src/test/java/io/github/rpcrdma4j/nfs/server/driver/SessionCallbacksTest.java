package io.github.rpcrdma4j.nfs.server.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.memory.MemoryBudget;
import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.server.driver.Callbacks.CallEnd;
import io.github.rpcrdma4j.nfs.state.CallbackSlot;
import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.CreateSessionCall;
import io.github.rpcrdma4j.nfs.state.event.ExchangeIdCall;
import io.github.rpcrdma4j.nfs.state.event.Principal;
import io.github.rpcrdma4j.nfs.state.event.Protection;
import io.github.rpcrdma4j.nfs.state.event.Sender;
import io.github.rpcrdma4j.nfs.state.event.Urgency;
import io.github.rpcrdma4j.nfs.state.limit.StateLimits;
import io.github.rpcrdma4j.nfs.state.limit.StateSettings;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackCompound;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackResult;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackSecurity;
import io.github.rpcrdma4j.nfs.v4.type.ChannelAttributes;
import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import io.github.rpcrdma4j.nfs.v4.type.FileHandle;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.SessionId;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.KeyedHash;
import io.github.rpcrdma4j.oncrpc.PeerIdentity;
import io.github.rpcrdma4j.oncrpc.ReverseDirection;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcReply;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.share.Host;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Goal: a callback that cannot be made costs that callback, and nothing else. */
class SessionCallbacksTest {
    private static final InetSocketAddress PEER =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);

    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final long LEASE = Duration.ofSeconds(90).toNanos();
    private static final int SLOTS = 1;

    private final FailureLog failures =
            new FailureLog(System.getLogger(SessionCallbacksTest.class.getName()));
    private final SegmentPool pool = new SegmentPool(1 << 16);
    private final Connections connections = new Connections();
    private final Peer peer = new Peer();
    private StateDriver driver;
    private SessionCallbacks callbacks;
    private SessionId session;
    private long clientId;

    private record TestHost() implements Host {}

    /** The client's end, which notes the calls that come and answers CB_SEQUENCE. */
    private final class Peer implements ReverseDirection, RpcClient {
        private final List<RpcCall> calls = new ArrayList<>();
        private long callMax = Long.MAX_VALUE;
        private Runnable beforeCall = () -> {};
        private Optional<AcceptStatus> refusal = Optional.empty();

        @Override
        public RpcClient client(Credential credential) {
            return this;
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public long callMax() {
            return callMax;
        }

        @Override
        public RpcReply call(RpcCall call, Duration timeout) throws RpcException {
            beforeCall.run();
            if (refusal.isPresent()) {
                throw new RpcException.Refused("test", refusal.get());
            }
            calls.add(call);
            return answer(call);
        }

        @Override
        public void close() {}
    }

    private record Reply(XdrReader results) implements RpcReply {
        @Override
        public void close() {}
    }

    private CallbackArguments.Sequence sequence(RpcCall call) {
        try (var arguments = new XdrWriter(pool)) {
            call.arguments().accept(arguments);
            var compound = CallbackCompound.decode(new XdrReader(arguments.reducedStream()));
            return (CallbackArguments.Sequence) compound.callbacks().getFirst();
        } catch (XdrException malformed) {
            throw new AssertionError(malformed);
        }
    }

    private RpcReply answer(RpcCall call) {
        try (var results = new XdrWriter(pool)) {
            var sequence = sequence(call);
            var all =
                    List.<CallbackResult>of(
                            new CallbackResult.Sequence(
                                    sequence.session(),
                                    sequence.sequence(),
                                    sequence.slot(),
                                    sequence.highestSlot(),
                                    sequence.highestSlot()));
            new CallbackCompound.Outcome(Nfs4Status.OK, Callbacks.NO_TAG, all).encode(results);
            byte[] reply = results.reducedStream().toArray(ValueLayout.JAVA_BYTE);
            return new Reply(new XdrReader(MemorySegment.ofArray(reply)));
        }
    }

    @BeforeEach
    void start() {
        driver =
                new StateDriver(
                        new StateSettings(
                                1, KeyedHash.random(), LEASE, LEASE, LEASE, StateLimits.DEFAULTS),
                        VolatileRecords.fresh(),
                        connections,
                        new StateNotices(),
                        failures,
                        System::nanoTime);
        callbacks = new SessionCallbacks(driver, connections, failures);
    }

    @AfterEach
    void stop() {
        driver.close();
    }

    /** Makes a session whose only slot for callbacks has these limits. */
    private void begin(int requestMax, int responseMax) throws Exception {
        var request =
                new RpcRequest(
                        4,
                        1,
                        new Credential.None(),
                        new XdrReader(MemorySegment.ofArray(new byte[0])),
                        PEER,
                        PeerIdentity.ofAddress(PEER),
                        pool,
                        Optional.of(peer));
        var sender =
                new Sender(
                        new Principal("none"), false, connections.of(request), new TestHost(), "");
        var owner = new ClientOwner(1, name(4));
        var exchange = new ExchangeIdCall(owner, 0, Protection.NONE, "test");
        var id = driver.results((all, now) -> all.exchangeId(exchange, 7, sender, now));
        var fore = new ChannelAttributes(0, 8192, 8192, 1024, 16, 8, OptionalInt.empty());
        var back =
                new ChannelAttributes(0, requestMax, responseMax, 0, 2, SLOTS, OptionalInt.empty());
        var creation =
                new CreateSessionCall(
                        id.clientId(),
                        id.sequence(),
                        CreateSessionCall.BACK_CHANNEL,
                        fore,
                        back,
                        1,
                        new ChosenSecurity(new CallbackSecurity.None(), 1));
        clientId = id.clientId();
        session =
                driver.results(
                                (all, now) ->
                                        all.createSession(
                                                creation, new SessionId(7, 1), sender, now))
                        .id();
    }

    private static OpaqueName name(int length) {
        return OpaqueName.of(new byte[length]);
    }

    private CallbackSlot slot() {
        return driver.read((all, now) -> all.callbacks().take(session, Urgency.OTHER));
    }

    /** Makes a call about a lock whose owner has a name of this length. */
    private CallEnd notifyOf(int ownerLength) {
        var owner = new StateOwner(7, name(ownerLength));
        var operation = new CallbackArguments.NotifyLock(FileHandle.of(new byte[32]), owner);
        var slot = assertInstanceOf(CallbackSlot.Taken.class, slot()).callback();
        return callbacks.call(slot, List.of(), List.of(operation), TIMEOUT);
    }

    @Test
    void aCallThatTheSessionDoesNotTakeIsLeftOut() throws Exception {
        begin(300, 4096);
        assertEquals(new CallEnd.NotTaken(), notifyOf(200));
        assertEquals(0, peer.calls.size());
        notifyOf(8);
        assertEquals(1, peer.calls.size());
    }

    @Test
    void aCallThatTheConnectionDoesNotCarryIsLeftOut() throws Exception {
        begin(4096, 4096);
        peer.callMax = 996;
        assertEquals(new CallEnd.NotTaken(), notifyOf(1000));
        assertEquals(0, peer.calls.size());
        notifyOf(8);
        peer.callMax = 1300;
        notifyOf(1000);
        assertEquals(2, peer.calls.size());
    }

    /** The client reserves no more memory for its reply than its session says. */
    @Test
    void resultsAreNotLongerThanTheSessionAllows() throws Exception {
        begin(4096, 100);
        notifyOf(8);
        assertTrue(peer.calls.getFirst().resultsMax() <= 100);
    }

    /** Else none of the kind would ever be made again. */
    @Test
    void aCallWithoutAThreadTakesNoPlace() throws Exception {
        begin(4096, 4096);
        var tried = new AtomicInteger();
        var none =
                new Callbacks(
                        driver,
                        connections,
                        null,
                        failures,
                        _ -> {
                            tried.incrementAndGet();
                            throw new OutOfMemoryError("no more threads");
                        });
        for (int i = 1; i <= 100; i++) {
            var call = new Action.RecallAny(clientId, i % 2);
            assertThrows(OutOfMemoryError.class, () -> none.start(call));
            assertEquals(i, tried.get());
        }
    }

    @Test
    void aCallWithoutMemoryIsLeftOut() throws Exception {
        begin(4096, 4096);
        var none = new SegmentPool(0, new MemoryBudget(1));
        peer.beforeCall = () -> none.lease(1 << 20).close();
        assertEquals(new CallEnd.NotSent(), notifyOf(8));
        peer.beforeCall = () -> {};
        assertInstanceOf(CallEnd.Answered.class, notifyOf(8));
        assertEquals(1, peer.calls.size());
    }

    /**
     * Goal: a gateway that cannot pass a long call to its client costs that call. Method: it
     * answers SYSTEM_ERR. Any other refusal says that the connection serves no callbacks.
     */
    @ParameterizedTest
    @EnumSource(names = "SUCCESS", mode = EnumSource.Mode.EXCLUDE)
    void aCallThatAGatewayDoesNotPassIsLeftOut(AcceptStatus refusal) throws Exception {
        begin(4096, 4096);
        peer.refusal = Optional.of(refusal);
        assertEquals(new CallEnd.NotTaken(), notifyOf(1000));
        peer.refusal = Optional.empty();
        if (refusal != AcceptStatus.SYSTEM_ERR) {
            assertEquals(new CallbackSlot.NoChannel(), slot(), "the channel has no connection");
            return;
        }
        notifyOf(8);
        var sequence = sequence(peer.calls.getFirst());
        assertEquals(1, sequence.sequence(), "the client has not taken the refused call");
    }

    /** Nobody knows whether the client has taken such a call: it has to bind a connection anew. */
    @Test
    void aCallThatThrowsCostsItsConnectionAndNotItsThread() throws Exception {
        for (var thrown : List.of(new IllegalStateException("test"), new StackOverflowError())) {
            stop();
            start();
            begin(4096, 4096);
            peer.beforeCall =
                    () -> {
                        if (thrown instanceof Error error) {
                            throw error;
                        }
                        throw (RuntimeException) thrown;
                    };
            notifyOf(8);
            assertEquals(new CallbackSlot.NoChannel(), slot(), "the channel has no connection");
            int clients = driver.read((all, now) -> all.snapshots().clients(9, now).size());
            assertEquals(1, clients, "the state goes on");
        }
    }
}
