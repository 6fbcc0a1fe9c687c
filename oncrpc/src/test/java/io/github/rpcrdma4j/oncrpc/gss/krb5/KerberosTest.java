package io.github.rpcrdma4j.oncrpc.gss.krb5;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.PatternProgram;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.gss.GssClient;
import io.github.rpcrdma4j.oncrpc.gss.GssContext;
import io.github.rpcrdma4j.oncrpc.gss.GssException;
import io.github.rpcrdma4j.oncrpc.gss.GssServer;
import io.github.rpcrdma4j.oncrpc.gss.GssService;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcClient;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcServer;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: Kerberos works as a mechanism of RPCSEC_GSS. Method: real tickets of an embedded KDC. */
class KerberosTest {
    private static final Duration DEADLINE = Duration.ofSeconds(20);
    private static final String SERVICE = "nfs/localhost";
    private static final String NAME = "nfs@localhost";
    private static final int HEADER_BYTES = 16;
    private static final long DAY_NANOS = Duration.ofDays(1).toNanos();

    @TempDir private static Path directory;
    private static EmbeddedKdc kdc;
    private static KerberosLogin alice;
    private static KerberosAcceptor acceptor;

    @BeforeAll
    static void startKdc() throws Exception {
        kdc = EmbeddedKdc.start(directory);
        alice = KerberosLogin.ofTicketCache(Optional.of(kdc.ticketCache("alice")));
        acceptor = new KerberosAcceptor(KerberosLogin.ofService(kdc.keytab(SERVICE), SERVICE));
    }

    @AfterAll
    static void stopKdc() throws Exception {
        kdc.close();
    }

    private static GssContext[] pair() throws GssException {
        var initiator = new KerberosInitiator(alice, NAME).initiate();
        var accepted = acceptor.accept();
        byte[] token = initiator.step(new byte[0]);
        initiator.step(accepted.step(token));
        assertTrue(initiator.isEstablished() && accepted.isEstablished());
        return new GssContext[] {initiator, accepted};
    }

    @Test
    void provesBothEnds() throws Exception {
        try (var initiator = pair()[0];
                var accepted = pair()[1]) {
            assertEquals("alice@" + EmbeddedKdc.REALM, accepted.peer());
            assertTrue(initiator.isEstablished());
        }
    }

    @Test
    void signsAndEncryptsWithinItsLimits() throws Exception {
        var pair = pair();
        for (int size : new int[] {0, 1, 15, 16, 17, 1000, 100_000}) {
            byte[] message = new byte[size];
            new Random(size).nextBytes(message);
            for (int from = 0; from < 2; from++) {
                var sender = pair[from];
                var receiver = pair[1 - from];
                byte[] mic = sender.mic(message);
                assertTrue(mic.length <= sender.micMax(), "MIC of " + mic.length);
                receiver.verify(message, mic);
                byte[] wrapped = sender.wrap(message);
                assertTrue(wrapped.length <= size + sender.wrapOverheadMax());
                assertArrayEquals(message, receiver.unwrap(wrapped));
            }
        }
        pair[0].close();
        pair[0].close();
        pair[1].close();
    }

    @Test
    void findsEveryDamage() throws Exception {
        var pair = pair();
        byte[] message = {1, 2, 3, 4, 5};
        byte[] mic = pair[0].mic(message);
        byte[] wrapped = pair[0].wrap(message);
        for (int at = 0; at < mic.length; at++) {
            mic[at] ^= 0x10;
            assertThrows(GssException.class, () -> pair[1].verify(message, mic));
            mic[at] ^= 0x10;
        }
        for (int at = 0; at < wrapped.length; at++) {
            wrapped[at] ^= 0x10;
            try {
                // A few bits of the header have no meaning.
                assertArrayEquals(message, pair[1].unwrap(wrapped), "byte " + at);
                assertTrue(at < HEADER_BYTES, "byte " + at);
            } catch (GssException _) {
                // The expected outcome of most corruptions.
            }
            wrapped[at] ^= 0x10;
        }
        for (int length = 0; length < wrapped.length; length++) {
            byte[] cut = Arrays.copyOf(wrapped, length);
            assertThrows(GssException.class, () -> pair[1].unwrap(cut));
            assertThrows(GssException.class, () -> pair[1].verify(message, cut));
        }
        assertThrows(GssException.class, () -> acceptor.accept().step(new byte[] {1, 2, 3}));
        assertThrows(GssException.class, () -> acceptor.accept().step(new byte[0]));
    }

