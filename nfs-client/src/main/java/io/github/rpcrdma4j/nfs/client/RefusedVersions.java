package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import java.time.Duration;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * The versions of NFS that servers said they do not have, so that another connection does not ask
 * for them again. What a server said is forgotten after {@link #KEPT}, since servers are upgraded.
 * It belongs to those who connect often, such as one command with many URLs. Thread-safe.
 *
 * <p>Tests: {@code RefusedVersionsTest}.
 */
public final class RefusedVersions {
    /** How long an answer of a server counts. */
    public static final Duration KEPT = Duration.ofMinutes(10);

    /** Of how many servers answers are kept; of the newest ones, if there are more. */
    static final int SERVERS_MAX = 64;

    private record Answer(Set<NfsVersion> refused, long nanoTime) {}

    private final LongSupplier clock;
    private final SequencedMap<String, Answer> answers = new LinkedHashMap<>();

    /** Nothing is refused at first. */
    public RefusedVersions() {
        this(System::nanoTime);
    }

    RefusedVersions(LongSupplier clock) {
        this.clock = clock;
    }

    /** Returns some versions, in their order, without those that a server refused. */
    synchronized List<NfsVersion> without(NfsUrl.Server server, List<NfsVersion> versions) {
        var answer = answers.get(server.toString());
        if (answer == null || clock.getAsLong() - answer.nanoTime > KEPT.toNanos()) {
            return versions;
        }
        return versions.stream().filter(each -> !answer.refused.contains(each)).toList();
    }

    /** Sets which versions a server refused, in place of what it said before. */
    synchronized void refused(NfsUrl.Server server, Set<NfsVersion> versions) {
        answers.remove(server.toString());
        if (versions.isEmpty()) {
            return;
        }
        answers.put(server.toString(), new Answer(EnumSet.copyOf(versions), clock.getAsLong()));
        if (answers.size() > SERVERS_MAX) {
            answers.pollFirstEntry();
        }
    }
}
