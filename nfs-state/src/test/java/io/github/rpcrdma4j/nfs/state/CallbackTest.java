package io.github.rpcrdma4j.nfs.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.state.event.BackChannelSecurity;
import io.github.rpcrdma4j.nfs.state.event.Connection;
import io.github.rpcrdma4j.nfs.state.event.Urgency;
import io.github.rpcrdma4j.nfs.state.limit.ChannelRules;
import io.github.rpcrdma4j.nfs.state.table.StatusFlags;
import io.github.rpcrdma4j.nfs.v4.operation.SessionArguments.BindConnToSession.Direction;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;

/** Goal: calls of the server use the slots of a back channel as clients expect. */
class CallbackTest {
    private record Security(int user) implements BackChannelSecurity {
        @Override
        public int recallMax() {
            return ChannelRules.BACK_REQUEST_MIN;
        }
    }

    private final StateServer server = StateServer.start();
    private final StateClient client = server.stranger("client").connect();

    private Callback take() {
        return client.takeCallback();
    }

    private CallbackSlot slot() {
        return slot(Urgency.OTHER);
    }

    private CallbackSlot slotToAsk() {
        return slot(Urgency.QUESTION);
    }

    private CallbackSlot slot(Urgency urgency) {
        return server.state.callbacks().take(client.id, urgency, server.now);
    }

    private void end(CallbackSlot slot) {
        var taken = assertInstanceOf(CallbackSlot.Taken.class, slot);
        server.state.callbacks().end(taken.callback(), new Callback.Answered(7));
    }

    private boolean isUp() {
        return server.state.snapshots().sessions(1).getFirst().callsBack();
    }

    private void bindBack() {
        server.ok(
                server.state.bindConnection(
                        client.session, Direction.BACK, client.sender(), server.now));
    }

    @Test
    void eachSlotHasOneCallAtATime() {
        var taken = new ArrayList<Callback>();
        for (int slot = 0; slot < 8; slot++) {
            var each = take();
            assertEquals(slot, each.slot());
            assertEquals(1, each.sequence());
            assertEquals(slot, each.highestSlot());
            assertSame(client.connection, each.connection());
            assertEquals(client.session, each.sessionId());
            assertEquals(8192, each.requestMax());
            taken.add(each);
        }
        assertEquals(new CallbackSlot.Busy(), slot());
        server.state.callbacks().end(taken.get(3), new Callback.Answered(7));
        var next = take();
        assertEquals(3, next.slot());
        assertEquals(2, next.sequence());
        assertEquals(7, next.highestSlot());
        assertThrows(
                IllegalStateException.class,
                () -> server.state.callbacks().end(taken.get(3), new Callback.Answered(7)));
    }

    /** Whole table of how a call ends. */
    @Test
    void theEndOfACallDecidesAboutTheNext() {
        server.state.callbacks().end(take(), new Callback.Answered(7));
        assertEquals(2, take().sequence());
    }

    @Test
    void aPostponedCallKeepsItsSequence() {
        server.state.callbacks().end(take(), new Callback.Postponed());
        assertEquals(1, take().sequence());
        assertEquals(0, client.renew());
    }

    @Test
    void aLostCallTakesTheConnectionAndKeepsItsSequence() {
        server.state.callbacks().end(take(), new Callback.Lost());
        assertEquals(new CallbackSlot.NoChannel(), slot());
        assertEquals(StatusFlags.CB_PATH_DOWN | StatusFlags.CB_PATH_DOWN_SESSION, client.renew());
        client.connection = StateClient.newConnection();
        bindBack();
        assertEquals(0, client.renew());
        assertEquals(1, take().sequence());
    }

    @Test
    void aRefusedCallIsAFaultUntilAConnectionIsBound() {
        server.state.callbacks().end(take(), new Callback.Refused());
        assertTrue(!isUp());
        assertEquals(StatusFlags.CB_PATH_DOWN | StatusFlags.BACKCHANNEL_FAULT, client.renew());
        bindBack();
        assertTrue(isUp());
        assertEquals(0, client.renew());
    }

