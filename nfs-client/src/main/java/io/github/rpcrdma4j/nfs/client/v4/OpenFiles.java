package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.OpenFile;
import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import io.github.rpcrdma4j.nfs.v4.operation.OpenClaim;
import io.github.rpcrdma4j.nfs.v4.operation.OpenCreation;
import io.github.rpcrdma4j.nfs.v4.operation.OpenDelegation;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
import io.github.rpcrdma4j.nfs.v4.operation.StateResult;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Opens files. Each open has an owner of its own, so that the server never joins two opens into
 * one, and none ends with another (RFC 8881, Section 9.7). Thread-safe.
 *
 * <p>Tests: {@code Nfs4SessionTest}.
 */
final class OpenFiles {
    private final Nfs4Session session;
    private final AtomicLong owners = new AtomicLong();
    private final Set<Opened> open = ConcurrentHashMap.newKeySet();

    OpenFiles(Nfs4Session session) {
        this.session = session;
    }

    /** A file that is open at the server. */
    final class Opened implements OpenFile {
        private final FileHandle handle;
        private final StateId stateId;
        private final AtomicBoolean isClosed = new AtomicBoolean();

        private Opened(FileHandle handle, StateId stateId) {
            this.handle = handle;
            this.stateId = stateId;
        }

        @Override
        public FileHandle handle() {
            return handle;
        }

        /** Returns the newest stateid of the open (RFC 8881, Section 8.2.2). */
        StateId stateId() {
            return stateId.withSequence(0);
        }

        @Override
        public void close() {
            if (isClosed.compareAndSet(false, true)) {
                open.remove(this);
                OpenFiles.this.close(this);
            }
        }
    }

    /** Returns arguments of OPEN for a new owner, without a wish for a delegation. */
    StateArguments.Open arguments(OpenFile.Mode mode, OpenCreation creation, OpenClaim claim) {
        var name = ByteBuffer.allocate(Long.BYTES).putLong(owners.incrementAndGet()).array();
        return new StateArguments.Open(
                0,
                access(mode) | StateArguments.Open.WANT_NO_DELEG,
                0,
                new StateOwner(0, OpaqueName.of(name)),
                creation,
                claim);
    }

    private static int access(OpenFile.Mode mode) {
        return switch (mode) {
            case READ -> StateArguments.Open.READ;
            case WRITE -> StateArguments.Open.WRITE;
            case BOTH -> StateArguments.Open.BOTH;
        };
    }

    /** Opens a file by its handle. */
    Opened open(FileHandle file, OpenFile.Mode mode, String what)
            throws IOException, InterruptedException {
        var arguments = arguments(mode, new OpenCreation.None(), new OpenClaim.Handle());
        var result =
                session.run(
                        Plan.at(Nfs4Values.handle(file)).open(arguments),
                        what,
                        results -> results.done(1).next(StateResult.Open.class));
        var opened = new Opened(file, result.open());
        open.add(opened);
        giveBack(file, result.delegation());
        return opened;
    }

    /** Servers may give a delegation that nobody wants. */
    private void giveBack(FileHandle file, OpenDelegation delegation)
            throws IOException, InterruptedException {
        var given =
                switch (delegation) {
                    case OpenDelegation.None _, OpenDelegation.Refused _ -> null;
                    case OpenDelegation.Read read -> read.stateId();
                    case OpenDelegation.Write write -> write.stateId();
                };
        if (given != null) {
            session.run(
                    Plan.at(Nfs4Values.handle(file)).returned(given),
                    "cannot give a delegation back",
                    results -> results.done(2));
        }
    }

    /**
     * Closes all files in one attempt each, before the session ends: a server keeps a client that
     * has open files. Ends with the first failure.
     */
    void closeAll() {
        for (var each : open) {
            if (each.isClosed.compareAndSet(false, true)
                    && !session.part(closing(each), "cannot close a file")) {
                return;
            }
        }
    }

    private static Plan closing(Opened file) {
        return Plan.at(Nfs4Values.handle(file.handle)).close(file.stateId);
    }

    private void close(Opened file) {
        boolean interrupted = Thread.interrupted();
        try {
            session.run(closing(file), "cannot close a file", results -> results.done(2));
        } catch (IOException _) {
            // The lease ends it.
        } catch (InterruptedException _) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
