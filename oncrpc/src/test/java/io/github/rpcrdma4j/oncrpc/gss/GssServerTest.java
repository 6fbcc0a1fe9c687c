package io.github.rpcrdma4j.oncrpc.gss;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.PatternProgram;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.oncrpc.spi.CallMessage;
import io.github.rpcrdma4j.oncrpc.spi.RawAuth;
import io.github.rpcrdma4j.oncrpc.spi.ReplyHeader;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.xdr.PayloadStream;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Goal: the server replies correctly to every kind of call. Method: handwritten messages. */
class GssServerTest {
    private static final InetSocketAddress PEER = InetSocketAddress.createUnresolved("peer", 1);
    private static final int XID = 77;

    private final SegmentPool pool = new SegmentPool(0);
    private final ToyMechanism mechanism = new ToyMechanism("alice", 1);
    private final AtomicLong now = new AtomicLong();
    private final GssServer server = new GssServer(mechanism, now::get);
    private final RpcDispatcher dispatcher =
            new RpcDispatcher(List.of(new PatternProgram(1, 1)), List.of(server));
    private GssContext client;
    private byte[] handle = new byte[0];

    @AfterEach
    void everythingIsGivenBack() {
        server.close();
        server.close();
        if (client != null) {
            client.close();
        }
        assertEquals(0, server.contexts());
        assertEquals(0, mechanism.open());
        assertEquals(0, pool.leased());
    }

    /** Returns the reply to a message, or null if there is none. */
    private MemorySegment answer(MemorySegment call) throws Exception {
        try (var reply = new XdrWriter(pool)) {
            return dispatcher.dispatch(new XdrReader(call), PEER, pool, reply) ? flat(reply) : null;
        }
    }

    private static MemorySegment flat(XdrWriter message) {
        var pieces = PayloadStream.of(message);
        var flat = MemorySegment.ofArray(new byte[(int) pieces.length()]);
        pieces.copyTo(flat);
        return flat;
    }

    private MemorySegment initCall(GssProcedure procedure, byte[] token) {
        try (var out = new XdrWriter(pool)) {
            var credential = new GssCredential(procedure, 0, GssService.NONE, handle);
            CallHeader.encode(out, XID, PatternProgram.PROGRAM, 1, 0, credential.encode());
            return flat(out.opaque(token));
        }
    }

    private GssInitResult agree(GssContext context) throws Exception {
        var reply = new XdrReader(answer(initCall(GssProcedure.INIT, context.step(new byte[0]))));
        assertInstanceOf(ReplyHeader.Success.class, ReplyHeader.decode(reply));
        var result = GssInitResult.decode(reply);
        context.step(result.token());
        handle = result.handle();
        return result;
    }

    private void establish() throws Exception {
        client = mechanism.initiate();
        var result = agree(client);
        assertEquals(GssInitResult.COMPLETE, result.major());
        assertEquals(SequenceWindow.SIZE, result.window());
        assertTrue(client.isEstablished());
    }

    private MemorySegment call(GssCredential credential, RpcCall call) throws Exception {
        try (var out = new XdrWriter(pool)) {
            CallMessage.encode(out, call, XID, new GssCallProtection(client, credential), pool);
            return flat(out);
        }
    }

    private GssCredential data(int sequence, GssService service) {
        return new GssCredential(GssProcedure.DATA, sequence, service, handle);
    }

    private ReplyHeader header(MemorySegment call) throws Exception {
        return ReplyHeader.decode(new XdrReader(answer(call)));
    }

    private void requireDenied(int status, MemorySegment call) throws Exception {
        assertEquals(new ReplyHeader.AuthError(XID, status), header(call));
    }

    @Test
    void signsTheWindowOfANewContext() throws Exception {
        var context = mechanism.initiate();
        var call = initCall(GssProcedure.INIT, context.step(new byte[0]));
        var reply = new XdrReader(answer(call));
        var success = (ReplyHeader.Success) ReplyHeader.decode(reply);
        context.step(GssInitResult.decode(reply).token());
        GssCallProtection.check(context, SequenceWindow.SIZE, success.verifier());
        assertEquals(1, server.contexts());
        context.close();
    }

