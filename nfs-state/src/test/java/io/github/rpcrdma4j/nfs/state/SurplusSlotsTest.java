package io.github.rpcrdma4j.nfs.state;

import static io.github.rpcrdma4j.nfs.state.StateServer.LEASE;
import static io.github.rpcrdma4j.nfs.state.StateServer.SECOND;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.Outcome;
import io.github.rpcrdma4j.nfs.state.event.SequenceCall;
import io.github.rpcrdma4j.nfs.state.event.Urgency;
import io.github.rpcrdma4j.nfs.state.limit.StateLimits;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.ChannelAttributes;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/**
 * Goal: idle sessions make room for others by their slots (RFC 8881, Sections 2.10.6.1 and 20.8),
 * and no call is carried out twice for that.
 */
class SurplusSlotsTest {
    private static final int SLOTS = 32;
    private static final ChannelAttributes MANY =
            new ChannelAttributes(0, 8192, 8192, 2048, 16, SLOTS, OptionalInt.empty());

    /** One session gets a 32nd of what is left to its host, which has a quarter of all. */
    private final StateServer server =
            StateServer.with(withSessionBytes(4 * 32 * (4096 + SLOTS * (192 + 2048L))));

    private final StateClient client = connected("client");

    private static StateLimits withSessionBytes(long bytes) {
        var usual = StateLimits.DEFAULTS;
        return new StateLimits(
                usual.clients(),
                usual.unconfirmedClients(),
                usual.courtesyClients(),
                usual.courtesyNanos(),
                usual.sessionsOfClient(),
                usual.connectionsOfSession(),
                bytes,
                usual.slotsOfSession(),
                usual.messageBytes(),
                usual.cachedBytes(),
                usual.operations(),
                usual.stateBytes(),
                usual.opensOfClient(),
                usual.delegations(),
                usual.locks());
    }

    private StateClient connected(String name) {
        return connected(name, "host");
    }

    private StateClient connected(String name, String host) {
        var connected = server.stranger(name);
        connected.host = new StateServer.TestHost(host);
        connected.exchangeId();
        connect(connected);
        return connected;
    }

    /** Creates a session with as many slots as there is room for. Returns how many these are. */
    private int connect(StateClient of) {
        var created = server.run(of.createSession(of.sequence, MANY, StateClient.ATTRIBUTES));
        if (!created.isOk()) {
            return 0;
        }
        of.sequence++;
        of.session = created.value().id();
        of.slotSequence = 0;
        return created.value().fore().slots();
    }

    /** Sends SEQUENCE in a slot, and ends the COMPOUND. */
    private Sequenced.Results call(int slot, int sequence, int highest) {
        var sequenced = server.ok(sequence(slot, sequence, highest));
        if (sequenced instanceof Sequenced.Started(var use, _)) {
            server.ok(server.state.finish(use, new byte[] {7}, server.now));
        }
        return sequenced.results();
    }

    private Outcome<Sequenced> sequence(int slot, int sequence, int highest) {
        var call =
                new SequenceCall(client.session, sequence, slot, highest, true, 1, 100, sequence);
        return server.run(server.state.sequence(call, client.sender(), server.now));
    }

    /** Others want more room than there is. */
    private void others() {
        others("host");
    }

    private void others(String host) {
        for (int i = 0; i < 80; i++) {
            connected("other" + i, host);
        }
    }

    private int slots() {
        var id = client.session;
        return server.state.snapshots().sessions(1000).stream()
                .filter(each -> each.id().equals(id))
                .findFirst()
                .orElseThrow()
                .slots();
    }

    private List<Action.RecallSlots> recalls() {
        return server.actions(Action.RecallSlots.class).stream()
                .filter(each -> each.session().equals(client.session))
                .toList();
    }

    @Test
    void aSessionThatIsUsedKeepsItsSlots() {
        int granted = slots();
        assertTrue(granted >= 16, () -> "it has " + granted);
        others();
        call(0, 1, 0);
        server.pass(SECOND);
        assertEquals(granted - 1, call(0, 2, 0).targetHighestSlot());
        server.pass(9 * SECOND);
        server.pass(2 * LEASE);
        assertEquals(List.of(), recalls());
    }

    /** Goal: a host that wants much takes no slots of other hosts. */
    @Test
    void aSessionOfAnotherHostKeepsItsSlots() {
        int granted = slots();
        server.pass(11 * SECOND);
        others("another host");
        server.pass(SECOND);
        assertEquals(granted - 1, call(0, 1, 0).targetHighestSlot());
        server.pass(2 * LEASE);
        assertEquals(List.of(), recalls());
        assertEquals(granted, slots());
    }

