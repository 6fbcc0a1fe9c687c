package io.github.rpcrdma4j.nfs.server.export;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A host by its name: all addresses from the latest lookup of the name. The first lookup occurs
 * when this object is made. While a server serves an export with it, further ones follow every few
 * minutes. No call waits for a lookup. Thread-safe.
 *
 * <p>The answers of the DNS determine the addresses, and so which hosts get access.
 */
public final class NamedHost implements Clients {
    /** Resolves a name. */
    interface Lookup {
        /**
         * @throws UnknownHostException if the name has no addresses, or the resolver did not answer
         */
        InetAddress[] addresses(String name) throws UnknownHostException;
    }

    /** How long addresses stay valid while lookups fail. */
    static final long KEPT_NANOS = TimeUnit.HOURS.toNanos(1);

    /** The most addresses of a name; further ones are ignored. */
    static final int ADDRESSES_MAX = 64;

    private static final int NAME_MAX = 253;

    /**
     * Labels of letters, digits, hyphens and underscores. The last label contains a letter;
     * otherwise the text is an address.
     */
    private static final Pattern NAME =
            Pattern.compile(
                    "(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\\.)*"
                            + "(?=[^.]*[a-z])[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?",
                    Pattern.CASE_INSENSITIVE);

    private final String name;
    private final Lookup lookup;
    private volatile Set<InetAddress> addresses;

    /** When the addresses were looked up. Only the thread of the lookups uses it. */
    private long knownNanos;

    private NamedHost(String name, Lookup lookup) throws UnknownHostException {
        this.name = name;
        this.lookup = lookup;
        this.knownNanos = System.nanoTime();
        this.addresses = found();
    }

    /**
     * Looks up a name. Takes as long as the resolver of this machine does.
     *
     * @throws UnknownHostException if it has no address; the message is meant for a user
     * @throws IllegalArgumentException if no host can have the name; the message is meant for a
     *     user
     */
    public static NamedHost of(String name) throws UnknownHostException {
        return of(name, InetAddress::getAllByName);
    }

    /** Returns whether a host can have this name. */
    static boolean isName(String text) {
        return text.length() <= NAME_MAX && NAME.matcher(text).matches();
    }

    /** Looks up a name with another resolver; for tests. */
    static NamedHost of(String name, Lookup lookup) throws UnknownHostException {
        if (!isName(name)) {
            throw new IllegalArgumentException("invalid host name: " + name);
        }
        try {
            return new NamedHost(name, lookup);
        } catch (UnknownHostException unknown) {
            var failure = new UnknownHostException("unknown host: " + name);
            failure.initCause(unknown);
            throw failure;
        }
    }

    private Set<InetAddress> found() throws UnknownHostException {
        return Arrays.stream(lookup.addresses(name))
                .limit(ADDRESSES_MAX)
                .collect(Collectors.toUnmodifiableSet());
    }

    /** The outcome of another lookup of a name. */
    enum Change {
        /** The addresses are unchanged. */
        NONE,
        /** The addresses changed. */
        OTHERS,
        /** The lookup failed; the addresses stay valid. */
        NO_ANSWER,
        /** Lookups failed for so long that the name has no addresses any more. */
        FORGOTTEN
    }

    /**
     * Looks up the name again. At most one thread at a time may call this.
     *
     * @param nowNanos the time of {@link System#nanoTime}
     */
    Change refresh(long nowNanos) {
        try {
            var before = addresses;
            addresses = found();
            knownNanos = nowNanos;
            return before.equals(addresses) ? Change.NONE : Change.OTHERS;
        } catch (UnknownHostException _) {
            if (nowNanos - knownNanos < KEPT_NANOS) {
                return Change.NO_ANSWER;
            }
            addresses = Set.of();
            return Change.FORGOTTEN;
        }
    }

    /** Returns the current addresses of the name, in no order. */
    List<InetAddress> addresses() {
        return List.copyOf(addresses);
    }

    @Override
    public boolean include(InetAddress host) {
        return addresses.contains(host);
    }

    /** Returns the precision of a single address. */
    @Override
    public int precision(InetAddress host) {
        return host.getAddress().length * Byte.SIZE;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof NamedHost host && host.name.equalsIgnoreCase(name);
    }

    @Override
    public int hashCode() {
        return name.toLowerCase(Locale.ROOT).hashCode();
    }

    /** Returns the name. */
    @Override
    public String toString() {
        return name;
    }
}
