package io.github.rpcrdma4j.nfs.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.CallPlace;
import io.github.rpcrdma4j.nfs.state.event.CopyCall;
import io.github.rpcrdma4j.nfs.state.event.CopyEnd;
import io.github.rpcrdma4j.nfs.state.event.CopyStatus;
import io.github.rpcrdma4j.nfs.state.event.FileKey;
import io.github.rpcrdma4j.nfs.state.event.Outcome;
import io.github.rpcrdma4j.nfs.state.event.StateIdUse;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.SessionArguments.BindConnToSession.Direction;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Goal: asynchronous copies are bounded, and their clients learn of their end. */
class CopiesTest {
    private static final CopyEnd END = new CopyEnd(Nfs4Status.OK, 100, Stability.UNSTABLE, 0x1234);

    private final StateServer server = StateServer.start();
    private final StateClient client = server.client("client");

    private Outcome<BegunCopy> begin(StateClient of) {
        var call = new CopyCall(StateServer.FILE, 10, 100);
        return of.compound(use -> server.state.copies().begin(use, call, server.now));
    }

    private BegunCopy begun() {
        return server.ok(begin(client));
    }

    private boolean goesOn(BegunCopy copy, long bytes) {
        return server.ok(server.state.copies().progress(copy.number(), bytes, server.now));
    }

    private void end(BegunCopy copy) {
        server.ok(server.state.copies().end(copy.number(), END, server.now));
    }

    private Outcome<CopyStatus> status(StateClient of, FileKey file, StateId id) {
        return of.compound(use -> server.state.copies().status(use, file, id, server.now));
    }

    private CopyStatus status(BegunCopy copy) {
        return server.ok(status(client, StateServer.FILE, copy.stateId()));
    }

    private Outcome<Void> cancel(BegunCopy copy) {
        return client.compound(
                use ->
                        server.state
                                .copies()
                                .cancel(use, StateServer.FILE, copy.stateId(), server.now));
    }

    private void isUnknown(BegunCopy copy) {
        server.refuses(Nfs4Status.BAD_STATEID, status(client, StateServer.FILE, copy.stateId()));
        assertFalse(goesOn(copy, 50));
    }

    private List<Action.TellCopy> calls() {
        return server.actions(Action.TellCopy.class);
    }

    private void told(boolean isAnswered) {
        server.state.copies().told(calls().getLast().number(), isAnswered);
    }

    @Test
    void aCopyRunsEndsAndIsForgottenWhenItsClientHasAnswered() {
        var copy = begun();
        assertEquals(new CopyStatus(10, Optional.empty()), status(copy));
        assertTrue(goesOn(copy, 50));
        assertEquals(new CopyStatus(50, Optional.empty()), status(copy));
        int place = client.slotSequence;
        end(copy);
        assertEquals(new CopyStatus(100, Optional.of(Nfs4Status.OK)), status(copy));
        var call = calls().getFirst();
        assertEquals(client.id, call.clientId());
        assertEquals(StateServer.FILE, call.file());
        assertEquals(copy.stateId(), call.copy());
        assertEquals(END, call.end());
        // COPY was sent before the two OFFLOAD_STATUS.
        assertEquals(new CallPlace(client.session, 0, place - 2), call.place());
        told(true);
        isUnknown(copy);
        server.pass(10 * StateServer.SECOND);
        assertEquals(1, calls().size());
    }

    @Test
    void aStateIdOfACopyNamesNothingElse() {
        var copy = begun();
        var id = copy.stateId();
        assertNotEquals(id, begun().stateId());
        var other = server.client("other");
        var newest = new StateId(0, id.upper(), id.lower());
        for (var refused :
                List.of(
                        status(other, StateServer.FILE, id),
                        status(client, StateServer.OTHER_FILE, id),
                        status(client, StateServer.FILE, newest),
                        status(client, StateServer.FILE, client.open()),
                        status(client, StateServer.FILE, StateId.ANONYMOUS))) {
            server.refuses(Nfs4Status.BAD_STATEID, refused);
        }
        server.refuses(
                Nfs4Status.BAD_STATEID,
                client.compound(
                        use ->
                                server.state.check(
                                        use, StateServer.FILE, id, StateIdUse.READ, server.now)));
    }

