package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.Written;
import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import io.github.rpcrdma4j.nfs.v4.operation.CopyArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CopyResult;
import io.github.rpcrdma4j.nfs.v4.operation.DataArguments;
import io.github.rpcrdma4j.nfs.v4.operation.DataResult;
import io.github.rpcrdma4j.oncrpc.RpcException;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Copies bytes within a server, by CLONE and COPY, and finds holes, by SEEK (RFC 7862, Sections
 * 15.13, 15.2 and 15.11).
 *
 * <p>Tests: {@code ServerSideCopiesTest}.
 */
record ServerSideCopies(CompoundCalls calls) {
    /** The saved file is the source, the current one the target. */
    private static Plan both(OpenAtServer source, OpenAtServer target) {
        return Plan.at(Nfs4Values.handle(source.handle()))
                .save()
                .file(Nfs4Values.handle(target.handle()));
    }

    boolean share(OpenAtServer source, OpenAtServer target, String what)
            throws IOException, InterruptedException {
        var use =
                new FileUse(
                        List.of(source, target),
                        what,
                        ids ->
                                both(source, target)
                                        .share(
                                                new CopyArguments.Clone(
                                                        ids.getFirst(), ids.getLast(), 0, 0, 0)));
        try {
            calls.run(use, what, results -> results.done(4));
            return true;
        } catch (NfsException refused) {
            return isLeftToOthers(refused);
        }
    }

    Optional<Written> copy(
            OpenAtServer source, OpenAtServer target, long offset, long count, String what)
            throws IOException, InterruptedException {
        var use =
                new FileUse(
                        List.of(source, target),
                        what,
                        ids ->
                                both(source, target)
                                        .copy(
                                                new CopyArguments.Copy(
                                                        ids.getFirst(),
                                                        ids.getLast(),
                                                        offset,
                                                        offset,
                                                        count,
                                                        true,
                                                        true,
                                                        List.of())));
        try {
            return Optional.of(calls.run(use, what, results -> copied(results, count, what)));
        } catch (NfsException refused) {
            isLeftToOthers(refused);
            return Optional.empty();
        }
    }

    private static Written copied(Results results, long count, String what) throws IOException {
        var copied = results.done(3).next(CopyResult.Copy.class);
        if (copied.callbackId().isPresent() || !copied.isConsecutive()) {
            throw new RpcException.BadReply(
                    what + ": the server copies in another way than it was asked to");
        }
        if (Long.compareUnsigned(copied.count(), count) > 0) {
            throw new RpcException.BadReply(what + ": the server has copied more than asked");
        }
        return new Written(copied.count(), copied.committed(), copied.verifier());
    }

    /**
     * Returns false if bytes that pass through this machine can be copied all the same.
     *
     * @throws NfsException if that would fail, too
     */
    private static boolean isLeftToOthers(NfsException refused) throws NfsException {
        return switch (refused.status()) {
            case NOTSUPP, INVAL, XDEV, BADTYPE, SERVERFAULT -> false;
            default -> throw refused;
        };
    }

    OptionalLong seek(OpenAtServer file, long offset, boolean isData, String what)
            throws IOException, InterruptedException {
        int sought = isData ? DataArguments.Seek.DATA : DataArguments.Seek.HOLE;
        var handle = Nfs4Values.handle(file.handle());
        var use =
                file.use(
                        what,
                        stateId ->
                                Plan.at(handle)
                                        .seek(new DataArguments.Seek(stateId, offset, sought)));
        try {
            return OptionalLong.of(
                    calls.run(use, what, results -> found(results, offset, isData, what)));
        } catch (NfsException refused) {
            return switch (refused.status()) {
                // No data follows (RFC 7862, Section 15.11.3).
                case NXIO -> OptionalLong.of(Long.MAX_VALUE);
                case NOTSUPP -> OptionalLong.empty();
                default -> throw refused;
            };
        }
    }

    private static long found(Results results, long offset, boolean isData, String what)
            throws IOException {
        var found = results.done(1).next(DataResult.Seek.class);
        if (isData && found.isEndOfFile()) {
            return Long.MAX_VALUE;
        }
        if (found.offset() < offset) {
            throw new RpcException.BadReply(what + ": the server seeks backwards");
        }
        return found.offset();
    }
}
