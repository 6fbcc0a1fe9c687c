package io.github.rpcrdma4j.nfs.server.users;

import io.github.rpcrdma4j.oncrpc.Credential;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Maps {@code alice@REALM} to the user {@code alice} of this system. Principals of other realms,
 * and those with an instance, like {@code nfs/host@REALM}, have no user. Users from sources other
 * than the files below are not found. Thread-safe.
 *
 * <pre>
 *   /etc/passwd:  name:password:uid:gid:...
 *   /etc/group:   name:password:gid:member,member
 * </pre>
 */
public final class SystemAccounts implements KerberosUsers {
    private static final Logger LOG = System.getLogger(SystemAccounts.class.getName());
    private static final Credential NOBODY = new Credential.None();

    /** The most principals in the cache; when it is full, all are dropped. */
    private static final int KNOWN_MAX = 1024;

    /** How long a cached user is valid, so that changes of the files take effect. */
    private static final long KNOWN_NANOS = Duration.ofSeconds(30).toNanos();

    private record Known(Credential user, long since) {}

    private final Path users;
    private final Path groups;
    private final String ending;
    private final LongSupplier clock;
    private final Map<String, Known> known = new ConcurrentHashMap<>();

    /**
     * @param realm the realm whose principals are users of this system
     */
    public SystemAccounts(String realm) {
        this(Path.of("/etc/passwd"), Path.of("/etc/group"), realm, System::nanoTime);
    }

    SystemAccounts(Path users, Path groups, String realm, LongSupplier clock) {
        this.users = users;
        this.groups = groups;
        this.ending = "@" + realm;
        this.clock = clock;
    }

    @Override
    public Credential of(Credential.Principal caller) {
        var name = caller.name();
        if (!name.endsWith(ending) || name.indexOf('/') >= 0) {
            return NOBODY;
        }
        long now = clock.getAsLong();
        var found = known.get(name);
        if (found == null || now - found.since >= KNOWN_NANOS) {
            if (known.size() >= KNOWN_MAX) {
                known.clear();
            }
            found = new Known(user(name.substring(0, name.length() - ending.length())), now);
            known.put(name, found);
        }
        return found.user;
    }

    private Credential user(String name) {
        for (var fields : entries(users, 4)) {
            if (fields[0].equals(name)) {
                try {
                    int uid = Integer.parseUnsignedInt(fields[2]);
                    int gid = Integer.parseUnsignedInt(fields[3]);
                    return new Credential.Sys(0, name, uid, gid, groupsOf(name));
                } catch (NumberFormatException _) {
                    return NOBODY;
                }
            }
        }
        return NOBODY;
    }

    private List<Integer> groupsOf(String name) {
        var found = new ArrayList<Integer>();
        for (var fields : entries(groups, 4)) {
            if (Arrays.asList(fields[3].split(",")).contains(name)) {
                try {
                    found.add(Integer.parseUnsignedInt(fields[2]));
                } catch (NumberFormatException _) {
                    // A group without a valid number has no members.
                }
            }
        }
        return found;
    }

    private static List<String[]> entries(Path file, int fields) {
        try (var lines = Files.lines(file)) {
            return lines.map(line -> line.split(":", -1))
                    .filter(entry -> entry.length >= fields)
                    .toList();
        } catch (IOException | UncheckedIOException unreadable) {
            LOG.log(Level.WARNING, () -> "cannot read " + file + ": " + unreadable.getMessage());
            return List.of();
        }
    }
}
