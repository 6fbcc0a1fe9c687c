package io.github.rpcrdma4j.nfs.client.v4;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.client.service.Waits;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.attribute.EncodedAttributes;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeArguments;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeResult;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackCompound;
import io.github.rpcrdma4j.nfs.v4.operation.HandleArguments;
import io.github.rpcrdma4j.nfs.v4.operation.HandleResult;
import io.github.rpcrdma4j.nfs.v4.operation.LeaseArguments;
import io.github.rpcrdma4j.nfs.v4.operation.LeaseResult;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.nfs.v4.operation.OpenDelegation;
import io.github.rpcrdma4j.nfs.v4.operation.Result;
import io.github.rpcrdma4j.nfs.v4.operation.SessionArguments;
import io.github.rpcrdma4j.nfs.v4.operation.SessionResult;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
import io.github.rpcrdma4j.nfs.v4.operation.StateProtection;
import io.github.rpcrdma4j.nfs.v4.operation.StateResult;
import io.github.rpcrdma4j.nfs.v4.type.ChangeInfo;
import io.github.rpcrdma4j.nfs.v4.type.ChannelAttributes;
import io.github.rpcrdma4j.nfs.v4.type.FileHandle;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.SessionId;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.oncrpc.ProcessCredential;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.raw.HeaderWords;
import io.github.rpcrdma4j.rpcrdma.raw.RawEnd;
import io.github.rpcrdma4j.rpcrdma.raw.Words;
import io.github.rpcrdma4j.verbs.Listener;
import io.github.rpcrdma4j.verbs.RdmaException;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A server of NFS version 4 over RDMA that a test operates by hand. It makes and ends sessions, and
 * answers SEQUENCE alone, as a server does; in version 4.0 it takes and confirms clients. Each
 * other call waits for the test, which sees its transport header, and answers it with anything.
 */
final class ServerByHand implements AutoCloseable {
    static final int CREDITS = 8;

    /** RFC 8797: version 1, no remote invalidation, 5120 bytes to send and to receive. */
    static final Words INLINE_5120 = Words.hex("f6ab0e18 01000404");

    /** The same with 1024 bytes. */
    static final Words INLINE_1024 = Words.hex("f6ab0e18 01000000");

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int LEASE_SECONDS = 90;
    private static final long CLIENT = 0x0123_4567_89ab_cdefL;
    private static final Set<Opcode> OF_SESSIONS =
            EnumSet.of(
                    Opcode.SEQUENCE,
                    Opcode.EXCHANGE_ID,
                    Opcode.CREATE_SESSION,
                    Opcode.BIND_CONN_TO_SESSION,
                    Opcode.RECLAIM_COMPLETE,
                    Opcode.DESTROY_SESSION,
                    Opcode.DESTROY_CLIENTID,
                    Opcode.SETCLIENTID,
                    Opcode.SETCLIENTID_CONFIRM,
                    Opcode.RENEW,
                    Opcode.RELEASE_LOCKOWNER);

    private static final List<Opcode> CLOSING_OF_OWNER = List.of(Opcode.PUTFH, Opcode.CLOSE);

    private static final List<Opcode> CLOSING =
            List.of(Opcode.SEQUENCE, Opcode.PUTFH, Opcode.CLOSE);

    /** How a client closes what an OPEN without an answer may have opened. */
    private static final List<Opcode> CLOSING_UNUSED =
            List.of(Opcode.SEQUENCE, Opcode.PUTFH, Opcode.OPEN, Opcode.GETFH, Opcode.CLOSE);

    private final RdmaProvider provider = new IwarpProvider();
    private final Listener listener;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Set<RawEnd> ends = ConcurrentHashMap.newKeySet();
    private final BlockingQueue<HandedCall> handed = new LinkedBlockingQueue<>();
    private final List<Arguments> received = new CopyOnWriteArrayList<>();
    private final Set<Opcode> forTest = ConcurrentHashMap.newKeySet();
    private final ChannelAttributes limits;
    private final Waits waits = new Waits();
    private volatile Words privateData = INLINE_5120;
    private volatile Nfs4Status onRepetition = Nfs4Status.RETRY_UNCACHED_REP;

