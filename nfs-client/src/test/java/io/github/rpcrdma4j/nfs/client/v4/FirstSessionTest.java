package io.github.rpcrdma4j.nfs.client.v4;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.nfs.v4.operation.SessionArguments;
import io.github.rpcrdma4j.nfs.v4.operation.SessionResult;
import io.github.rpcrdma4j.nfs.v4.operation.StateProtection;
import io.github.rpcrdma4j.nfs.v4.type.ChannelAttributes;
import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.SessionId;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: a client waits for a server that is busy when they meet, but not for ever; it shares its
 * name with no other client; and no server makes it take more than it asked for. Method: in virtual
 * time, and at a server that the test operates by hand.
 */
@Timeout(120)
class FirstSessionTest extends SimulatedClient {
    private static final OpaqueName NAME = OpaqueName.of(new byte[] {1});
    private static final int MIB = 1 << 20;

    @Test
    void aServerThatIsBusyAtFirstIsAskedAgain() {
        faults.answer(Opcode.EXCHANGE_ID, Nfs4Status.DELAY, Nfs4Status.DELAY);
        faults.answer(
                Opcode.CREATE_SESSION,
                Nfs4Status.DELAY,
                Nfs4Status.STALE_CLIENTID,
                Nfs4Status.DELAY);
        simulate(() -> open().close());
    }

    private void requireFailureInTime(Opcode operation, Nfs4Status status) {
        faults.answer(operation, often(status));
        threads.run(
                () -> {
                    long before = threads.nanoTime();
                    assertThrows(IOException.class, () -> connect(network, 1));
                    assertTrue(threads.nanoTime() - before < 10 * SimServer.SECOND);
                });
    }

    @Test
    void aServerThatIsBusyForEverIsLeft() {
        requireFailureInTime(Opcode.EXCHANGE_ID, Nfs4Status.DELAY);
    }

    @Test
    void aServerThatForgetsEachClientIsLeft() {
        requireFailureInTime(Opcode.CREATE_SESSION, Nfs4Status.STALE_CLIENTID);
    }

    private static void answer(HandedCall introducing, int flags) {
        introducing.answer(
                new SessionResult.ExchangeId(
                        1,
                        1,
                        SessionArguments.ExchangeId.USE_NON_PNFS | flags,
                        new StateProtection.None(),
                        0,
                        NAME,
                        NAME,
                        Optional.empty()));
    }

    @Test
    void aNameThatTheServerKnowsIsNotUsed() throws Exception {
        try (var server = new ServerByHand()) {
            server.hand(Opcode.EXCHANGE_ID);
            var connecting = server.calling(server::connect);
            answer(server.next(Opcode.EXCHANGE_ID), SessionArguments.ExchangeId.CONFIRMED_R);
            answer(server.next(Opcode.EXCHANGE_ID), 0);
            connecting.get().close();
            var owners =
                    server.received(SessionArguments.ExchangeId.class).stream()
                            .map(SessionArguments.ExchangeId::owner)
                            .map(ClientOwner::name)
                            .distinct();
            assertEquals(2, owners.count());
        }
    }

    @Test
    void aServerThatKnowsEachNameIsLeft() throws Exception {
        try (var server = new ServerByHand()) {
            server.hand(Opcode.EXCHANGE_ID);
            Future<Nfs4Service> connecting = server.calling(server::connect);
            for (int i = 0; i < 3; i++) {
                answer(server.next(Opcode.EXCHANGE_ID), SessionArguments.ExchangeId.CONFIRMED_R);
            }
            var failure = assertThrows(ExecutionException.class, connecting::get);
            assertEquals(
                    "the server refuses a session: EXCHANGE_ID failed with CLID_INUSE",
                    failure.getCause().getMessage());
        }
    }

    @Test
    void aServerCannotGrantMoreThanWasAskedFor() throws Exception {
        try (var server = new ServerByHand()) {
            server.hand(Opcode.CREATE_SESSION);
            var connecting = server.calling(server::connect);
            var asked = server.next(Opcode.CREATE_SESSION);
            var all = new ChannelAttributes(0, -1, -1, -1, -1, -1, OptionalInt.empty());
            asked.answer(new SessionResult.CreateSession(new SessionId(1, 0), 1, 0, all, all));
            var service = connecting.get();
            assertEquals(MIB, service.session().roomForData());
            assertEquals(64, service.session().operationsMax());
            service.close();
        }
    }

    @Test
    void aServerThatAnswersWithNothingSaysNothingWrong() throws Exception {
        try (var server = new ServerByHand()) {
            server.hand(Opcode.EXCHANGE_ID);
            Future<Nfs4Service> connecting = server.calling(server::connect);
            server.next(Opcode.EXCHANGE_ID).reply(Nfs4Status.OK, List.of());
            var failure = assertThrows(ExecutionException.class, connecting::get);
            assertEquals("the server has left out a result", failure.getCause().getMessage());
        }
    }
}
