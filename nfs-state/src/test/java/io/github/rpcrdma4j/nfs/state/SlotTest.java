package io.github.rpcrdma4j.nfs.state;

import static io.github.rpcrdma4j.nfs.state.StateClient.ATTRIBUTES;
import static io.github.rpcrdma4j.nfs.state.StateServer.OTHER;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.nfs.state.event.SequenceCall;
import io.github.rpcrdma4j.nfs.state.table.StatusFlags;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.ChannelAttributes;
import io.github.rpcrdma4j.nfs.v4.type.SessionId;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Goal: each COMPOUND is carried out once. Method: the whole table of slot states and calls. */
class SlotTest {
    private static final byte[] REPLY = {1, 2, 3};

    private final StateServer server = StateServer.start();
    private final StateClient client = server.stranger("client").connect();

    /** Brings slot 0 into a state; if it was used, then with a sequence and a checksum of 1. */
    private void prepare(String slot) {
        if (slot.equals("UNUSED")) {
            return;
        }
        var started = start(1, 1);
        switch (slot) {
            case "RUNNING" -> {}
            case "KEPT" -> server.ok(server.state.finish(started.use(), REPLY, server.now));
            case "DONE" -> server.ok(server.state.finish(started.use(), null, server.now));
            default -> throw new IllegalArgumentException(slot);
        }
    }

    private Sequenced.Started start(int sequence, long checksum) {
        var sequenced = server.ok(client.sequence(0, sequence, true, checksum));
        return assertInstanceOf(Sequenced.Started.class, sequenced);
    }

    /** Whole table: the slot, the sequence, whether principal and checksum are those before. */
    @ParameterizedTest
    @CsvSource({
        "UNUSED,  0,  true,  true,  SEQ_MISORDERED",
        "UNUSED,  1,  true,  true,  NEW",
        "UNUSED,  2,  true,  true,  SEQ_MISORDERED",
        "UNUSED,  -1, true,  true,  SEQ_MISORDERED",
        "RUNNING, 0,  true,  true,  SEQ_MISORDERED",
        "RUNNING, 1,  true,  true,  DELAY",
        "RUNNING, 1,  false, true,  SEQ_FALSE_RETRY",
        "RUNNING, 1,  true,  false, SEQ_FALSE_RETRY",
        "RUNNING, 2,  true,  true,  SEQ_MISORDERED",
        "RUNNING, 3,  true,  true,  SEQ_MISORDERED",
        "KEPT,    0,  true,  true,  SEQ_MISORDERED",
        "KEPT,    1,  true,  true,  REPLAY",
        "KEPT,    1,  false, true,  SEQ_FALSE_RETRY",
        "KEPT,    1,  true,  false, SEQ_FALSE_RETRY",
        "KEPT,    2,  true,  true,  NEW",
        "KEPT,    2,  false, false, NEW",
        "KEPT,    3,  true,  true,  SEQ_MISORDERED",
        "DONE,    0,  true,  true,  SEQ_MISORDERED",
        "DONE,    1,  true,  true,  RETRY_UNCACHED_REP",
        "DONE,    1,  false, true,  SEQ_FALSE_RETRY",
        "DONE,    1,  true,  false, SEQ_FALSE_RETRY",
        "DONE,    2,  true,  true,  NEW",
        "DONE,    3,  true,  true,  SEQ_MISORDERED",
    })
    void answersEveryCallInEveryState(
            String slot, int sequence, boolean hasPrincipal, boolean hasChecksum, String expected) {
        prepare(slot);
        client.principal = hasPrincipal ? StateServer.ROOT : OTHER;
        // Retries come over another connection.
        client.connection = StateClient.newConnection();
        var outcome = client.sequence(0, sequence, true, hasChecksum ? 1 : 2);
        switch (expected) {
            case "NEW" -> assertInstanceOf(Sequenced.Started.class, server.ok(outcome));
            case "REPLAY" -> {
                var replayed = assertInstanceOf(Sequenced.Replayed.class, server.ok(outcome));
                assertArrayEquals(REPLY, replayed.kept());
                assertEquals(1, replayed.results().sequence());
            }
            default -> server.refuses(Nfs4Status.valueOf(expected), outcome);
        }
    }

