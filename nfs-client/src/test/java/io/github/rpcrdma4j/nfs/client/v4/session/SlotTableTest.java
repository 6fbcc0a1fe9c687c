package io.github.rpcrdma4j.nfs.client.v4.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.client.v4.session.Slot.Outcome;
import io.github.rpcrdma4j.nfs.client.v4.session.Slot.State;
import io.github.rpcrdma4j.nfs.v4.type.FileHandle;
import java.util.ArrayList;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
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

    /** The server may work for long on the call of one of them. */
    @Test
    void slotsInDoubtAreProbedInTurn() {
        var table = new SlotTable(3);
        for (int i = 0; i < 3; i++) {
            table.take(0);
            table.after(i, Outcome.UNKNOWN);
        }
        var probed = new TreeSet<Integer>();
        for (int i = 0; i < 3; i++) {
            int slot = table.probe().orElseThrow();
            probed.add(slot);
            table.after(slot, Outcome.UNKNOWN);
        }
        assertEquals(Set.of(0, 1, 2), probed);
    }

    private static Set<FileHandle> files(int... numbers) {
        return IntStream.of(numbers)
                .mapToObj(each -> FileHandle.of(new byte[] {(byte) each}))
                .collect(Collectors.toSet());
    }

    @Test
    void aCallInDoubtMayStillChangeItsFilesUntilItHasEnded() {
        var table = new SlotTable(3);
        for (int i = 0; i < 3; i++) {
            table.take(0);
            table.after(i, Outcome.UNKNOWN);
            table.mayChange(i, i == 2 ? Set.of() : files(i, 7));
        }
        assertTrue(table.mayStillChange());
        assertTrue(table.mayStillChange(files(5, 0)));
        assertFalse(table.mayStillChange(files(5, 6)));
        assertFalse(table.mayStillChange(Set.of()));
        end(table, Outcome.SUCCEEDED);
        assertFalse(table.mayStillChange(files(1)) && table.mayStillChange(files(0)));
        assertTrue(table.mayStillChange(files(7)));
        end(table, Outcome.NO_SLOT);
        end(table, Outcome.SUCCEEDED);
        assertFalse(table.mayStillChange());
    }

    /** The outcome of a probe says nothing, and then it does. */
    private static void end(SlotTable table, Outcome outcome) {
        int slot = table.probe().orElseThrow();
        boolean before = table.mayStillChange();
        table.after(slot, Outcome.SPENT);
        assertEquals(before, table.mayStillChange());
        int next = table.probe().orElseThrow();
        while (next != slot) {
            table.after(next, Outcome.CUT);
            next = table.probe().orElseThrow();
        }
        table.after(slot, outcome);
    }

    @Test
    void aSlotThatTheServerDoesNotHaveIsNotUsed() {
        var table = new SlotTable(2);
        table.take(0);
        table.after(0, Outcome.NO_SLOT);
        assertEquals(1, table.usable());
        assertEquals(slot(1), table.take(1));
        assertEquals(OptionalInt.empty(), table.take(0));
        table.after(1, Outcome.NO_SLOT);
        assertEquals(0, table.usable());
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