    @Test
    void aCancelledCopyGoesOnNoMoreAndIsNotToldOf() {
        var copy = begun();
        server.ok(cancel(copy));
        isUnknown(copy);
        end(copy);
        assertEquals(List.of(), calls());
        var complete = begun();
        end(complete);
        server.refuses(Nfs4Status.COMPLETE_ALREADY, cancel(complete));
        isUnknown(complete);
        told(false);
        server.pass(10 * StateServer.SECOND);
        assertEquals(1, calls().size());
    }

    @Test
    void aClientIsToldAgainOnceItsBackChannelIsBack() {
        var copy = begun();
        end(copy);
        var call = client.takeCallback();
        server.state.callbacks().end(call, new Callback.Lost());
        told(false);
        server.pass(10 * StateServer.SECOND);
        assertEquals(1, calls().size(), "there is no back channel");
        assertEquals(new CopyStatus(100, Optional.of(Nfs4Status.OK)), status(copy));
        client.connection = StateClient.newConnection();
        server.ok(
                server.state.bindConnection(
                        client.session, Direction.BACK, client.sender(), server.now));
        server.pass(StateServer.SECOND);
        assertEquals(2, calls().size());
        server.pass(StateServer.SECOND);
        assertEquals(2, calls().size(), "the call is in progress");
        told(true);
        isUnknown(copy);
    }

    @Test
    void aClientThatNeverAnswersIsToldEightTimes() {
        var copy = begun();
        end(copy);
        for (int i = 0; i < 30; i++) {
            told(false);
            server.pass(StateServer.SECOND / 2);
        }
        assertEquals(8, calls().size());
        assertEquals(new CopyStatus(100, Optional.of(Nfs4Status.OK)), status(copy));
        server.ok(status(client, StateServer.FILE, copy.stateId()));
    }

    @Test
    void aCopyEndsWithTheLeaseTheClientOrByTheAdministrator() {
        var leased = begun();
        client.open();
        server.pass(StateServer.LEASE + 1);
        assertFalse(goesOn(leased, 50), "the client is there by courtesy");
        client.renew();
        var ended = begun();
        server.ok(server.state.revocations().client(client.id, server.now));
        assertFalse(goesOn(ended, 50));
        var left = begun();
        client.verifier++;
        client.connect();
        assertFalse(goesOn(left, 50));
        end(left);
        assertEquals(List.of(), calls());
    }

    @Test
    void withoutABackChannelThereIsNone() {
        var call = client.takeCallback();
        server.state.callbacks().end(call, new Callback.Lost());
        server.refuses(Nfs4Status.DELAY, begin(client));
    }

    /** A host has a quarter of what the others leave, a client a half of that. */
    @Test
    void hostsAndClientsHaveShares() {
        var begun = new ArrayList<BegunCopy>();
        for (var next = begin(client); next.isOk(); next = begin(client)) {
            begun.add(next.value());
        }
        assertEquals(Copies.COPIES_MAX / 8, begun.size());
        server.ok(cancel(begun.getFirst()));
        server.ok(begin(client));
        server.refuses(Nfs4Status.DELAY, begin(client));
        var neighbour = server.client("neighbour");
        int ofNeighbour = 0;
        while (begin(neighbour).isOk()) {
            ofNeighbour++;
        }
        assertEquals(Copies.COPIES_MAX / 16, ofNeighbour);
        var stranger = server.stranger("stranger");
        stranger.host = new StateServer.TestHost("elsewhere");
        stranger.connect();
        server.ok(stranger.reclaimComplete());
        server.ok(begin(stranger));
    }
}
