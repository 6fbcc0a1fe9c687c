package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import io.github.rpcrdma4j.nfs.client.v4.refusal.OtherPlaces;
import io.github.rpcrdma4j.nfs.client.v4.refusal.WantedFlavors;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.attribute.ReadAttributes;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeResult;
import io.github.rpcrdma4j.nfs.v4.operation.HandleResult;
import java.io.IOException;
import java.util.Optional;

/**
 * Asks a server what it wants where it refuses a path with WRONGSEC, and where a file system is
 * that has MOVED (RFC 8881, Sections 2.6.3.1 and 11.4). The caller gets that as a reason. Neither
 * is followed: another flavor may be a weaker one, and another server is not the one that the user
 * has named.
 *
 * <p>Tests: {@code RefusedPathsTest}, {@code RefusedFlavorsTest}, {@code ReferralsTest}.
 */
record RefusedPaths(CompoundCalls calls) {
    /** The most bytes of the flavors of a file. */
    private static final int FLAVORS_MAX = 4 << 10;

    /**
     * The most bytes of the places of a file system, which have no maximum (RFC 8267-6.2-3). They
     * are asked for alone, with room for that many; if there are more, the reason is a short one.
     */
    private static final int PLACES_MAX = 64 << 10;

    private static final AttributeSet PLACES = AttributeSet.of(Attribute.FS_LOCATIONS);

    /** Where a path ends in a refusal: at a name of a directory, or at a file itself. */
    record Where(Plan start, Optional<FileName> name) {
        static Where at(FileHandle file) {
            return new Where(Plan.at(Nfs4Values.handle(file)), Optional.empty());
        }

        static Where root() {
            return new Where(Plan.atRoot(), Optional.empty());
        }

        static Where of(RemotePlace place) {
            var directory = at(place.directory());
            return place.name().isDots() ? directory : directory.resolve(place.name());
        }

        Where resolve(FileName below) {
            return new Where(start, Optional.of(below));
        }
    }

    /** Returns a failure with what the server says about it, if it says something. */
    NfsException explained(NfsException failure, Where where, String what)
            throws InterruptedException {
        try {
            var reason =
                    switch (failure.status()) {
                        case WRONGSEC -> flavors(where, what);
                        case MOVED -> places(where, what);
                        default -> Optional.<String>empty();
                    };
            return reason.isEmpty()
                    ? failure
                    : NfsException.found(what, reason.get(), failure.status());
        } catch (IOException _) {
            // What failed first is what the caller has to know.
            return failure;
        }
    }

    /** Version 4.0 tells flavors by name alone: it has no SECINFO_NO_NAME. */
    private Optional<String> flavors(Where where, String what)
            throws IOException, InterruptedException {
        int most = Math.min(FLAVORS_MAX, calls.roomForData());
        if (where.name.isPresent()) {
            return Optional.of(
                    calls.run(
                            where.start.flavors(where.name.get(), most),
                            what,
                            results ->
                                    WantedFlavors.reason(
                                            results.done(1)
                                                    .next(HandleResult.SecInfo.class)
                                                    .choices())));
        }
        if (calls instanceof Nfs4Lease) {
            return Optional.empty();
        }
        return Optional.of(
                calls.run(
                        where.start.flavors(most),
                        what,
                        results ->
                                WantedFlavors.reason(
                                        results.done(1)
                                                .next(HandleResult.SecInfoNoName.class)
                                                .choices())));
    }

    private Optional<String> places(Where where, String what)
            throws IOException, InterruptedException {
        var there = where.name.map(where.start::lookup).orElse(where.start);
        int before = there.operations().size();
        return calls.run(
                there.attributes(PLACES, Math.min(PLACES_MAX, calls.roomForData())),
                what,
                results -> {
                    var told = results.done(before).next(AttributeResult.GetAttr.class);
                    var read = Results.decoded(() -> ReadAttributes.decode(told.attributes()));
                    return read.present().has(Attribute.FS_LOCATIONS)
                            ? Optional.of(OtherPlaces.reason(read.locations()))
                            : Optional.empty();
                });
    }
}
