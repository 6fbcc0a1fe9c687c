package io.github.rpcrdma4j.nfs.server.users;

import io.github.rpcrdma4j.oncrpc.Credential;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

/**
 * Maps {@code alice@REALM} to the user {@code alice} of this system. Principals of other realms,
 * and those with an instance, like {@code nfs/host@REALM}, have no user. Users from sources other
 * than the files below are not found. Thread-safe.
 *
 * <p>The domain of owners is the realm in lower case, as in {@code alice@realm}; that of a client
 * may have any case.
 *
 * <pre>
 *   /etc/passwd:  name:password:uid:gid:...
 *   /etc/group:   name:password:gid:member,member
 * </pre>
 */
public final class SystemAccounts implements KerberosUsers {
    private static final Credential NOBODY = new Credential.None();

    /** How long the content of the files is valid, so that changes of them take effect. */
    private static final long KNOWN_NANOS = Duration.ofSeconds(30).toNanos();

    private final Path users;
    private final Path groups;
    private final String ending;
    private final String domain;
    private final LongSupplier clock;
    private final AtomicBoolean isReading = new AtomicBoolean();
    private volatile Known known;

    private record Known(AccountFiles accounts, long since) {}

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
        this.domain = ending.toLowerCase(Locale.ROOT);
        this.clock = clock;
    }

    /** Returns the accounts. While one thread reads the files again, others take what is known. */
    private AccountFiles accounts() {
        var now = clock.getAsLong();
        var last = known;
        boolean isValid = last != null && now - last.since < KNOWN_NANOS;
        if (isValid || last != null && !isReading.compareAndSet(false, true)) {
            return last.accounts;
        }
        try {
            var read = AccountFiles.read(users, groups);
            known = new Known(read, now);
            return read;
        } finally {
            isReading.set(false);
        }
    }

    @Override
    public Credential of(Credential.Principal caller) {
        var name = caller.name();
        if (!name.endsWith(ending) || name.indexOf('/') >= 0) {
            return NOBODY;
        }
        var user = accounts().user(name.substring(0, name.length() - ending.length()));
        return user == null ? NOBODY : user;
    }

    @Override
    public OptionalInt user(String name) {
        var user = isOfDomain(name) ? accounts().user(withoutDomain(name)) : null;
        return user == null ? OptionalInt.empty() : OptionalInt.of(user.uid());
    }

    @Override
    public OptionalInt group(String name) {
        var gid = isOfDomain(name) ? accounts().group(withoutDomain(name)) : null;
        return gid == null ? OptionalInt.empty() : OptionalInt.of(gid);
    }

    private boolean isOfDomain(String name) {
        int at = name.length() - domain.length();
        return at > 0 && name.regionMatches(true, at, domain, 0, domain.length());
    }

    private String withoutDomain(String name) {
        return name.substring(0, name.length() - domain.length());
    }

    @Override
    public Optional<String> nameOfUser(int uid) {
        return Optional.ofNullable(accounts().nameOfUser(uid)).map(name -> name + domain);
    }

    @Override
    public Optional<String> nameOfGroup(int gid) {
        return Optional.ofNullable(accounts().nameOfGroup(gid)).map(name -> name + domain);
    }
}
