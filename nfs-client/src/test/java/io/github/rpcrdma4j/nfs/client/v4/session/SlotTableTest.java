package io.github.rpcrdma4j.nfs.client.v4.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.client.v4.session.Slot.Outcome;
import io.github.rpcrdma4j.nfs.client.v4.session.Slot.State;
import java.util.ArrayList;
import java.util.OptionalInt;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class SlotTableTest {
    private static OptionalInt slot(int number) {
        return OptionalInt.of(number);
    }

    @Test
    void aCallTakesTheLowestFreeSlot() {
        var table = new SlotTable(3);
        assertEquals(slot(0), table.take(0));
        assertEquals(slot(1), table.take(0));
        table.after(0, Outcome.SUCCEEDED);
        assertEquals(slot(0), table.take(0));
        assertEquals(new SlotTable.Taken(0, 2, 1), table.sequence(0));
        assertEquals(new SlotTable.Taken(1, 1, 1), table.sequence(1));
    }

    @Test
    void someSlotsStayFreeButNotTheOnlyOne() {
        var table = new SlotTable(2);
        assertEquals(slot(0), table.take(1));
        assertEquals(OptionalInt.empty(), table.take(1));
        assertEquals(slot(1), table.take(0));
        assertEquals(slot(0), new SlotTable(1).take(1));
    }

    @Test
    void theServerSaysHowManyAreUsedAndOneAlwaysIs() {
        var table = new SlotTable(4);
        table.target(1);
        assertEquals(2, table.free());
        assertEquals(slot(0), table.take(0));
        assertEquals(slot(1), table.take(0));
        assertEquals(OptionalInt.empty(), table.take(0));
        table.target(2);
        assertEquals(slot(2), table.take(0));
        table.target(0);
        assertEquals(0, table.free());
        table.after(0, Outcome.SUCCEEDED);
        assertEquals(1, table.free());
        // The largest number of 32 bits is no reason to have as many.
        table.target(-1);
        assertTrue(table.free() <= SlotTable.SLOTS_MAX);
    }

    @Test
    void aSlotInDoubtIsProbedOnce() {
        var table = new SlotTable(2);
        table.take(0);
        assertEquals(State.IN_DOUBT, table.after(0, Outcome.UNKNOWN));
        assertEquals(1, table.free());
        assertEquals(slot(0), table.probe());
        assertEquals(OptionalInt.empty(), table.probe());
        assertEquals(new SlotTable.Taken(0, 1, 0), table.sequence(0));
        assertEquals(State.IN_DOUBT, table.after(0, Outcome.SPENT));
        assertEquals(slot(0), table.probe());
        assertEquals(State.FREE, table.after(0, Outcome.SUCCEEDED));
        assertEquals(slot(0), table.take(0));
        assertEquals(3, table.sequence(0).sequence());
    }

    /**
     * Goal: after any calls, losses and probes, both sides agree on the numbers, and each call is
     * carried out once at the most. Method: a server that remembers the last number of each slot.
     */
    @Test
    void bothSidesAgreeAfterAnyLosses() {
        long seed = Long.getLong("seed", System.nanoTime());
        System.out.println("seed=" + seed);
        var random = new Random(seed);
        var table = new SlotTable(4);
        var carriedOut = new TreeMap<Integer, Integer>();
        var sent = new ArrayList<Integer>();
        for (int i = 0; i < 100_000; i++) {
            if (random.nextBoolean()) {
                table.take(0).ifPresent(sent::add);
            } else if (random.nextInt(3) == 0) {
                table.probe().ifPresent(slot -> answer(table, carriedOut, slot, random));
            } else if (!sent.isEmpty()) {
                int slot = sent.remove(random.nextInt(sent.size()));
                if (answer(table, carriedOut, slot, random) == State.SENT) {
                    sent.add(slot);
                }
            }
        }
        assertTrue(carriedOut.size() == 4 && carriedOut.values().stream().allMatch(n -> n > 1000));
    }

    /** The call or the probe of a slot arrives, or not, and its answer arrives, or not. */
    private static State answer(
            SlotTable table, TreeMap<Integer, Integer> carriedOut, int slot, Random random) {
        int number = table.sequence(slot).sequence();
        int last = carriedOut.getOrDefault(slot, 0);
        if (random.nextInt(10) == 0) {
            return table.after(slot, random.nextBoolean() ? Outcome.UNKNOWN : Outcome.CUT);
        }
        assertTrue(number == last || number == last + 1, number + " after " + last);
        carriedOut.put(slot, number);
        if (random.nextInt(10) == 0) {
            return table.after(slot, random.nextBoolean() ? Outcome.UNKNOWN : Outcome.CUT);
        }
        return table.after(slot, number == last ? Outcome.SPENT : Outcome.SUCCEEDED);
    }
}