    @Test
    void saysWhatToDoWithoutATicket() {
        var nobody =
                new KerberosInitiator(
                        KerberosLogin.ofTicketCache(Optional.of(directory.resolve("none"))), NAME);
        var failure = assertThrows(GssException.class, nobody::initiate);
        assertTrue(
                failure.getMessage().startsWith("there is no valid Kerberos ticket: run kinit"),
                failure::getMessage);
        assertEquals(1, failure.getMessage().lines().count());
    }

    @Test
    void saysWhichServerIsUnknown() {
        var stranger = new KerberosInitiator(alice, "nfs@nowhere.example");
        var failure = assertThrows(GssException.class, () -> stranger.initiate().step(new byte[0]));
        assertTrue(
                failure.getMessage()
                        .startsWith("cannot authenticate with Kerberos to nfs@nowhere.example: "),
                failure::getMessage);
        assertEquals(1, failure.getMessage().lines().count());
    }

    @Test
    void takesNoTicketForAnotherService() throws Exception {
        kdc.keytab("host/localhost");
        var other = new KerberosInitiator(alice, "host@localhost").initiate();
        byte[] token = other.step(new byte[0]);
        assertThrows(GssException.class, () -> acceptor.accept().step(token));
    }

    @Test
    void takesNoTokenTwice() throws Exception {
        byte[] token = new KerberosInitiator(alice, NAME).initiate().step(new byte[0]);
        acceptor.accept().step(token);
        assertThrows(GssException.class, () -> acceptor.accept().step(token));
    }

    @Test
    void refusesUnusableKeytabs() throws Exception {
        var none = KerberosLogin.ofService(directory.resolve("none.keytab"), SERVICE);
        var missing = assertThrows(GssException.class, () -> new KerberosAcceptor(none));
        assertTrue(
                missing.getMessage().contains("none.keytab cannot be read"), missing::getMessage);
    }

    @Test
    void carriesCallsUnderEveryService() throws Exception {
        var now = new AtomicLong();
        try (var contexts = new GssServer(acceptor, now::get);
                var server =
                        TcpRpcServer.listen(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                                new RpcDispatcher(
                                        List.of(new PatternProgram(1, 1)), List.of(contexts)),
                                TcpRpcOptions.DEFAULT)) {
            for (var service : GssService.values()) {
                try (var client = client(server, alice, service)) {
                    swapMany(client);
                    now.addAndGet(DAY_NANOS);
                    swapMany(client);
                }
            }
            assertEquals(0, contexts.contexts());
            var nobody = KerberosLogin.ofTicketCache(Optional.of(directory.resolve("none")));
            try (var client = client(server, nobody, GssService.NONE)) {
                assertThrows(
                        RpcException.NotAuthenticated.class,
                        () -> client.call(PatternProgram.nullCall(), DEADLINE));
            }
        }
    }

    private static GssClient client(TcpRpcServer server, KerberosLogin login, GssService service)
            throws Exception {
        return new GssClient(
                TcpRpcClient.connect(server.address(), new Credential.None(), DEADLINE),
                new KerberosInitiator(login, NAME),
                service);
    }

    private static void swapMany(GssClient client) throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var callers = new ArrayList<Callable<Void>>();
            for (int i = 0; i < 40; i++) {
                int size = 997 * i;
                callers.add(
                        () -> {
                            swap(client, size);
                            return null;
                        });
            }
            for (var done : threads.invokeAll(callers)) {
                done.get();
            }
        }
        swap(client, 1 << 20);
    }

    private static void swap(GssClient client, int size) throws Exception {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        var data = MemorySegment.ofArray(bytes);
        try (var reply = client.call(PatternProgram.swap(data), DEADLINE)) {
            assertEquals(-1, data.mismatch(reply.results().bulk(size)));
            reply.results().finish();
        }
    }
}
