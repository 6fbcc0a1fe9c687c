package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.FileAttributes;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.OutcomeUnknownException;
import io.github.rpcrdma4j.nfs.client.service.RemoteFile;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import io.github.rpcrdma4j.nfs.client.v4.plan.NewFile;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.operation.OpenCreation;
import io.github.rpcrdma4j.oncrpc.RpcException;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * Makes regular files that must not exist. Their OPEN may be sent again when nobody knows what
 * became of it: the server finds what it has made by the verifier. A server that has no such
 * creation, or makes the file with more rights than it should have, gets GUARDED creations from
 * then on. Thread-safe.
 *
 * <p>Tests: {@code ExclusiveCreationTest}, {@code SimulatedServersTest}.
 */
final class ExclusiveCreation {
    /** So often an OPEN is made whose outcome stays unknown. */
    private static final int TRIES_MAX = 3;

    /** Who can guess a verifier can make a file that passes for one of this client. */
    private static final RandomGenerator VERIFIERS = new SecureRandom();

    private final CompoundCalls calls;
    private final int minorVersion;

    /** Whether the server has refused an exclusive creation. */
    private volatile boolean isRefused;

    ExclusiveCreation(CompoundCalls calls, int minorVersion) {
        this.calls = calls;
        this.minorVersion = minorVersion;
    }

    /** Makes calls that make a file and open it. */
    interface Opening<T> {
        Opened<T> by(OpenCreation creation) throws IOException, InterruptedException;
    }

    /**
     * What these calls have made.
     *
     * @param value what else they tell; empty if the mode is not the wanted one, for which they did
     *     nothing more
     * @param set by OPEN, as the server says
     */
    record Opened<T>(Optional<T> value, RemoteFile file, AttributeSet set) {}

    /**
     * A new file.
     *
     * @param left what is to be set still
     */
    record Made<T>(T value, RemoteFile file, AttributeChanges left) {}

    /**
     * Makes a file.
     *
     * @param wanted its attributes
     * @throws OutcomeUnknownException if nobody can tell whether it is made
     */
    <T> Made<T> make(RemotePlace place, AttributeChanges wanted, String what, Opening<T> opening)
            throws IOException, InterruptedException {
        boolean isTried = !isRefused && wanted.mode().isPresent();
        if (isTried) {
            var made = exclusively(place, wanted, what, opening);
            if (made.isPresent()) {
                return made.get();
            }
        }
        var guarded = new OpenCreation.Guarded(Nfs4Values.changes(wanted));
        var made = opening.by(guarded);
        isRefused |= isTried;
        return new Made<>(made.value().orElseThrow(), made.file(), AttributeChanges.NONE);
    }

    /** Returns nothing if the server cannot. */
    private <T> Optional<Made<T>> exclusively(
            RemotePlace place, AttributeChanges wanted, String what, Opening<T> opening)
            throws IOException, InterruptedException {
        var mode = Nfs4Values.changes(AttributeChanges.ofMode(wanted.mode().orElseThrow()));
        var file = new NewFile(wanted, mode, VERIFIERS.nextLong());
        Opened<T> made;
        try {
            made = opening.by(file.creation(minorVersion));
        } catch (NfsException refused) {
            return switch (refused.status()) {
                case NOTSUPP, INVAL -> Optional.empty();
                default -> throw refused;
            };
        }
        var told = made.file().attributes();
        if (made.value().isEmpty() || file.grantsTooMuch(told)) {
            unmake(place, made.file(), what);
            return Optional.empty();
        }
        return Optional.of(
                new Made<>(made.value().get(), made.file(), file.left(made.set(), told)));
    }

    /** A call with an OPEN. */
    interface Call<T> {
        T run() throws IOException, InterruptedException;
    }

    /**
     * Makes a call again as long as nobody knows what became of it, if its OPEN may be. For an
     * error of the transport none is (RFC 8267-6.4.2-4).
     */
    static <T> T again(OpenCreation creation, Call<T> call)
            throws IOException, InterruptedException {
        int triesMax =
                switch (creation) {
                    case OpenCreation.Exclusive _, OpenCreation.ExclusiveWithAttributes _ ->
                            TRIES_MAX;
                    case OpenCreation.None _, OpenCreation.Unchecked _, OpenCreation.Guarded _ -> 1;
                };
        OutcomeUnknownException first = null;
        for (int i = 0; i < triesMax; i++) {
            try {
                return call.run();
            } catch (OutcomeUnknownException unknown) {
                if (unknown.getCause() instanceof RpcException.TransportRefused) {
                    throw unknown;
                }
                first = first == null ? unknown : first;
            } catch (NfsException refused) {
                if (first == null) {
                    throw refused;
                }
                // What the first copy has made may have changed since.
                first.addSuppressed(refused);
                break;
            }
        }
        throw first;
    }

    /** Returns the failure of a call that has made a file, and does not tell of it. */
    static IOException untold(String what, NfsException refused) {
        return new IOException(
                what + ": it is made, but the server tells nothing of it: " + refused.reason(),
                refused);
    }

    /** Removes a file, if it has still its name. */
    private void unmake(RemotePlace place, RemoteFile made, String what)
            throws IOException, InterruptedException {
        var plan =
                FilePlans.looking(place)
                        .require(Nfs4Values.identity(Nfs4Values.handle(made.handle())));
        calls.run(FilePlans.removing(plan, place), what, Results::end);
    }

    /**
     * Sets what is left, and returns the attributes that the file has then. A server that does not
     * let the times be set is asked for no more exclusive creations.
     *
     * @throws IOException also if the server refuses: never as if the file had not been made
     */
    FileAttributes completed(Made<?> made, String what) throws IOException, InterruptedException {
        var left = made.left();
        if (left.equals(AttributeChanges.NONE)) {
            return made.file().attributes();
        }
        var setting = FilePlans.changing(made.file().handle(), left);
        try {
            return calls.run(
                    FilePlans.status(setting),
                    what,
                    results -> FileResults.status(results.done(2)));
        } catch (NfsException refused) {
            var keep = new AttributeChanges.TimeChange.Keep();
            boolean isOfTimes = left.withTimes(keep, keep).equals(AttributeChanges.NONE);
            if (!isOfTimes || !refused.isOfOwner()) {
                throw new IOException(
                        what
                                + ": it is made, but its mode and its times are not set: "
                                + refused.reason(),
                        refused);
            }
            isRefused = true;
            return made.file().attributes();
        }
    }
}
