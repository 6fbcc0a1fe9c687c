package io.github.rpcrdma4j.nfs.state.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.oncrpc.KeyedHash;
import java.util.HashSet;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Goal: a client of minor version 0 that knows its own stateids, however many, cannot tell which
 * others are in use. Method: what any two stateids of counted states have in common is what any two
 * random numbers have.
 */
class StateIdCipherTest {
    private static final int STATES = 2000;

    private final long seed = new Random().nextLong();
    private final Random random = new Random(seed);
    private final StateIdCipher cipher = withOtherKey();

    private StateIdCipher withOtherKey() {
        return new StateIdCipher(new KeyedHash(random.nextLong(), random.nextLong()));
    }

    @Test
    void isUndone() {
        for (int i = 0; i < STATES; i++) {
            long number = random.nextLong();
            assertEquals(number, cipher.decrypt(cipher.encrypt(number)), "seed " + seed);
            assertEquals(number, cipher.encrypt(cipher.decrypt(number)), "seed " + seed);
        }
    }

    @Test
    void otherKeysGiveOtherNumbers() {
        var other = withOtherKey();
        for (int i = 1; i <= STATES; i++) {
            assertNotEquals(cipher.encrypt(i), other.encrypt(i), "seed " + seed);
        }
    }

    @Test
    void countedNumbersShowNoPattern() {
        var differences = new HashSet<Long>();
        int[] ones = new int[Long.SIZE];
        long client = 5L << 32;
        for (int i = 1; i <= STATES; i++) {
            long one = cipher.encrypt(client | i);
            long next = cipher.encrypt(client | i + 1);
            assertTrue(differences.add(one ^ next), "the same difference again");
            assertNotEquals((int) (one >>> 32), (int) (next >>> 32));
            for (int bit = 0; bit < Long.SIZE; bit++) {
                ones[bit] += (int) ((one ^ next) >>> bit & 1);
            }
        }
        for (int bit = 0; bit < Long.SIZE; bit++) {
            // Half of them change each bit, within eight standard deviations.
            assertEquals(STATES / 2.0, ones[bit], 4 * Math.sqrt(STATES), "bit " + bit);
        }
    }

    @Test
    void statesOfTwoClientsHaveNothingInCommon() {
        var differences = new HashSet<Long>();
        for (int i = 1; i <= STATES; i++) {
            long own = cipher.encrypt(5L << 32 | i);
            long other = cipher.encrypt(6L << 32 | i);
            assertNotEquals((int) own, (int) other);
            differences.add((own ^ other) >>> 32);
        }
        assertTrue(differences.size() > STATES / 2, "the same differences again");
    }
}
