package io.github.rpcrdma4j.nfs.state.table;

import java.util.HashMap;
import java.util.Map;

/**
 * Gives each of many things a number other than 0. A number that is free again is given away only
 * after all others were.
 *
 * @param <T> what has the numbers
 */
public final class Indices<T> {
    private final Map<Integer, T> used = new HashMap<>();
    private int last;

    /** Whether all numbers were given away once. */
    private boolean hasWrapped;

    public Indices() {
        this(0);
    }

    /**
     * @param last the number that was given away last; all up to it were
     */
    public Indices(int last) {
        this.last = last;
    }

    /** Returns a number that nothing has. There have to be fewer than 2^32 - 1 things. */
    public int next() {
        do {
            last++;
            hasWrapped |= last == 0;
        } while (last == 0 || used.containsKey(last));
        return last;
    }

    public void put(int index, T thing) {
        used.put(index, thing);
    }

    public void remove(int index) {
        used.remove(index);
    }

    /** Returns what has a number, or null. */
    public T find(int index) {
        return used.get(index);
    }

    /** Returns whether a number was given away. */
    public boolean wasGiven(int index) {
        return index != 0 && (hasWrapped || Integer.compareUnsigned(index, last) <= 0);
    }
}
