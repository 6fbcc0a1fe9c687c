package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.lock.Nlm;
import io.github.rpcrdma4j.nfs.lock.NlmCall;
import io.github.rpcrdma4j.nfs.lock.NlmProcedure;
import io.github.rpcrdma4j.nfs.lock.NlmStatus;
import io.github.rpcrdma4j.nfs.lock.Nsm;
import io.github.rpcrdma4j.nfs.lock.NsmCall;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.spi.ReplyHeader;
import io.github.rpcrdma4j.testing.Eventually;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: a notice of a restart that others can forge takes no lock of the host's present start.
 * Method: notices over UDP and from ports of any user, beside a monitor that answers or does not.
 */
class RestartClaimsTest {
    private static final int PRIVILEGED = 1023;
    private static final int ORDINARY = 1024;

    private final CalledHost called;
    private TestDirectory testDirectory;
    private TestServer server;
    private LockingHost host;
    private LockingHost other;

    RestartClaimsTest() throws Exception {
        called = new CalledHost();
    }

    @BeforeEach
    void serve() throws Exception {
        testDirectory = TestDirectory.of(TestDirectory.Kind.BASIC);
        server = TestServer.of(testDirectory, Nfs4Options.DEFAULT, called.port());
        var file = server.create(server.root(), "file");
        host = LockingHost.of(server, CalledHost.ADDRESS, file.bytes()).withState(5);
        other = LockingHost.of(server, "192.0.2.1", file.bytes());
        assertEquals(NlmStatus.GRANTED, host.lock(true, 0, 10));
    }

    @AfterEach
    void stop() throws Exception {
        called.close();
        server.close();
        testDirectory.close();
    }

    /** Sends a notice in a datagram. */
    private AcceptStatus datagram(int port, String name, int state) throws Exception {
        return server.datagram(
                new InetSocketAddress(InetAddress.ofLiteral(CalledHost.ADDRESS), port),
                new NsmCall.Notify(LockingHost.name(name), state));
    }

    /** Sends a notice over a connection. */
    private void stream(int port, String name, int state) throws Exception {
        server.moveTo(CalledHost.ADDRESS, port);
        Consumer<XdrWriter> notice = new NsmCall.Notify(LockingHost.name(name), state)::encode;
        server.results(
                        Nsm.PROGRAM,
                        1,
                        NsmCall.Procedure.NOTIFY.number(),
                        new Credential.None(),
                        notice)
                .finish();
    }

    private void freeAll(int port) throws Exception {
        server.moveTo(CalledHost.ADDRESS, port);
        var call = new NlmCall.FreeAll(LockingHost.name("host"), 7);
        server.results(
                        Nlm.PROGRAM,
                        4,
                        NlmProcedure.FREE_ALL.number(),
                        LockingHost.ROOT,
                        out -> call.encode(4, out))
                .finish();
    }

    private void awaitLoss() throws Exception {
        Eventually.await(() -> server.nfs.administration().clients(10).isEmpty());
        assertEquals(NlmStatus.GRANTED, other.lock(true, 0, 10));
    }

    private void assertKept() throws Exception {
        assertEquals(NlmStatus.DENIED, other.lock(true, 0, 10));
    }

    @Test
    void rootOfTheHostIsBelievedOverAConnection() throws Exception {
        stream(PRIVILEGED, "host", 7);
        assertEquals(NlmStatus.GRANTED, other.lock(true, 0, 10));
        assertNull(called.questions.poll());
    }

    @Test
    void aDatagramThatTheMonitorConfirmsIsBelieved() throws Exception {
        called.start = 7;
        datagram(PRIVILEGED, "host", 7);
        awaitLoss();
    }

    /** Its host has another number now, which the notice does not tell. */
    @Test
    void locksOfAnEarlierStartGoThoughTheNumberInTheNoticeIsWrong() throws Exception {
        called.start = 7;
        datagram(PRIVILEGED, "host", 9);
        awaitLoss();
    }

    @Test
    void aForgedDatagramTakesNothingWhileTheMonitorAnswers() throws Exception {
        called.start = 5;
        datagram(PRIVILEGED, "host", 7);
        datagram(PRIVILEGED, "host", 0);
        awaitDecisions();
        assertKept();
    }

    /** A network of IPv6 has as many addresses as it likes; another host is asked all the same. */
    @Test
    void aNetworkLeavesOthersTheirPlaces() throws Exception {
        called.start = 5;
        for (int i = 1; i <= 70; i++) {
            var address = "2001:db8::" + Integer.toHexString(i);
            var text = InetAddress.ofLiteral(address).getHostAddress();
            assertEquals(NlmStatus.GRANTED, withAddress(text).lock(false, 20, 10));
            var from = new InetSocketAddress(InetAddress.ofLiteral(address), PRIVILEGED);
            server.datagram(from, new NsmCall.Notify(LockingHost.name("host"), 7));
        }
        assertEquals(AcceptStatus.SUCCESS, datagram(PRIVILEGED, "host", 7));
    }

