package io.github.rpcrdma4j.nfs.state;

import static io.github.rpcrdma4j.nfs.state.StateServer.LEASE;
import static io.github.rpcrdma4j.nfs.state.StateServer.SECOND;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.DelegateCall;
import io.github.rpcrdma4j.nfs.state.event.DelegationOutcome;
import io.github.rpcrdma4j.nfs.state.event.DelegationOutcome.Granted;
import io.github.rpcrdma4j.nfs.state.event.DelegationOutcome.Refused;
import io.github.rpcrdma4j.nfs.state.event.DelegationOutcome.Why;
import io.github.rpcrdma4j.nfs.state.event.FileKey;
import io.github.rpcrdma4j.nfs.state.limit.StateLimits;
import io.github.rpcrdma4j.nfs.state.table.StatusFlags;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: clients with many delegations make room for others (RFC 8881, Section 20.6), and one that
 * does not take part loses what it was asked for.
 */
class SurplusDelegationsTest {
    /** Of these a host gets a quarter, and its first client half of that. */
    private static final int LIMIT = 64;

    private static final int SHARE = 8;

    private final StateServer server =
            StateServer.with(StateLimits.DEFAULTS.withDelegations(LIMIT));
    private final StateClient client = server.client("client").answering();

    /** The delegations of the client by their files, in the order of the grants. */
    private final Map<FileKey, StateId> held = new LinkedHashMap<>();

    private int files;

    private static DelegationOutcome wish(StateClient of, FileKey file) {
        var open = of.server.ok(of.open(file, "owner", 1, 0));
        return of.delegate(file, open, DelegateCall.Wish.ANY);
    }

    private DelegationOutcome wish() {
        var file = new StateServer.TestFile("file" + ++files);
        var outcome = wish(client, file);
        if (outcome instanceof Granted granted) {
            held.put(file, granted.stateId());
        }
        return outcome;
    }

    private void fill() {
        for (int i = 0; i < SHARE; i++) {
            assertInstanceOf(Granted.class, wish());
        }
    }

    private void giveBack(int count) {
        for (var each : List.copyOf(held.entrySet()).subList(0, count)) {
            server.ok(client.returnDelegation(each.getKey(), each.getValue()));
            held.remove(each.getKey());
        }
    }

    private List<Action.RecallAny> asked() {
        return server.actions(Action.RecallAny.class);
    }

    private List<StateId> recalled() {
        var ids = new ArrayList<StateId>();
        server.actions(Action.Recall.class).forEach(each -> ids.add(each.delegation()));
        return ids.stream().distinct().toList();
    }

    /** Whole table: how many it has, whether it wishes for more, and what it is asked for. */
    @ParameterizedTest
    @CsvSource({"0, false, 0", "7, true, 0", "8, false, 0", "8, true, 4"})
    void aClientIsAskedWhenAWishFindsNoRoom(int has, boolean wishes, int keep) {
        for (int i = 0; i < has; i++) {
            assertInstanceOf(Granted.class, wish());
        }
        if (wishes) {
            wish();
        }
        server.pass(SECOND);
        var expected = keep == 0 ? List.of() : List.of(new Action.RecallAny(client.id, keep));
        assertEquals(expected, asked());
        server.pass(SECOND);
        assertEquals(expected, asked(), "it is asked once");
    }

    /** Whole table: how many it returns in time, and how many are recalled then. */
    @ParameterizedTest
    @CsvSource({"0, 4", "1, 3", "3, 1", "4, 0", "8, 0"})
    void whatIsNotReturnedIsRecalledAfterALease(int returned, int recalled) {
        fill();
        assertEquals(new Refused(Why.RESOURCE), wish());
        server.pass(SECOND);
        giveBack(returned);
        server.pass(LEASE - SECOND);
        client.renew();
        assertEquals(List.of(), recalled());
        server.pass(SECOND);
        assertEquals(List.of(), recalled());
        server.pass(SECOND);
        assertEquals(recalled, recalled().size());
        server.pass(3 * SECOND);
        assertEquals(recalled, recalled().size(), "the others stay");
        // What is ignored even now is lost.
        server.pass(LEASE - 4 * SECOND);
        client.renew();
        server.pass(5 * SECOND);
        int flag = recalled > 0 ? StatusFlags.RECALLABLE_STATE_REVOKED : 0;
        assertEquals(flag, client.renew());
        assertEquals(SHARE - returned - recalled, server.state.snapshots().delegations(99).size());
        // There is room again, and no more is asked for.
        assertEquals(1, asked().size());
    }

    @Test
    void theClientOfTheHostWithTheMostIsAsked() {
        fill();
        var second = server.client("second").answering();
        // The second client has half of what the first has left.
        for (int i = 0; i < SHARE / 2; i++) {
            assertInstanceOf(Granted.class, wish(second, new StateServer.TestFile("s" + i)));
        }
        assertEquals(new Refused(Why.RESOURCE), wish(second, new StateServer.TestFile("last")));
        var elsewhere = server.stranger("elsewhere");
        elsewhere.host = new StateServer.TestHost("elsewhere");
        server.ok(elsewhere.connect().reclaimComplete());
        elsewhere.answering();
        assertInstanceOf(Granted.class, wish(elsewhere, new StateServer.TestFile("other")));
        server.pass(SECOND);
        assertEquals(List.of(new Action.RecallAny(client.id, 4)), asked());
        giveBack(4);
        assertInstanceOf(Granted.class, wish(second, new StateServer.TestFile("now")));
    }

    @Test
    void aClientWithoutABackChannelIsNotWaitedFor() {
        fill();
        wish();
        server.ok(server.state.connectionEnded(client.connection, server.now));
        server.pass(SECOND);
        assertEquals(List.of(), asked());
        server.pass(SECOND);
        assertEquals(4, recalled().size());
    }

    @Test
    void aClientThatIsGoneIsForgotten() {
        fill();
        wish();
        server.pass(SECOND);
        client.verifier = 2;
        client.connect();
        server.pass(2 * LEASE);
        assertEquals(List.of(), recalled());
    }
}