    @Test
    void signsTheSequenceNumberOfEveryReply() throws Exception {
        establish();
        for (var service : GssService.values()) {
            var credential = data(10 + service.ordinal(), service);
            var protection = new GssCallProtection(client, credential);
            var call = PatternProgram.fetch(21);
            var reply = new XdrReader(answer(call(credential, call)));
            var results = ReplyHeader.requireSuccess(reply, call, XID, protection);
            assertTrue(PatternProgram.isPattern(results.bulk(21)));
            results.finish();
        }
        var refused = data(20, GssService.PRIVACY);
        var header = (ReplyHeader.Refused) header(call(refused, PatternProgram.procedure(99)));
        assertEquals(AcceptStatus.PROC_UNAVAIL, header.status());
        new GssCallProtection(client, refused).check(header.verifier());
        var noProgram = new RpcCall(1, 1, 1, _ -> {}, 0);
        assertEquals(
                AcceptStatus.PROG_UNAVAIL,
                ((ReplyHeader.Refused) header(call(data(21, GssService.NONE), noProgram)))
                        .status());
        var mismatch = new RpcCall(PatternProgram.PROGRAM, 9, 1, _ -> {}, 0);
        assertInstanceOf(
                ReplyHeader.ProgramMismatch.class,
                header(call(data(22, GssService.NONE), mismatch)));
    }

    @Test
    void dropsReplaysAndWhatIsTooOld() throws Exception {
        establish();
        for (var service : GssService.values()) {
            int sequence = 1000 * service.number();
            var call = call(data(sequence, service), PatternProgram.nullCall());
            assertInstanceOf(ReplyHeader.Success.class, header(call));
            assertEquals(null, answer(call));
            var old = data(sequence - SequenceWindow.SIZE, service);
            assertEquals(null, answer(call(old, PatternProgram.nullCall())));
        }
    }

    @Test
    void wantsAnotherContextAboveTheHighestNumber() throws Exception {
        establish();
        var highest = data(SequenceWindow.MAXSEQ, GssService.NONE);
        assertInstanceOf(
                ReplyHeader.Success.class, header(call(highest, PatternProgram.nullCall())));
        requireDenied(
                ReplyHeader.RPCSEC_GSS_CTXPROBLEM,
                call(data(SequenceWindow.MAXSEQ + 1, GssService.NONE), PatternProgram.nullCall()));
    }

    @Test
    void deniesHeadersThatAreNotSigned() throws Exception {
        establish();
        var good = call(data(5, GssService.NONE), PatternProgram.nullCall());
        int credentialStart = 24;
        int lastOfProcedure = 39;
        long verifierEnd = good.byteSize();
        for (long at = 0; at < verifierEnd; at++) {
            byte oneByte = good.get(ValueLayout.JAVA_BYTE, at);
            good.set(ValueLayout.JAVA_BYTE, at, (byte) (oneByte ^ 1));
            var reply = answer(good);
            boolean isRpcItself = at >= 4 && at < 12;
            if (reply != null && !isRpcItself) {
                var header = ReplyHeader.decode(new XdrReader(reply));
                // A DATA that was changed to INIT has no token.
                var wanted =
                        at == lastOfProcedure
                                ? ReplyHeader.Refused.class
                                : ReplyHeader.AuthError.class;
                assertInstanceOf(wanted, header, "byte " + at);
            } else {
                assertTrue(at < credentialStart, "byte " + at + " was let in");
            }
            good.set(ValueLayout.JAVA_BYTE, at, oneByte);
        }
        // None of the corrupted calls has used the sequence number.
        assertInstanceOf(ReplyHeader.Success.class, header(good));
    }

    @Test
    void takesNoVerifierOfAnotherFlavor() throws Exception {
        establish();
        try (var out = new XdrWriter(pool)) {
            var credential = data(5, GssService.NONE).encode();
            CallHeader.encode(out, XID, PatternProgram.PROGRAM, 1, 0, credential);
            requireDenied(ReplyHeader.RPCSEC_GSS_CREDPROBLEM, flat(out));
        }
    }

    @Test
    void takesNoArgumentsThatWereAltered() throws Exception {
        establish();
        var call = PatternProgram.store(MemorySegment.ofArray(new byte[100]));
        for (var service : new GssService[] {GssService.INTEGRITY, GssService.PRIVACY}) {
            var credential = data(service.number(), service);
            var message = call(credential, call);
            long last = message.byteSize() - 60;
            byte oneByte = message.get(ValueLayout.JAVA_BYTE, last);
            message.set(ValueLayout.JAVA_BYTE, last, (byte) (oneByte ^ 1));
            var header = (ReplyHeader.Refused) header(message);
            assertEquals(AcceptStatus.GARBAGE_ARGS, header.status());
            new GssCallProtection(client, credential).check(header.verifier());
        }
    }

