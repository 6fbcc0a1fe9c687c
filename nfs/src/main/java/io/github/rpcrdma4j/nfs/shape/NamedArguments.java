package io.github.rpcrdma4j.nfs.shape;

import java.util.Arrays;

/**
 * The arguments of one call to which its results refer by name, unsigned. A map would do, but each
 * call of a server needs one, so a walk uses the same object for all of its items. Not thread-safe.
 */
public final class NamedArguments {
    /** A call without named arguments. */
    public static final NamedArguments NONE = new NamedArguments();

    private static final String[] NO_NAMES = {};
    private static final int[] NO_VALUES = {};

    /** The first one lies here, because most calls have no other. */
    private String firstName;

    private int firstValue;

    /** Those after the first one. */
    private String[] names = NO_NAMES;

    private int[] values = NO_VALUES;
    private int size;

    /** A walk fills it. */
    NamedArguments() {}

    /** Returns the arguments of a call that has one, for bounds without a walk. */
    public static NamedArguments of(String name, int value) {
        var named = new NamedArguments();
        named.put(name, value);
        return named;
    }

    /** Returns whether the call has none. */
    public boolean isEmpty() {
        return size == 0;
    }

    /** Returns whether the call has an argument of a name. */
    public boolean has(String name) {
        return index(name) >= 0;
    }

    /**
     * Returns the value of an argument, unsigned.
     *
     * @param otherwise what is returned if the call has no argument of this name
     */
    public long get(String name, long otherwise) {
        int at = index(name);
        return at < 0 ? otherwise : Integer.toUnsignedLong(at == 0 ? firstValue : values[at - 1]);
    }

    /** Returns whether the call has one argument. */
    boolean isOne() {
        return size == 1;
    }

    /** Returns whether the call has one argument, of this name and value. */
    boolean isOne(String name, long value) {
        return size == 1 && firstName.equals(name) && firstValue() == value;
    }

    /** Returns the name of the first argument. */
    String firstName() {
        return firstName;
    }

    /** Returns the value of the first argument, unsigned. */
    long firstValue() {
        return Integer.toUnsignedLong(firstValue);
    }

    /** Sets an argument; the last value of a name counts. */
    void put(String name, int value) {
        int at = index(name);
        if (at < 0) {
            at = size++;
        }
        if (at == 0) {
            firstName = name;
            firstValue = value;
            return;
        }
        if (at > names.length) {
            names = Arrays.copyOf(names, at + 1);
            values = Arrays.copyOf(values, at + 1);
        }
        names[at - 1] = name;
        values[at - 1] = value;
    }

    /** Forgets all arguments. */
    void clear() {
        size = 0;
    }

    private int index(String name) {
        if (size > 0 && firstName.equals(name)) {
            return 0;
        }
        for (int i = 1; i < size; i++) {
            if (names[i - 1].equals(name)) {
                return i;
            }
        }
        return -1;
    }
}
