package io.github.rpcrdma4j.nfs.server.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.nfs.server.driver.AnswerTimes.Answer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Goal: answers that are awaited at a time count once. */
class AnswerTimesTest {
    /** The clock may wrap around. */
    private static final long START = Long.MAX_VALUE - 3;

    private static Answer answer(int began, int ended) {
        return new Answer(null, START + began, START + ended, false);
    }

    /** Whole table: three answers within six units of time, in each order. */
    @Test
    void theirTimeIsThatInWhichAnyWasAwaited() {
        var all = new ArrayList<int[]>();
        for (int began = 0; began < 6; began++) {
            for (int ended = began; ended <= 6; ended++) {
                all.add(new int[] {began, ended});
            }
        }
        for (var a : all) {
            for (var b : all) {
                for (var c : all) {
                    long awaited = 0;
                    for (int unit = 0; unit < 6; unit++) {
                        awaited += isIn(unit, a) || isIn(unit, b) || isIn(unit, c) ? 1 : 0;
                    }
                    var answers = List.of(answer(a), answer(b), answer(c));
                    assertEquals(awaited, AnswerTimes.nanos(answers), answers::toString);
                }
            }
        }
    }

    private static Answer answer(int[] times) {
        return answer(times[0], times[1]);
    }

    private static boolean isIn(int unit, int[] times) {
        return times[0] <= unit && unit < times[1];
    }

    @Test
    void theirOrderDoesNotMatter() {
        long seed = System.nanoTime();
        System.out.println("seed=" + seed);
        var random = new Random(seed);
        for (int i = 0; i < 1000; i++) {
            var answers = new ArrayList<Answer>();
            for (int j = 0; j < 10; j++) {
                int began = random.nextInt(100);
                answers.add(answer(began, began + random.nextInt(30)));
            }
            long nanos = AnswerTimes.nanos(answers);
            Collections.shuffle(answers, random);
            assertEquals(nanos, AnswerTimes.nanos(answers), answers::toString);
        }
    }
}
