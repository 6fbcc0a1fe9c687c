package io.github.rpcrdma4j.nfs.server.driver;

import io.github.rpcrdma4j.nfs.state.Callback;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Adds up how long one reply has waited for each client that was called back for it, CB_GETATTR for
 * each entry of a listing for example. The answers of a client count as one that took so long: a
 * client with many files must not let others wait a little for each of them, for ever. Thread-safe.
 */
public final class AnswerTimes implements AutoCloseable {
    /** An answer that tells nothing is as late as one that does not come in time. */
    private static final long REFUSED_NANOS = Callbacks.SHORT_TIMEOUT.toNanos();

    private final StateDriver state;

    /** By client ID. Its monitor guards it. */
    private final Map<Long, List<Answer>> clients = new HashMap<>();

    /**
     * One answer.
     *
     * @param began when the client was asked, in nanoseconds
     * @param ended when it had answered
     * @param isRefused whether it has told nothing although it owed an answer
     */
    public record Answer(Callback call, long began, long ended, boolean isRefused) {}

    public AnswerTimes(StateDriver state) {
        this.state = state;
    }

    public void add(Answer answer) {
        synchronized (clients) {
            clients.computeIfAbsent(answer.call.clientId(), _ -> new ArrayList<>()).add(answer);
        }
    }

    /** Tells the state how long each client has let the reply wait. */
    @Override
    public void close() {
        synchronized (clients) {
            for (var each : clients.values()) {
                long refused = each.stream().anyMatch(Answer::isRefused) ? REFUSED_NANOS : 0;
                long nanos = Math.max(refused, nanos(each));
                state.read(
                        (all, now) -> {
                            all.callbacks().asked(each.getFirst().call, nanos, now);
                            return null;
                        });
            }
            clients.clear();
        }
    }

    /** Returns how long any of some answers was awaited. */
    static long nanos(List<Answer> answers) {
        // Times of this clock are compared by their difference.
        long start = answers.getFirst().began;
        var sorted = new ArrayList<>(answers);
        sorted.sort(Comparator.comparingLong(each -> each.began - start));
        long nanos = 0;
        long until = sorted.getFirst().began;
        for (var each : sorted) {
            long from = each.began - until > 0 ? each.began : until;
            if (each.ended - from > 0) {
                nanos += each.ended - from;
                until = each.ended;
            }
        }
        return nanos;
    }
}