    /** Goal: a session that works is asked for nothing. Method: a call that takes long. */
    @Test
    void aSessionWithARunningCallKeepsItsSlots() {
        int granted = slots();
        var running = (Sequenced.Started) server.ok(sequence(granted - 1, 1, granted - 1));
        server.pass(11 * SECOND);
        others();
        server.pass(7 * SECOND);
        assertEquals(List.of(), recalls());
        server.ok(server.state.finish(running.use(), null, server.now));
        assertEquals(granted - 1, call(0, 1, 0).targetHighestSlot());
    }

    @Test
    void repliesTellAnIdleClientToUseFewer() {
        int granted = slots();
        server.pass(11 * SECOND);
        others();
        server.pass(SECOND);
        var told = call(0, 1, 0);
        assertEquals(granted - 1, told.highestSlot(), "the client does not know yet");
        assertEquals(granted / 2 - 1, told.targetHighestSlot());
        // It shows that it knows by a call in a slot with such a reply.
        call(1, 1, 1);
        assertEquals(granted, slots());
        call(0, 2, granted - 1);
        assertEquals(granted, slots(), "it still uses all");
        var last = call(0, 3, 0);
        assertEquals(granted / 2 - 1, last.highestSlot());
        assertEquals(granted / 2, slots());
        server.refuses(Nfs4Status.BADSLOT, sequence(granted / 2, 1, 0));
        server.pass(10 * SECOND);
        assertEquals(List.of(), recalls());
    }

    @Test
    void aSlotInUseIsNotTaken() {
        int granted = slots();
        var running = (Sequenced.Started) server.ok(sequence(granted - 1, 1, granted - 1));
        server.pass(11 * SECOND);
        server.ok(server.state.finish(running.use(), null, server.now));
        server.pass(11 * SECOND);
        others();
        server.pass(SECOND);
        var again = (Sequenced.Started) server.ok(sequence(granted - 1, 2, granted - 1));
        call(0, 1, 0);
        call(0, 2, 0);
        assertEquals(granted, slots());
        server.pass(LEASE);
        // It renews the lease and repeats the last call, so it tells nothing new.
        call(0, 2, 0);
        server.pass(LEASE + 2 * SECOND);
        assertEquals(granted, slots());
        server.ok(server.state.finish(again.use(), null, server.now));
        call(0, 3, 0);
        assertEquals(granted / 2, slots());
    }

    @Test
    void aClientThatDoesNotCallIsCalledAndThenLosesThem() {
        int granted = slots();
        call(granted - 1, 1, 0);
        server.pass(11 * SECOND);
        others();
        server.pass(SECOND);
        server.pass(5 * SECOND);
        assertEquals(List.of(), recalls());
        server.pass(SECOND);
        assertEquals(
                List.of(new Action.RecallSlots(client.id, client.session, granted / 2 - 1)),
                recalls());
        var slot = server.state.callbacks().take(client.session, Urgency.OTHER);
        var callback = assertInstanceOf(CallbackSlot.Taken.class, slot).callback();
        assertEquals(client.session, callback.sessionId());
        for (int i = 0; i < 3; i++) {
            server.pass(LEASE / 2);
            assertEquals(granted, slots());
            // A repeated call is answered from what was kept, as long as the slot is there.
            call(granted - 1, 1, 0);
        }
        server.pass(LEASE / 2);
        assertEquals(granted / 2, slots());
        assertEquals(1, recalls().size());
        server.refuses(Nfs4Status.BADSLOT, sequence(granted - 1, 1, 0));
    }

    /** Whole table: how a client goes on in a slot that is there again. */
    @Test
    void aBusySessionGetsThemBackWhenThereIsRoom() {
        int granted = slots();
        call(granted - 1, 1, 0);
        call(granted - 1, 2, 0);
        server.pass(11 * SECOND);
        others();
        server.pass(SECOND);
        call(0, 1, 0);
        call(0, 2, 0);
        int fewer = slots();
        assertEquals(fewer - 1, call(0, 3, fewer - 1).targetHighestSlot(), "there is no room");
        // The others leave.
        for (int i = 4; i < 7; i++) {
            server.pass(LEASE - SECOND);
            call(0, i, 0);
        }
        assertEquals(granted - 1, call(0, 7, fewer - 1).targetHighestSlot());
        assertEquals(granted, slots());
        server.refuses(Nfs4Status.SEQ_MISORDERED, sequence(granted - 1, 2, 0));
        server.refuses(Nfs4Status.SEQ_MISORDERED, sequence(granted - 1, 4, 0));
        server.refuses(Nfs4Status.SEQ_MISORDERED, sequence(granted - 2, 0, 0));
        call(granted - 1, 3, 0);
        server.refuses(Nfs4Status.SEQ_MISORDERED, sequence(granted - 1, 1, 0));
        call(granted - 2, 1, 0);
    }
}