    @Test
    void takesNoArgumentsOfAnotherCall() throws Exception {
        establish();
        try (var unproved = new XdrWriter(pool);
                var out = new XdrWriter(pool);
                var content = new XdrWriter(pool)) {
            var credential = data(5, GssService.INTEGRITY).encode();
            CallHeader.encode(unproved, XID, PatternProgram.PROGRAM, 1, 0, credential);
            var header = CallHeader.decode(new XdrReader(flat(unproved)));
            out.fixedOpaque(unproved.reducedStream().asSlice(0, unproved.reducedLength() - 8));
            byte[] mic = client.mic(header.bytesToVerifier());
            out.uint32(GssCredential.FLAVOR).opaque(mic);
            GssBody.wrap(GssService.INTEGRITY, client, 4, content, out);
            var refused = (ReplyHeader.Refused) header(flat(out));
            assertEquals(AcceptStatus.GARBAGE_ARGS, refused.status());
        }
    }

    @Test
    void deniesContextsItDoesNotKnow() throws Exception {
        establish();
        var known = handle;
        for (var unknown :
                List.of(
                        new byte[0],
                        new byte[7],
                        new byte[8],
                        new byte[GssCredential.HANDLE_MAX])) {
            handle = unknown;
            requireDenied(
                    ReplyHeader.RPCSEC_GSS_CREDPROBLEM,
                    call(data(5, GssService.NONE), PatternProgram.nullCall()));
            requireDenied(
                    ReplyHeader.RPCSEC_GSS_CREDPROBLEM,
                    initCall(GssProcedure.CONTINUE_INIT, new byte[4]));
        }
        handle = known;
        requireDenied(
                ReplyHeader.RPCSEC_GSS_CREDPROBLEM,
                initCall(GssProcedure.CONTINUE_INIT, new byte[4]));
    }

    @Test
    void deniesCredentialsItCannotRead() throws Exception {
        var strange = new RawAuth(GssCredential.FLAVOR, MemorySegment.ofArray(new byte[20]));
        try (var out = new XdrWriter(pool)) {
            CallHeader.encode(out, XID, PatternProgram.PROGRAM, 1, 0, strange);
            requireDenied(ReplyHeader.AUTH_BADCRED, flat(out));
        }
        assertFalse(server.wrapsData(strange));
    }

    @Test
    void takesTokensByNullAlone() throws Exception {
        for (var procedure : new GssProcedure[] {GssProcedure.INIT, GssProcedure.DESTROY}) {
            try (var out = new XdrWriter(pool)) {
                var credential = new GssCredential(procedure, 0, GssService.NONE, handle);
                CallHeader.encode(out, XID, PatternProgram.PROGRAM, 1, 1, credential.encode());
                requireDenied(ReplyHeader.AUTH_BADCRED, flat(out));
            }
        }
    }

    @Test
    void passesTheMechanismsRefusalOn() throws Exception {
        var stranger = new ToyMechanism("mallory", 1).initiate();
        var reply = new XdrReader(answer(initCall(GssProcedure.INIT, stranger.step(new byte[0]))));
        assertEquals(RawAuth.NONE, ((ReplyHeader.Success) ReplyHeader.decode(reply)).verifier());
        var result = GssInitResult.decode(reply);
        assertEquals(9 << 16, result.major());
        assertEquals(77, result.minor());
        assertEquals(0, result.handle().length);
        assertEquals(0, server.contexts());
    }

    @Test
    void refusesTokensThatEndEarly() throws Exception {
        var whole = initCall(GssProcedure.INIT, new byte[40]);
        var header = (ReplyHeader.Refused) header(whole.asSlice(0, whole.byteSize() - 8));
        assertEquals(AcceptStatus.GARBAGE_ARGS, header.status());
        assertEquals(0, mechanism.open());
    }

    @Test
    void forgetsAContextThatIsDestroyed() throws Exception {
        establish();
        var goodbye = new GssCredential(GssProcedure.DESTROY, 5, GssService.NONE, handle);
        var header = (ReplyHeader.Success) header(call(goodbye, PatternProgram.nullCall()));
        new GssCallProtection(client, goodbye).check(header.verifier());
        assertEquals(0, server.contexts());
        assertEquals(1, mechanism.open());
        requireDenied(
                ReplyHeader.RPCSEC_GSS_CREDPROBLEM,
                call(data(6, GssService.NONE), PatternProgram.nullCall()));
    }

