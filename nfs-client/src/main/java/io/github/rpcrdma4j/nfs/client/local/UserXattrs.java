package io.github.rpcrdma4j.nfs.client.local;

import io.github.rpcrdma4j.nfs.FileName;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The extended attributes that users gave to a file (xattr(7)), by their names without {@code
 * user.}. Immutable.
 *
 * <p>Tests: {@code LocalXattrsTest}.
 */
public final class UserXattrs {
    /** What Linux puts in front of each name. */
    public static final String PREFIX = "user.";

    /** No attribute. */
    public static final UserXattrs NONE = new UserXattrs(Map.of());

    /** The most bytes of all names and values that one file may bring here. */
    public static final int BYTES_MAX = 1 << 20;

    /** Why a file is refused that has more. */
    public static final String TOO_MANY = "its extended attributes have more bytes than 1 MiB";

    private final Map<FileName, byte[]> values;

    private UserXattrs(Map<FileName, byte[]> values) {
        this.values = values;
    }

    /** Gathers the attributes of a file, which may have more of them than are taken. */
    public static final class Gathering {
        private final Map<FileName, byte[]> values = new LinkedHashMap<>();
        private long bytes;

        /**
         * Adds an attribute, unless all would have too many bytes then.
         *
         * @param value not copied; the caller must not change it any more
         * @return whether there was room
         */
        public boolean add(FileName name, byte[] value) {
            bytes += name.length() + value.length;
            if (bytes > BYTES_MAX) {
                return false;
            }
            values.put(name, value);
            return true;
        }

        /** Returns the attributes so far. */
        public UserXattrs all() {
            return values.isEmpty() ? NONE : new UserXattrs(new LinkedHashMap<>(values));
        }
    }

    /** Returns whether there is no attribute. */
    public boolean isNone() {
        return values.isEmpty();
    }

    /** Returns the names. */
    public Set<FileName> names() {
        return Set.copyOf(values.keySet());
    }

    /** Returns a copy of the value of an attribute; empty if there is no such one. */
    public Optional<byte[]> value(FileName name) {
        return Optional.ofNullable(values.get(name)).map(byte[]::clone);
    }

    /**
     * Returns what failed, for a message.
     *
     * @param file its name
     */
    public static String cannotKeep(FileName name, String file) {
        return "cannot keep the extended attribute " + PREFIX + name.escaped() + " of " + file;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof UserXattrs xattrs
                && values.keySet().equals(xattrs.values.keySet())
                && values.entrySet().stream()
                        .allMatch(
                                each ->
                                        Arrays.equals(
                                                each.getValue(), xattrs.values.get(each.getKey())));
    }

    @Override
    public int hashCode() {
        return values.keySet().hashCode();
    }

    @Override
    public String toString() {
        return values.keySet().toString();
    }
}