    private LockingHost withAddress(String address) {
        return LockingHost.of(server, address, host.file());
    }

    @Test
    void usersOfTheHostDoNotTakeThePlacesOfItsRoot() throws Exception {
        called.start = 5;
        assertEquals(AcceptStatus.SUCCESS, datagram(ORDINARY, "host", 7));
        assertEquals(AcceptStatus.SUCCESS, datagram(ORDINARY, "host", 7));
        assertEquals(AcceptStatus.SYSTEM_ERR, datagram(ORDINARY, "host", 7));
        assertEquals(AcceptStatus.SUCCESS, datagram(PRIVILEGED, "host", 7));
    }

    /** Sends a notice until there is room to ask, as its sender does. */
    private void taken(String name, int state) throws Exception {
        Eventually.await(() -> datagram(PRIVILEGED, name, state) != AcceptStatus.SYSTEM_ERR);
    }

    /** When two more notices have had places, the earlier ones have been decided. */
    private void awaitDecisions() throws Exception {
        taken("host", 5);
        taken("host", 5);
    }

    @Test
    void aDatagramIsBelievedIfNoMonitorAnswers() throws Exception {
        called.isRegistered = false;
        datagram(PRIVILEGED, "host", 7);
        awaitLoss();
    }

    @Test
    void aUserOfTheHostIsNotBelieved() throws Exception {
        called.start = 5;
        stream(ORDINARY, "host", 7);
        freeAll(ORDINARY);
        awaitDecisions();
        assertEquals(5, CalledHost.next(called.questions));
        assertKept();
    }

    @Test
    void aUserOfTheHostIsNotBelievedWithoutItsMonitor() throws Exception {
        called.isRegistered = false;
        stream(ORDINARY, "host", 7);
        freeAll(ORDINARY);
        awaitDecisions();
        assertKept();
    }

    @Test
    void aUserThatTheMonitorConfirmsIsBelieved() throws Exception {
        called.start = 7;
        freeAll(ORDINARY);
        awaitLoss();
    }

    @Test
    void aHostThatNeverToldItsNumberKeepsItsLocksIfTheMonitorContradicts() throws Exception {
        host.unlock(0, 0);
        var silent = host.withName("silent").withState(0);
        assertEquals(NlmStatus.GRANTED, silent.lock(true, 0, 10));
        called.start = 5;
        datagram(PRIVILEGED, "silent", 7);
        datagram(PRIVILEGED, "silent", 7);
        taken("silent", 7);
        taken("silent", 7);
        assertKept();
        called.start = 7;
        taken("silent", 7);
        awaitFree();
    }

    private void awaitFree() throws Exception {
        Eventually.await(() -> other.lock(true, 0, 10) == NlmStatus.GRANTED);
    }

    /** Otherwise anyone could have the server call hosts all the time. */
    @Test
    void aMonitorIsAskedSeldomAndForItsOwnHostsOnly() throws Exception {
        called.start = 5;
        assertEquals(AcceptStatus.SUCCESS, datagram(PRIVILEGED, "stranger", 7));
        int refused = 0;
        for (int i = 0; i < 1000; i++) {
            refused += datagram(PRIVILEGED, "host", 7) == AcceptStatus.SYSTEM_ERR ? 1 : 0;
        }
        assertTrue(refused >= 990, refused + " of 1000");
        assertKept();
    }

    /** A host may have thousands of locks, all of which are looked at. */
    @Test
    void rootOfAHostIsBelievedAFewTimesInASecond() throws Exception {
        assertEquals(NlmStatus.GRANTED, host.withState(7).lock(true, 20, 10));
        server.moveTo(CalledHost.ADDRESS, PRIVILEGED);
        long begun = System.nanoTime();
        int believed = 0;
        for (int i = 0; i < 1000; i++) {
            var reply =
                    server.reply(
                            i,
                            Nsm.PROGRAM,
                            1,
                            NsmCall.Procedure.NOTIFY.number(),
                            new Credential.None(),
                            new NsmCall.Notify(LockingHost.name("host"), 7)::encode);
            believed += ReplyHeader.decode(reply) instanceof ReplyHeader.Success ? 1 : 0;
        }
        long seconds = Duration.ofNanos(System.nanoTime() - begun).toSeconds();
        assertTrue(believed >= 4 && believed <= 4 * (seconds + 2), believed + " of 1000");
        assertEquals(NlmStatus.GRANTED, other.lock(true, 0, 10));
        assertEquals(NlmStatus.DENIED, other.lock(true, 20, 10));
    }
}
