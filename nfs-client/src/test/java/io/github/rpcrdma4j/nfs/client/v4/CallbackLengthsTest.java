package io.github.rpcrdma4j.nfs.client.v4;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.LeaseArguments;
import io.github.rpcrdma4j.nfs.v4.operation.SessionArguments;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: a client that takes no callback in chunks says so by the lengths of its back channel.
 * Method: at a server that the test operates by hand.
 */
@Timeout(120)
class CallbackLengthsTest {
    private static final FileHandle FILE = new FileHandle(new byte[32]);

    /** The header of the transport without chunks, in bytes. */
    private static final int HEADER = 28;

    private static final int SECONDS = 20;

    private ServerByHand server;
    private Nfs4Service service;

    private void connect(int inline) throws Exception {
        connect(NfsVersion.VERSION_4_1, inline);
    }

    private void connect(NfsVersion version, int inline) throws Exception {
        server = new ServerByHand();
        service = server.connect(version, inline);
    }

    @AfterEach
    void close() {
        service.close();
        server.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {1024, 2048, 4096, 5120, 16384})
    @Tag("8267-6.5.2-4")
    void callbacksAreNoLongerThanTheThresholdsOfTheConnection(int inline) throws Exception {
        connect(inline);
        var asked = server.received(SessionArguments.CreateSession.class).getFirst();
        int agreed = Math.min(inline, 5120) - HEADER;
        boolean isBound = (asked.flags() & SessionArguments.CreateSession.CONN_BACK_CHAN) != 0;
        assertEquals(inline > 1024, isBound);
        if (isBound) {
            assertTrue(asked.back().requestMax() <= agreed, asked.back()::toString);
            assertTrue(asked.back().responseMax() <= agreed, asked.back()::toString);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Tag("8267-6.5.2-4")
    void aLaterConnectionThatCarriesLessHasNoCallbacks(boolean isShort) throws Exception {
        connect(5120);
        server.privateData(isShort ? ServerByHand.INLINE_1024 : ServerByHand.INLINE_5120);
        var asking =
                server.calling(
                        () ->
                                assertThrows(
                                        NfsException.class, () -> service.attributes(FILE, "no")));
        server.next().cut();
        server.next().fail(Nfs4Status.STALE);
        asking.get(SECONDS, TimeUnit.SECONDS);
        assertEquals(
                isShort
                        ? SessionArguments.BindConnToSession.Direction.FORE
                        : SessionArguments.BindConnToSession.Direction.FORE_OR_BOTH,
                server.received(SessionArguments.BindConnToSession.class).getLast().direction());
    }

    /** A server would call over TCP, where this client does not listen. */
    @Test
    @Tag("8267-6.5.1-1")
    void aClientOfVersion40NamesNoPlaceForCallbacks() throws Exception {
        connect(NfsVersion.VERSION_4_0, 4096);
        var place = server.received(LeaseArguments.SetClientId.class).getFirst().callback();
        assertEquals(0, place.program());
        assertEquals("0.0.0.0.0.0", place.address().toString());
    }
}