    /** Guarded by this object, like the field below: the number of the newest session. */
    private int session;

    /** The number of the newest call of each slot that was carried out. */
    private final Map<Integer, Integer> used = new HashMap<>();

    /** A server that takes as much as the client asks for. */
    ServerByHand() throws RdmaException {
        this(Integer.MAX_VALUE, Integer.MAX_VALUE);
    }

    /**
     * @param messageMax the most bytes of a call, and of a reply
     * @param slots the most slots of a session
     */
    ServerByHand(int messageMax, int slots) throws RdmaException {
        this(messageMax, slots, Integer.MAX_VALUE);
    }

    /**
     * @param operations the most operations of a COMPOUND
     */
    ServerByHand(int messageMax, int slots, int operations) throws RdmaException {
        listener = provider.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        limits =
                new ChannelAttributes(
                        0,
                        messageMax,
                        messageMax,
                        messageMax,
                        operations,
                        slots,
                        OptionalInt.empty());
        threads.submit(this::acceptAll);
    }

    private Void acceptAll() throws Exception {
        try {
            while (true) {
                var request = listener.accept(PATIENCE);
                if (request.isPresent()) {
                    var end = RawEnd.accept(provider, request.get(), privateData.bytes());
                    ends.add(end);
                    threads.submit(() -> serve(end));
                }
            }
        } catch (RdmaException closed) {
            return null;
        }
    }

    private Void serve(RawEnd end) throws Exception {
        var message = end.receiveUnlessLost();
        while (message.isPresent()) {
            if (!HandedCall.isReply(message.get())) {
                take(HandedCall.of(this, end, message.get()));
            }
            message = end.receiveUnlessLost();
        }
        return null;
    }

    private void take(HandedCall call) {
        received.addAll(call.operations());
        if (isForTest(call)) {
            handed.add(call);
        } else {
            answer(call);
        }
    }

    private boolean isForTest(HandedCall call) {
        return call.operations().isEmpty()
                ? call.isLong()
                : !isOfServer(call) || forTest.contains(call.opcodes().getLast());
    }

    /** Returns whether the server answers a call by itself. */
    private static boolean isOfServer(HandedCall call) {
        return OF_SESSIONS.containsAll(call.opcodes())
                || call.opcodes().equals(CLOSING)
                || call.opcodes().equals(CLOSING_OF_OWNER)
                || call.opcodes().equals(CLOSING_UNUSED)
                || isOfLease(call);
    }

    private static boolean isOfLease(HandedCall call) {
        return call.operations().stream()
                .anyMatch(
                        each ->
                                each instanceof AttributeArguments.GetAttr(var wanted)
                                        && wanted.has(Attribute.LEASE_TIME));
    }

    /** Hands calls of these operations to the test, too. SEQUENCE stands for SEQUENCE alone. */
    void hand(Opcode... opcodes) {
        forTest.addAll(List.of(opcodes));
    }

    /** Keeps calls from the test again that are no business of it. */
    void handNoMore() {
        forTest.clear();
    }

    /** Sets what SEQUENCE alone is answered if the number of its slot is used up. */
    void onRepetition(Nfs4Status status) {
        onRepetition = status;
    }

    /** Sets what later connections say of their thresholds. */
    void privateData(Words changed) {
        privateData = changed;
    }

    /** Returns the arguments of a kind that were received until now. */
    <T extends Arguments> List<T> received(Class<T> type) {
        return received.stream().filter(type::isInstance).map(type::cast).toList();
    }

    /** Connects a client. */
    Nfs4Service connect() throws Exception {
        return connect(NfsVersion.VERSION_4_2, 4096);
    }

