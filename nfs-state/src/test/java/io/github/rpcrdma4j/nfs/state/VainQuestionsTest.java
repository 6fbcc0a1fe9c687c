package io.github.rpcrdma4j.nfs.state;

import static io.github.rpcrdma4j.nfs.state.StateServer.FILE;
import static io.github.rpcrdma4j.nfs.state.StateServer.LEASE;
import static io.github.rpcrdma4j.nfs.state.StateServer.SECOND;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.table.VainQuestions;
import io.github.rpcrdma4j.oncrpc.share.HostPlace;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Goal: no client keeps the attributes of a file from others by keeping its slots in use. */
class VainQuestionsTest {
    private static final int READ = 1;
    private static final int BOTH = 3;

    private final StateServer server = StateServer.start();
    private final StateClient holder = server.client("holder").answering();
    private final StateClient asker = server.client("asker", "elsewhere").answering();

    private void unasked(StateClient by) {
        server.ok(by.compound(use -> server.state.delegations().unasked(use, FILE, server.now)));
    }

    private void asked(StateClient by) {
        by.ask(
                use -> {
                    server.state.delegations().asked(use, FILE);
                    return null;
                });
    }

    private int recalls() {
        return server.actions(Action.Recall.class).size();
    }

    /** Questions so far apart, in seconds, and how many of them recall nothing. */
    @ParameterizedTest
    @CsvSource({
        "0,1000", "1,11", "3,4", "5,3", "10,2", "11,1", "29,1", "30,1", "31,100", "60,100",
    })
    void whoAsksInVainForTenSecondsRecallsTheDelegation(int apart, int free) {
        holder.delegated("owner", BOTH);
        for (int i = 0; i < free; i++) {
            unasked(asker);
            server.pass(apart * SECOND);
            List.of(holder, asker).forEach(StateClient::renew);
        }
        assertEquals(0, recalls());
        unasked(asker);
        assertEquals(apart == 0 || apart > 30 ? 0 : 1, recalls());
    }

    /** Whole table: who was told after nine seconds, and who then recalls the delegation. */
    @Test
    void whatOneHostIsToldDoesNotHelpAnother() {
        for (boolean isTold : new boolean[] {false, true}) {
            for (boolean isOtherTold : new boolean[] {false, true}) {
                var one = new VainQuestionsTest();
                var other = one.server.client("other", "third").answering();
                one.holder.delegated("owner", BOTH);
                one.unasked(one.asker);
                one.unasked(other);
                one.server.pass(9 * SECOND);
                if (isTold) {
                    one.asked(one.asker);
                }
                if (isOtherTold) {
                    one.asked(other);
                }
                one.server.pass(2 * SECOND);
                one.unasked(one.asker);
                assertEquals(isTold ? 0 : 1, one.recalls(), isTold + " " + isOtherTold);
            }
        }
    }

    @Test
    void nobodyRecallsAReadDelegationOrItsOwnOne() {
        holder.delegated("owner", READ);
        unasked(asker);
        unasked(holder);
        server.pass(11 * SECOND);
        unasked(asker);
        unasked(holder);
        assertEquals(0, recalls());
    }

    /** The recall finds no slot either. */
    @Test
    void aClientWhoseSlotsStayInUseLosesTheDelegation() {
        holder.delegated("owner", BOTH);
        long began = server.now;
        while (server.actions(Action.DelegationTaken.class).isEmpty()) {
            long passed = server.now - began;
            assertTrue(passed <= 2 * LEASE + 15 * SECOND, passed / SECOND + " s");
            unasked(asker);
            server.actions(Action.Recall.class).stream()
                    .skip(Math.max(0, recalls() - 1))
                    .forEach(server.state.delegations()::noSlot);
            server.pass(SECOND);
            List.of(holder, asker).forEach(StateClient::renew);
        }
        server.ok(asker.open(FILE, "owner", READ, 0));
    }

    private static HostPlace place(String name) {
        return new HostPlace(new StateServer.TestHost("host"), name);
    }

    /** Whole table: how many other places have asked before, or since. */
    @Test
    void whoWaitsIsNotForgottenForOthers() {
        for (int others = 0; others <= 130; others++) {
            for (boolean isBefore : new boolean[] {false, true}) {
                // The clock of the server may wrap around.
                long now = Long.MAX_VALUE - 5;
                var questions = new VainQuestions();
                var one = place("one");
                if (!isBefore) {
                    assertEquals(0, questions.add(one, now));
                }
                for (int i = 0; i < others; i++) {
                    assertEquals(0, questions.add(place("other" + i), now));
                }
                if (isBefore) {
                    assertEquals(0, questions.add(one, now));
                }
                questions.end(place("other" + (others - 1)));
                assertEquals(10, questions.add(one, now + 10), others + " " + isBefore);
            }
        }
    }

    /** Those that ask no more make room. */
    @Test
    void placesThatAskNoMoreAreForgotten() {
        var questions = new VainQuestions();
        for (int i = 0; i < 64; i++) {
            questions.add(place("other" + i), 0);
        }
        questions.add(place("late"), 0);
        assertEquals(0, questions.add(place("one"), 31 * SECOND));
        questions.end(place("one"));
        assertEquals(0, questions.add(place("one"), 32 * SECOND), "it had a time of its own");
    }

    /** A neighbor is answered all the time. */
    @Test
    void whatANeighborIsToldDoesNotHelpAnother() {
        holder.delegated("owner", BOTH);
        var one = server.client("one", "network", "::b").answering();
        var neighbor = server.client("neighbor", "network", "::c").answering();
        for (int i = 0; i <= 11; i++) {
            assertEquals(0, recalls());
            unasked(one);
            asked(neighbor);
            server.pass(SECOND);
            List.of(holder, one, neighbor).forEach(StateClient::renew);
        }
        assertEquals(1, recalls());
    }
}
