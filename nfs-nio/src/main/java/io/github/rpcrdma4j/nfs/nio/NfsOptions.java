package io.github.rpcrdma4j.nfs.nio;

import io.github.rpcrdma4j.nfs.client.Umask;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How a file system of a server is opened. {@link #environment} makes of it what {@link
 * java.nio.file.FileSystems#newFileSystem(java.net.URI, Map)} takes:
 *
 * <pre>{@code
 * var options = NfsOptions.DEFAULT.withClient(ClientOptions.DEFAULT.withTimeout(Duration.ofSeconds(5)));
 * var files = FileSystems.newFileSystem(URI.create("nfs+rdma://server/data"), options.environment());
 * }</pre>
 *
 * <p>A program that has texts alone gives those, under the same keys as below. All are optional:
 *
 * <table>
 * <caption>Keys and texts</caption>
 * <tr><th>key</th><th>value</th></tr>
 * <tr><td>{@code options}</td><td>an {@link NfsOptions}, which the other keys change</td></tr>
 * <tr><td>{@code vers}</td><td>versions of NFS, the first wanted first: {@code 4.2,4.1,3}</td></tr>
 * <tr><td>{@code timeout}</td><td>the longest time of a call, as a {@link Duration} or its text:
 * {@code PT30S}</td></tr>
 * <tr><td>{@code retry}</td><td>how long a lost connection is tried again, likewise</td></tr>
 * <tr><td>{@code listed}</td><td>how long attributes of a listing are used, likewise</td></tr>
 * <tr><td>{@code watch}</td><td>how often watched directories are listed, likewise</td></tr>
 * <tr><td>{@code umask}</td><td>an {@link Integer}, or octal digits: {@code 027}</td></tr>
 * </table>
 *
 * <p>Tests: {@code FileSystemsByUriTest}.
 *
 * @param client the caller, the versions of NFS, and how long calls and connecting may take;
 *     without a caller it is the user of this process. One operation can make several calls
 * @param mount the address of the MOUNT service over TCP, which version 3 needs at the server of a
 *     Linux kernel over RDMA; usually empty
 * @param umask the permissions that new files and directories do not get, even if a program asks
 *     for them. With 077, temporary files are private also where {@link
 *     java.nio.file.Files#createTempFile} asks for no permissions, as it does for all file systems
 *     but the default one
 * @param listed how long the attributes that came with a listing are used in place of a call, once
 *     for each path that the listing returned; zero for never
 * @param watch the time between two listings of the directories of a {@link
 *     java.nio.file.WatchService}, at least a millisecond
 */
public record NfsOptions(
        ClientOptions client,
        Optional<InetSocketAddress> mount,
        int umask,
        Duration listed,
        Duration watch) {
    private static final Duration WATCH_MIN = Duration.ofMillis(1);
    private static final int UMASK_MAX = 0777;
    private static final int OCTAL = 8;

    /**
     * The usual versions, as the user of this process, with its umask. A call may take 30 seconds.
     * Attributes of a listing are used for a second. Watched directories are listed every two.
     */
    public static final NfsOptions DEFAULT =
            new NfsOptions(
                    ClientOptions.DEFAULT,
                    Optional.empty(),
                    Umask.current(),
                    Duration.ofSeconds(1),
                    Duration.ofSeconds(2));

    /** Checks the options. */
    public NfsOptions {
        if (umask < 0 || umask > UMASK_MAX) {
            throw new IllegalArgumentException("no umask: " + Integer.toOctalString(umask));
        }
        if (listed.isNegative()) {
            throw new IllegalArgumentException(
                    "no time for the attributes of a listing: " + listed);
        }
        if (watch.compareTo(WATCH_MIN) < 0) {
            throw new IllegalArgumentException("no time between two listings: " + watch);
        }
    }

    /** Returns these options with another client. */
    public NfsOptions withClient(ClientOptions changed) {
        return new NfsOptions(changed, mount, umask, listed, watch);
    }

    /** Returns these options with another address of the MOUNT service. */
    public NfsOptions withMount(InetSocketAddress changed) {
        return new NfsOptions(client, Optional.of(changed), umask, listed, watch);
    }

    /** Returns these options with another umask. */
    public NfsOptions withUmask(int changed) {
        return new NfsOptions(client, mount, changed, listed, watch);
    }

    /** Returns these options with another time for the attributes of a listing. */
    public NfsOptions withListed(Duration changed) {
        return new NfsOptions(client, mount, umask, changed, watch);
    }

    /** Returns these options with another time between two listings of watched directories. */
    public NfsOptions withWatch(Duration changed) {
        return new NfsOptions(client, mount, umask, listed, changed);
    }

    /** Returns the map that the methods of {@link java.nio.file.FileSystems} take. */
    public Map<String, NfsOptions> environment() {
        return Map.of("options", this);
    }

    /**
     * Returns the options of a map.
     *
     * @throws IllegalArgumentException if a key is unknown, or its value has another type or form
     */
    public static NfsOptions of(Map<String, ?> environment) {
        var options = environment.get("options") instanceof NfsOptions given ? given : DEFAULT;
        for (var entry : environment.entrySet()) {
            options = options.with(entry.getKey(), entry.getValue());
        }
        return options;
    }

    private NfsOptions with(String key, Object value) {
        return switch (key) {
            case "options" -> {
                if (value instanceof NfsOptions) {
                    yield this;
                }
                throw malformed(key, value);
            }
            case "vers" -> withClient(client.withVersions(versions(value)));
            case "timeout" -> withClient(client.withTimeout(duration(key, value)));
            case "retry" -> withClient(client.withRetry(duration(key, value)));
            case "listed" -> withListed(duration(key, value));
            case "watch" -> withWatch(duration(key, value));
            case "umask" -> withUmask(umask(value));
            case null, default -> throw new IllegalArgumentException("no option: " + key);
        };
    }

    private static IllegalArgumentException malformed(String key, Object value) {
        return new IllegalArgumentException("no value of the option " + key + ": " + value);
    }

    private static List<NfsVersion> versions(Object value) {
        var versions = new ArrayList<NfsVersion>();
        for (var word : String.valueOf(value).split(",", -1)) {
            versions.add(version(word, value));
        }
        return versions;
    }

    private static NfsVersion version(String word, Object value) {
        for (var each : NfsVersion.values()) {
            if (each.words().equals(word)) {
                return each;
            }
        }
        throw malformed("vers", value);
    }

    private static Duration duration(String key, Object value) {
        try {
            return value instanceof Duration given ? given : Duration.parse(String.valueOf(value));
        } catch (DateTimeParseException _) {
            throw malformed(key, value);
        }
    }

    private static int umask(Object value) {
        try {
            return value instanceof Integer given
                    ? given
                    : Integer.parseInt(String.valueOf(value), OCTAL);
        } catch (NumberFormatException _) {
            throw malformed("umask", value);
        }
    }
}
