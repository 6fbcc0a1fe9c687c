package io.github.rpcrdma4j.nfs.state.table;

import io.github.rpcrdma4j.oncrpc.KeyedHash;

/**
 * Turns the number of a state of minor version 0 into one that others cannot guess, and back. It is
 * a permutation of all numbers of 64 bits that a key chooses: a Feistel network (Luby and Rackoff,
 * "How to construct pseudorandom permutations", 1988).
 *
 * @param key secret
 */
public record StateIdCipher(KeyedHash key) {
    private static final int ROUNDS = 8;

    public long encrypt(long number) {
        int left = (int) (number >>> Integer.SIZE);
        int right = (int) number;
        for (int round = 0; round < ROUNDS; round++) {
            int mixed = left ^ key.code(round, right);
            left = right;
            right = mixed;
        }
        return both(left, right);
    }

    public long decrypt(long shown) {
        int left = (int) (shown >>> Integer.SIZE);
        int right = (int) shown;
        for (int round = ROUNDS - 1; round >= 0; round--) {
            int plain = right ^ key.code(round, left);
            right = left;
            left = plain;
        }
        return both(left, right);
    }

    private static long both(int left, int right) {
        return (long) left << Integer.SIZE | right & 0xffff_ffffL;
    }
}
