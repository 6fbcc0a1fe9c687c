package io.github.rpcrdma4j.nfs.server;

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
 * A host by its name: all addresses that the name had when it was last looked up. That was when
 * this object was made, and is again every few minutes while an {@link NfsServer} serves an export
 * with it; no call ever waits for it. Thread-safe.
 *
 * <p>The answers of the DNS decide which addresses these are, and so who is let in.
 */
public final class NamedHost implements Clients {
    /** Asks for the addresses of a name. */
    interface Lookup {
        /**
         * @throws UnknownHostException if there are none, or there is no answer
         */
        InetAddress[] addresses(String name) throws UnknownHostException;
    }

    /** For how long addresses hold that cannot be looked up again. */
    static final long KEPT_NANOS = TimeUnit.HOURS.toNanos(1);

    /** The addresses of a name that are taken; the others stay out. */
    static final int ADDRESSES_MAX = 64;

    private static final int NAME_MAX = 253;

    /** Labels of letters, digits, hyphens and underscores; a last one of digits is an address. */
    private static final Pattern NAME =
            Pattern.compile(
                    "(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\\.)*"
                            + "(?=[^.]*[a-z])[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?",
                    Pattern.CASE_INSENSITIVE);

    private final String name;
    private final Lookup lookup;
    private volatile Set<InetAddress> addresses;

    /** When the addresses were looked up; only used by the thread that looks up. */
    private long knownNanos;

    private NamedHost(String name, Lookup lookup) throws UnknownHostException {
        this.name = name;
        this.lookup = lookup;
        this.knownNanos = System.nanoTime();
        this.addresses = found();
    }

    /**
     * Looks a name up; it may take as long as the resolver of the host.
     *
     * @throws UnknownHostException if it has no address; the message tells a user
     * @throws IllegalArgumentException if no host can have the name; the message tells a user
     */
    public static NamedHost of(String name) throws UnknownHostException {
        return of(name, InetAddress::getAllByName);
    }

    /** Whether a host can have this name. */
    static boolean isName(String text) {
        return text.length() <= NAME_MAX && NAME.matcher(text).matches();
    }

    /** Looks a name up in another way; for tests. */
    static NamedHost of(String name, Lookup lookup) throws UnknownHostException {
        if (!isName(name)) {
            throw new IllegalArgumentException("not the name of a host: " + name);
        }
        try {
            return new NamedHost(name, lookup);
        } catch (UnknownHostException unknown) {
            var told = new UnknownHostException("unknown host: " + name);
            told.initCause(unknown);
            throw told;
        }
    }

    private Set<InetAddress> found() throws UnknownHostException {
        return Arrays.stream(lookup.addresses(name))
                .limit(ADDRESSES_MAX)
                .collect(Collectors.toUnmodifiableSet());
    }

    /** What became of looking a name up again. */
    enum Change {
        /** It has the addresses that it had. */
        NONE,
        /** It has others. */
        OTHERS,
        /** There was no answer; the addresses hold on. */
        NO_ANSWER,
        /** There was no answer for so long that it has no addresses any more. */
        FORGOTTEN
    }

    /**
     * Looks the name up again; of one thread at a time.
     *
     * @param nowNanos as {@link System#nanoTime}
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

    /** The addresses that the name has now, in no order. */
    List<InetAddress> addresses() {
        return List.copyOf(addresses);
    }

    @Override
    public boolean include(InetAddress host) {
        return addresses.contains(host);
    }

    /** It is as narrow as one address. */
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

    /** The name. */
    @Override
    public String toString() {
        return name;
    }
}
