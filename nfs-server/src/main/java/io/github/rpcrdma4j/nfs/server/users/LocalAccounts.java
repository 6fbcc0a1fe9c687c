package io.github.rpcrdma4j.nfs.server.users;

import io.github.rpcrdma4j.oncrpc.Credential;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

/**
 * The users and groups of this machine, as {@code /etc/passwd} and {@code /etc/group} have them.
 * The files are read again after 30 seconds. Thread-safe.
 */
public final class LocalAccounts {
    /** How long the content of the files is valid, so that changes of them take effect. */
    private static final long KNOWN_NANOS = Duration.ofSeconds(30).toNanos();

    private final Path users;
    private final Path groups;
    private final LongSupplier clock;
    private final AtomicBoolean isReading = new AtomicBoolean();
    private volatile Known known;

    private record Known(AccountFiles accounts, long since) {}

    /** Reads nothing yet. */
    public LocalAccounts() {
        this(Path.of("/etc/passwd"), Path.of("/etc/group"), System::nanoTime);
    }

    LocalAccounts(Path users, Path groups, LongSupplier clock) {
        this.users = users;
        this.groups = groups;
        this.clock = clock;
    }

    /** Returns the accounts. While one thread reads the files again, others take what is known. */
    AccountFiles now() {
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

    /** Returns the user of a number, with all groups; empty if the files do not have it. */
    public Optional<Credential.Sys> user(int uid) {
        return Optional.ofNullable(now().user(uid));
    }
}