    @Test
    void theClientLimitsTheSlots() {
        server.state.callbacks().end(take(), new Callback.Answered(0));
        take();
        assertEquals(new CallbackSlot.Busy(), slot());
    }

    private AwaitedSlot await(Urgency urgency) {
        return server.state.callbacks().await(client.id, urgency, server.now);
    }

    /** Whole table: which calls wait for a slot, how many slots are free, and which call asks. */
    @Test
    void moreUrgentCallsThatWaitGoFirst() {
        int sets = 1 << Urgency.values().length;
        for (int waiting = 0; waiting < sets; waiting++) {
            for (int free = 0; free <= 8; free++) {
                for (var urgency : Urgency.values()) {
                    var one = new CallbackTest();
                    for (int i = free; i < 8; i++) {
                        one.take();
                    }
                    boolean isKept = false;
                    for (var each : Urgency.values()) {
                        if ((waiting >> each.ordinal() & 1) != 0) {
                            one.await(each);
                            isKept |= each.ordinal() < urgency.ordinal();
                        }
                    }
                    var why = "waiting " + waiting + ", free " + free + ", " + urgency;
                    boolean isTaken = one.slot(urgency) instanceof CallbackSlot.Taken;
                    assertEquals(free > 0 && !isKept, isTaken, why);
                }
            }
        }
    }

    @Test
    void aCallThatWaitsNoLongerKeepsNothing() {
        var first = await(Urgency.RECALL);
        var second = await(Urgency.RECALL);
        server.state.callbacks().awaitNoLonger(first);
        assertEquals(new CallbackSlot.Busy(), slotToAsk());
        assertEquals(new CallbackSlot.Busy(), inSession());
        assertThrows(
                IllegalStateException.class, () -> server.state.callbacks().awaitNoLonger(first));
        server.state.callbacks().awaitNoLonger(second);
        end(slotToAsk());
        end(inSession());
        server.state
                .callbacks()
                .awaitNoLonger(server.state.callbacks().await(12345, Urgency.RECALL, server.now));
    }

    private CallbackSlot inSession() {
        return server.state.callbacks().take(client.session, Urgency.OTHER);
    }

    @Test
    void anotherSessionStandsIn() {
        var first = client.session;
        client.createSession();
        server.state.callbacks().end(take(), new Callback.Refused());
        assertEquals(client.session, take().sessionId());
        // The second session is fine, and so is the client.
        assertEquals(0, client.renew());
        client.session = first;
        client.slotSequence = 0;
        assertEquals(StatusFlags.BACKCHANNEL_FAULT, client.renew());
    }

    @Test
    void aSessionThatNeverHadABackChannelIsNotDown() {
        client.connection = new Connection(StateClient.newConnection().number(), false);
        var other = server.stranger("other");
        other.connection = client.connection;
        other.connect();
        assertEquals(0, other.renew());
        for (long id : new long[] {other.id, 12345}) {
            assertEquals(
                    new CallbackSlot.NoChannel(),
                    server.state.callbacks().take(id, Urgency.OTHER, server.now));
            assertEquals(
                    new CallbackSlot.NoChannel(),
                    server.state.callbacks().take(id, Urgency.QUESTION, server.now));
        }
    }

    @Test
    void aSessionMayEndDuringACall() {
        var call = take();
        server.ok(client.destroySession());
        server.state.callbacks().end(call, new Callback.Lost());
        assertEquals(0, server.state.snapshots().sessions(9).size());
    }

    @Test
    void theClientChangesHowItIsCalled() {
        assertEquals(1, take().program());
        client.compound(
                use ->
                        server.state.controlBackChannel(
                                use, 0x4000_0000, new Security(17), server.now));
        var call = take();
        assertEquals(0x4000_0000, call.program());
        assertEquals(new Security(17), call.security());
    }
}