    /**
     * Connects a client.
     *
     * @param inline its thresholds
     */
    Nfs4Service connect(NfsVersion version, int inline) throws Exception {
        return connect(version, inline, 1);
    }

    /**
     * Connects a client.
     *
     * @param inline its thresholds
     * @param connections how many it makes
     */
    Nfs4Service connect(NfsVersion version, int inline, int connections) throws Exception {
        return connect(version, inline, connections, PATIENCE);
    }

    /** Connects a client by version 4.2, whose calls may take so long. */
    Nfs4Service connect(Duration timeout) throws Exception {
        return connect(NfsVersion.VERSION_4_2, 4096, 1, timeout);
    }

    private Nfs4Service connect(NfsVersion version, int inline, int connections, Duration timeout)
            throws Exception {
        var connector =
                RpcRdmaClient.builder()
                        .provider(provider)
                        .credential(ProcessCredential.read())
                        .binding(version.binding())
                        .inlineThresholds(inline, inline)
                        .connector(listener.address());
        return Nfs4Service.connect(
                connector,
                ClientOptions.DEFAULT
                        .withVersion(version)
                        .withTimeout(timeout)
                        .withRetry(PATIENCE)
                        .withConnections(connections)
                        .withWaits(waits)
                        .withCaller(ProcessCredential.read()),
                version);
    }

    /** Returns what hears of the waits of its clients. */
    Waits waits() {
        return waits;
    }

    /** Begins with a call of the client. */
    <T> Future<T> calling(Callable<T> call) {
        return threads.submit(call);
    }

