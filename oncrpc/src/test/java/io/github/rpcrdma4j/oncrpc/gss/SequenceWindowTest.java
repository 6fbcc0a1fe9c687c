package io.github.rpcrdma4j.oncrpc.gss;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.oncrpc.gss.SequenceWindow.Verdict;
import java.util.HashSet;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SequenceWindowTest {
    private final SequenceWindow window = new SequenceWindow();

    @Test
    void takesEveryNumberOnce() {
        for (int number : new int[] {0, 1, 5, 3, 2, 4, 300, 299, 45}) {
            assertEquals(Verdict.FRESH, window.take(number), () -> "number " + number);
            assertEquals(Verdict.STALE, window.take(number), () -> "number " + number);
        }
    }

    @Test
    void dropsWhatIsBelowTheWindow() {
        assertEquals(Verdict.FRESH, window.take(1000));
        assertEquals(Verdict.STALE, window.take(1000 - SequenceWindow.SIZE));
        assertEquals(Verdict.FRESH, window.take(1001 - SequenceWindow.SIZE));
        assertEquals(Verdict.FRESH, window.take(1001));
        assertEquals(Verdict.STALE, window.take(1001 - SequenceWindow.SIZE));
    }

    @Test
    void endsAtTheHighestNumberThereIs() {
        assertEquals(Verdict.FRESH, window.take(0x7fff_ffff));
        assertEquals(Verdict.FRESH, window.take(SequenceWindow.MAXSEQ));
        assertEquals(Verdict.BEYOND, window.take(SequenceWindow.MAXSEQ + 1));
        assertEquals(Verdict.BEYOND, window.take(-1));
        assertEquals(Verdict.FRESH, window.take(0x7fff_fffe));
    }

    /**
     * Goal: the window forgets the right numbers after every jump. Method: compare with a set of
     * all numbers.
     */
    @Test
    void agreesWithASetOfAllNumbers() {
        var text = System.getProperty("seed", "");
        long seed = text.isEmpty() ? new Random().nextLong() : Long.parseLong(text);
        System.out.println("seed=" + seed);
        var random = new Random(seed);
        var seen = new HashSet<Long>();
        long highest = 0;
        for (int i = 0; i < 200_000; i++) {
            int spread = random.nextInt(20) == 0 ? 2000 : 300;
            long number = Math.max(0, highest + random.nextInt(spread) - spread * 9 / 10);
            boolean tooOld = highest - number >= SequenceWindow.SIZE;
            var wanted = tooOld || !seen.add(number) ? Verdict.STALE : Verdict.FRESH;
            assertEquals(wanted, window.take((int) number));
            highest = Math.max(highest, number);
        }
    }
}