    @Test
    void aReplayHasTheResultsOfTheFirst() {
        var started = start(1, 1);
        server.ok(server.state.finish(started.use(), REPLY, server.now));
        // Without its connection, SEQUENCE says other things.
        server.run(server.state.connectionEnded(client.connection, server.now));
        client.connection = StateClient.newConnection();
        assertEquals(started.results(), server.ok(client.sequence(0, 1, true, 1)).results());
        assertEquals(
                StatusFlags.CB_PATH_DOWN | StatusFlags.CB_PATH_DOWN_SESSION,
                start(2, 2).results().flags());
    }

    @Test
    void sequencesWrapAround() {
        var slot = new Slot();
        var results = new Sequenced.Results(client.session, 0, 0, 0, 0, 0);
        var last = new SequenceCall(client.session, -1, 0, 0, true, 1, 200, 1);
        slot.start(last, client.sender(), results, 0);
        slot.finish(REPLY);
        var next = new SequenceCall(client.session, 0, 0, 0, true, 1, 200, 1);
        assertEquals(Nfs4Status.OK, slot.judge(next, client.sender()));
        var second = new SequenceCall(client.session, 1, 0, 0, true, 1, 200, 1);
        assertEquals(Nfs4Status.SEQ_MISORDERED, slot.judge(second, client.sender()));
    }

    /** Whole table of the limits of a session with 8 slots, 16 operations and 8192 bytes. */
    @ParameterizedTest
    @CsvSource({
        "7,  7,  16, 8192, OK",
        "0,  0,  16, 8192, OK",
        "2,  3,  16, 8192, OK",
        "8,  8,  16, 8192, BADSLOT",
        "-1, -1, 16, 8192, BADSLOT",
        "0,  8,  16, 8192, BAD_HIGH_SLOT",
        "0,  -1, 16, 8192, BAD_HIGH_SLOT",
        "0,  0,  17, 8192, TOO_MANY_OPS",
        "0,  0,  16, 8193, REQ_TOO_BIG",
    })
    void keepsToTheLimitsOfTheSession(
            int slot, int highest, int operations, int bytes, Nfs4Status status) {
        var call = new SequenceCall(client.session, 1, slot, highest, true, operations, bytes, 1);
        var outcome = server.run(server.state.sequence(call, client.sender(), server.now));
        assertEquals(status, outcome.status());
        if (outcome.isOk()) {
            var results = outcome.value().results();
            assertEquals(client.session, results.session());
            assertEquals(slot, results.slot());
            assertEquals(1, results.sequence());
            assertEquals(7, results.highestSlot());
            assertEquals(7, results.targetHighestSlot());
        }
    }

    @Test
    void aReplyThatNoSlotCanKeepIsRefusedAtOnce() {
        var fore = new ChannelAttributes(0, 8192, 8192, 10, 16, 8, OptionalInt.empty());
        var created = server.ok(client.createSession(client.sequence, fore, ATTRIBUTES));
        client.session = created.id();
        server.refuses(Nfs4Status.REP_TOO_BIG_TO_CACHE, client.sequence(0, 1, true, 1));
        // The slot was not used.
        var use = ((Sequenced.Started) server.ok(client.sequence(0, 1, false, 1))).use();
        assertEquals(10, use.cachedMax());
        assertEquals(8192, use.responseMax());
        var large = new byte[11];
        assertThrows(
                IllegalArgumentException.class, () -> server.state.finish(use, large, server.now));
    }

    @Test
    void aCompoundEndsOnce() {
        var use = client.begin();
        client.end(use);
        assertThrows(IllegalStateException.class, () -> client.end(use));
    }

    @Test
    void refusesUnknownSessions() {
        client.session = new SessionId(7, 7);
        server.refuses(Nfs4Status.BADSESSION, client.sequence(0, 1, true, 1));
    }

    @Test
    void slotsAreIndependent() {
        for (int slot = 0; slot < 8; slot++) {
            var started = server.ok(client.sequence(slot, 1, true, slot));
            assertInstanceOf(Sequenced.Started.class, started);
        }
        assertEquals(8, server.state.snapshots().sessions(1).getFirst().running());
        for (int slot = 0; slot < 8; slot++) {
            server.refuses(Nfs4Status.DELAY, client.sequence(slot, 1, true, slot));
        }
    }
}