    /** Waits for the next call that is for the test. */
    HandedCall next() throws InterruptedException {
        var next = handed.poll(PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
        if (next == null) {
            throw new AssertionError("the client has sent nothing");
        }
        return next;
    }

    /** Waits for the next call, and requires that it has these operations. */
    HandedCall next(Opcode... opcodes) throws InterruptedException {
        var next = next();
        assertEquals(List.of(opcodes), next.opcodes());
        return next;
    }

    /** Returns how many calls wait for the test. */
    int waiting() {
        return handed.size();
    }

    /** Takes note that the number of a slot is used up. */
    synchronized void use(SessionArguments.Sequence sequence) {
        used.put(sequence.slot(), sequence.sequence());
    }

    private synchronized Nfs4Status judge(SessionArguments.Sequence sequence) {
        if (!sequence.session().equals(new SessionId(1, session))) {
            return Nfs4Status.BADSESSION;
        }
        int last = used.getOrDefault(sequence.slot(), 0);
        return sequence.sequence() == last + 1
                ? Nfs4Status.OK
                : sequence.sequence() == last ? onRepetition : Nfs4Status.SEQ_MISORDERED;
    }

    /** Requires that a call has the number that its slot is at. */
    void requireInOrder(HandedCall call) {
        assertEquals(Nfs4Status.OK, judge(call.sequence()), () -> call.sequence().toString());
    }

    /** Returns a successful result of SEQUENCE. */
    SessionResult.Sequence sequenceOf(SessionArguments.Sequence sent) {
        int highest = limits.slots() < 64 ? limits.slots() - 1 : 63;
        return new SessionResult.Sequence(
                sent.session(), sent.sequence(), sent.slot(), highest, highest, 0);
    }

    /** Answers a call as a server does. */
    void answer(HandedCall call) {
        if (call.operations().isEmpty()) {
            call.reply();
            return;
        }
        if (call.operations().getFirst() instanceof SessionArguments.Sequence sequence) {
            var status = judge(sequence);
            if (status == Nfs4Status.OK) {
                call.answer(
                        call.operations().stream()
                                .skip(1)
                                .map(this::result)
                                .toArray(Result[]::new));
            } else {
                call.failSequence(status);
            }
        } else {
            call.reply(Nfs4Status.OK, call.operations().stream().map(this::result).toList());
        }
    }

    private Result result(Arguments operation) {
        return switch (operation) {
            case SessionArguments.ExchangeId _ ->
                    new SessionResult.ExchangeId(
                            CLIENT,
                            1,
                            SessionArguments.ExchangeId.USE_NON_PNFS,
                            new StateProtection.None(),
                            0,
                            name("by hand"),
                            name("by hand"),
                            Optional.empty());
            case SessionArguments.CreateSession asked ->
                    new SessionResult.CreateSession(
                            begun(),
                            asked.sequence(),
                            asked.flags(),
                            granted(asked.fore()),
                            asked.back());
            case SessionArguments.BindConnToSession asked ->
                    new SessionResult.BindConnToSession(
                            asked.session(),
                            switch (asked.direction()) {
                                case FORE -> SessionResult.BindConnToSession.Direction.FORE;
                                case BACK -> SessionResult.BindConnToSession.Direction.BACK;
                                case FORE_OR_BOTH, BACK_OR_BOTH ->
                                        SessionResult.BindConnToSession.Direction.BOTH;
                            },
                            false);
            case AttributeArguments.GetAttr _ ->
                    new AttributeResult.GetAttr(
                            EncodedAttributes.of(
                                    AttributeSet.of(Attribute.LEASE_TIME),
                                    new byte[] {0, 0, 0, LEASE_SECONDS}));
            case StateArguments.Open _ ->
                    new StateResult.Open(
                            new StateId(1, 2, 3),
                            new ChangeInfo(true, 1, 1),
                            0,
                            AttributeSet.NONE,
                            new OpenDelegation.None());
            case LeaseArguments.SetClientId _ -> new LeaseResult.SetClientId(CLIENT, 1);
            case HandleArguments.GetFh _ -> new HandleResult.GetFh(FileHandle.of(new byte[32]));
            case StateArguments.Close _ -> new StateResult.Close(StateId.INVALID);
            default -> Result.done(operation.opcode());
        };
    }

    /** Calls the client back in the newest session, on the first slot, for the first time. */
    synchronized void callBack(RawEnd end, CallbackArguments... callbacks) {
        var all = new ArrayList<CallbackArguments>();
        all.add(
                new CallbackArguments.Sequence(
                        new SessionId(1, session), 1, 0, 0, true, List.of()));
        all.addAll(List.of(callbacks));
        try (var out = new XdrWriter(new SegmentPool(1 << 16))) {
            new CallbackCompound(Compounds.NO_TAG, 2, 0, all).encode(out);
            int xid = 0x7000_0000;
            // A call of RPC version 2 without credential and verifier (RFC 5531, Section 9).
            end.send(
                    HeaderWords.msg(xid, CREDITS)
                            .word(0, 0, 0)
                            .word(xid, 0, 2, BackChannel.PROGRAM, 1, 1)
                            .word(0, 0, 0, 0)
                            .and(new Words(out.reducedStream().toArray(ValueLayout.JAVA_BYTE))));
        }
    }

    private static OpaqueName name(String text) {
        return OpaqueName.of(text.getBytes(StandardCharsets.US_ASCII));
    }

    private synchronized SessionId begun() {
        session++;
        used.clear();
        return new SessionId(1, session);
    }

    private ChannelAttributes granted(ChannelAttributes asked) {
        return new ChannelAttributes(
                0,
                Math.min(asked.requestMax(), limits.requestMax()),
                Math.min(asked.responseMax(), limits.responseMax()),
                Math.min(asked.cachedMax(), limits.cachedMax()),
                Math.min(asked.operations(), limits.operations()),
                Math.min(asked.slots(), limits.slots()),
                OptionalInt.empty());
    }

    /** Ends a connection. */
    void cut(RawEnd end) {
        if (ends.remove(end)) {
            end.close();
        }
    }

    @Override
    public void close() {
        listener.close();
        threads.shutdownNow();
        ends.forEach(RawEnd::close);
        threads.close();
    }
}