    @Test
    void forgetsContextsThatAreIdle() throws Exception {
        establish();
        now.addAndGet(ContextStore.IDLE_NANOS);
        requireDenied(
                ReplyHeader.RPCSEC_GSS_CREDPROBLEM,
                call(data(1, GssService.NONE), PatternProgram.nullCall()));
        var old = client;
        establish();
        old.close();
        assertEquals(1, server.contexts());
        assertEquals(2, mechanism.open());
    }

    @Test
    void forgetsAContextWhoseTicketEnded() throws Exception {
        mechanism.lifetime(Duration.ofSeconds(7));
        establish();
        now.addAndGet(Duration.ofSeconds(7).toNanos() - 1);
        assertInstanceOf(
                ReplyHeader.Success.class,
                header(call(data(1, GssService.NONE), PatternProgram.nullCall())));
        now.addAndGet(1);
        requireDenied(
                ReplyHeader.RPCSEC_GSS_CREDPROBLEM,
                call(data(2, GssService.NONE), PatternProgram.nullCall()));
    }

    /** Goal: one principal cannot displace the contexts of others. */
    @Test
    void fiveThousandContextsOfOnePrincipalCostItsOwnAlone() throws Exception {
        establish();
        var others = new ToyMechanism("mallet", 1);
        for (int i = 0; i < 5000; i++) {
            try (var context = others.initiate()) {
                answer(initCall(GssProcedure.INIT, context.step(new byte[0])));
            }
        }
        assertEquals(ContextStore.PRINCIPAL_MAX + 1, server.contexts());
        assertInstanceOf(
                ReplyHeader.Success.class,
                header(call(data(1, GssService.NONE), PatternProgram.nullCall())));
    }

    /** Goal: what the mechanism remembers of its tokens is bounded, for each client. */
    @Test
    void aClientMayNotBeginContextsWithoutEnd() throws Exception {
        int accepted = 0;
        while (begins(PEER)) {
            accepted++;
        }
        assertEquals(ContextStore.ESTABLISHED_MAX, accepted);
        assertTrue(begins(new InetSocketAddress(InetAddress.ofLiteral("10.0.0.2"), 1)));
        assertFalse(begins(PEER));
        now.addAndGet(2 * RecentTokens.COUNTS_NANOS);
        assertTrue(begins(PEER));
    }

    /** Returns whether a client can begin a context. */
    private boolean begins(InetSocketAddress peer) throws Exception {
        try (var context = mechanism.initiate();
                var out = new XdrWriter(pool)) {
            var call = initCall(GssProcedure.INIT, context.step(new byte[0]));
            assertTrue(dispatcher.dispatch(new XdrReader(call), peer, pool, out));
            var reply = new XdrReader(flat(out));
            assertInstanceOf(ReplyHeader.Success.class, ReplyHeader.decode(reply));
            return GssInitResult.decode(reply).major() == GssInitResult.COMPLETE;
        }
    }

    @Test
    void boundsContextsThatAreNeverCompleted() throws Exception {
        var slow = new ToyMechanism("alice", 3);
        try (var patient = new GssServer(slow, now::get)) {
            var own = new RpcDispatcher(List.of(new PatternProgram(1, 1)), List.of(patient));
            for (int i = 0; i < 3 * ContextStore.CLIENT_NEGOTIATING_MAX; i++) {
                var context = slow.initiate();
                var call = initCall(GssProcedure.INIT, context.step(new byte[0]));
                context.close();
                try (var reply = new XdrWriter(pool)) {
                    assertTrue(own.dispatch(new XdrReader(call), PEER, pool, reply));
                }
            }
            assertEquals(ContextStore.CLIENT_NEGOTIATING_MAX, patient.contexts());
            assertEquals(ContextStore.CLIENT_NEGOTIATING_MAX, slow.open());
        }
        assertEquals(0, slow.open());
    }

    @Test
    void saysWhatMayBePlaced() {
        for (var service : GssService.values()) {
            boolean wraps = service != GssService.NONE;
            assertEquals(wraps, server.wrapsData(data(1, service).encode()));
            var init = new GssCredential(GssProcedure.INIT, 1, service, handle);
            assertFalse(server.wrapsData(init.encode()));
        }
    }
}
