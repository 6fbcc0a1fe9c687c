package io.github.rpcrdma4j.nfs.server.v4;

import io.github.rpcrdma4j.memory.BudgetExhaustedException;
import io.github.rpcrdma4j.nfs.server.driver.DelegatedFiles;
import io.github.rpcrdma4j.nfs.server.driver.OperationFailure;
import io.github.rpcrdma4j.nfs.server.driver.StateDriver;
import io.github.rpcrdma4j.nfs.server.driver.Statuses;
import io.github.rpcrdma4j.nfs.server.metrics.NfsStatistics;
import io.github.rpcrdma4j.nfs.server.served.Client;
import io.github.rpcrdma4j.nfs.server.served.Exports;
import io.github.rpcrdma4j.nfs.server.served.FileSystemErrors;
import io.github.rpcrdma4j.nfs.server.served.Refusal;
import io.github.rpcrdma4j.nfs.state.Sequenced;
import io.github.rpcrdma4j.nfs.state.event.Sender;
import io.github.rpcrdma4j.nfs.state.event.SequenceCall;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.v4.CompoundCall;
import io.github.rpcrdma4j.nfs.v4.CompoundKind;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundArguments;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.nfs.v4.operation.Result;
import io.github.rpcrdma4j.nfs.v4.operation.SessionArguments.Sequence;
import io.github.rpcrdma4j.nfs.v4.operation.SessionResult;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.spi.FailureLog;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.Set;
import java.util.zip.CRC32C;

/**
 * Carries out COMPOUNDs (RFC 8881, Section 16.2): decodes one operation at a time, carries it out,
 * writes its result, and stops at the first failure.
 *
 * <p>Tests: {@code CompoundRulesTest}.
 */
final class Compounds {
    /** The most operations of a COMPOUND of minor version 0: as many as sessions have. */
    private static final int OPERATIONS_MAX = 512;

    /**
     * How much of the operations is compared to recognize another call in a used slot, in bytes:
     * all but the data of a WRITE.
     */
    private static final int CHECKED_BYTES = 2048;

    /** The operations by which Linux ends its use of a file. */
    private static final Set<Opcode> AT_END_OF_USE =
            EnumSet.of(Opcode.GETATTR, Opcode.CLOSE, Opcode.DELEGRETURN);

    /** The operations that choose the file of those that follow, or tell its handle. */
    private static final Set<Opcode> CHOOSING =
            EnumSet.of(
                    Opcode.GETFH,
                    Opcode.PUTFH,
                    Opcode.PUTPUBFH,
                    Opcode.PUTROOTFH,
                    Opcode.RESTOREFH,
                    Opcode.SAVEFH,
                    Opcode.SEQUENCE);

    /** The operations that only tell their caller something. If it is gone, nobody needs them. */
    private static final Set<Opcode> TELLING =
            EnumSet.of(
                    Opcode.ACCESS,
                    Opcode.GETATTR,
                    Opcode.GETXATTR,
                    Opcode.LISTXATTRS,
                    Opcode.LOOKUP,
                    Opcode.LOOKUPP,
                    Opcode.NVERIFY,
                    Opcode.READ,
                    Opcode.READDIR,
                    Opcode.READLINK,
                    Opcode.READ_PLUS,
                    Opcode.SECINFO,
                    Opcode.SECINFO_NO_NAME,
                    Opcode.SEEK,
                    Opcode.VERIFY);

    private final Set<Integer> minorVersions;
    private final Exports exports;
    private final StateDriver state;
    private final DelegatedFiles delegated;
    private final Operations operations;
    private final NfsStatistics statistics;
    private final FailureLog failures;

    /**
     * @param minorVersions those that are served
     */
    Compounds(
            Set<Integer> minorVersions,
            Exports exports,
            StateDriver state,
            DelegatedFiles delegated,
            Operations operations,
            NfsStatistics statistics,
            FailureLog failures) {
        this.minorVersions = Set.copyOf(minorVersions);
        this.exports = exports;
        this.state = state;
        this.delegated = delegated;
        this.operations = operations;
        this.statistics = statistics;
        this.failures = failures;
    }

    /**
     * Carries out a COMPOUND and writes its results.
     *
     * @throws XdrException if the arguments end before the first operation, or if a Read chunk
     *     holds anything but a whole item that may be placed directly; then nothing was carried out
     */
    void run(RpcRequest request, Client client, Sender sender, XdrWriter out)
            throws XdrException, InterruptedException {
        var in = request.arguments();
        var unread = in.hasPlacedData() ? in.peek() : null;
        long requestBytes = in.position() + in.remaining();
        var header = CompoundArguments.Header.decode(in);
        long checksum = checksum(header, in);
        int minorVersion = header.minorVersion();
        var reply = new CompoundReplyWriter(out, header.tag());
        var refusal = refusal(header.tag().bytes(), minorVersion);
        if (refusal != Nfs4Status.OK) {
            reply.end(refusal);
            return;
        }
        if (unread != null) {
            requireEligible(unread);
        }
        try (var compound =
                new Compound(exports, delegated, client, sender, request.pool(), minorVersion)) {
            new Run(compound, request, reply, header.count(), requestBytes, checksum).run();
        }
    }

    /**
     * Checks, before the first operation, that each Read chunk holds a bulk item of an operation
     * (RFC 8166-6.1-2, 8267-6.4.2-3).
     *
     * @param unread the arguments, which it reads over
     */
    private static void requireEligible(XdrReader unread) throws XdrException {
        CompoundCall.readOver(CompoundKind.COMPOUND, unread);
        if (unread.hasPlacedData()) {
            throw new XdrException("a Read chunk belongs to no item that may be reduced");
        }
    }

    private Nfs4Status refusal(byte[] tag, int minorVersion) {
        if (!minorVersions.contains(minorVersion)) {
            return Nfs4Status.MINOR_VERS_MISMATCH;
        }
        if (tag.length == 0) {
            return Nfs4Status.OK;
        }
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(tag));
            return Nfs4Status.OK;
        } catch (CharacterCodingException _) {
            return Nfs4Status.INVAL;
        }
    }

    /**
     * Returns a checksum of what makes a call another one: all but its tag, which a client may
     * change when it repeats the call (RFC 8881, Sections 2.10.6.1.3.1 and 16.2.3).
     *
     * @param in at the first operation
     */
    private static long checksum(CompoundArguments.Header header, XdrReader in) {
        var crc = new CRC32C();
        crc.update(
                ByteBuffer.allocate(2 * Integer.BYTES)
                        .putInt(header.minorVersion())
                        .putInt(header.count())
                        .flip());
        long[] left = {CHECKED_BYTES};
        in.peekAll(
                piece -> {
                    long bytes = Math.min(left[0], piece.byteSize());
                    crc.update(piece.asSlice(0, bytes).asByteBuffer());
                    left[0] -= bytes;
                });
        return in.remaining() << Integer.SIZE ^ crc.getValue();
    }

    /** One COMPOUND in progress. */
    private final class Run {
        private final Compound compound;
        private final RpcRequest request;
        private final XdrReader in;
        private final CompoundReplyWriter reply;
        private final int count;
        private final long requestBytes;
        private final long checksum;

        /** When the operation before ended, by the clock of the process, in nanoseconds. */
        private long before = System.nanoTime();

        /** Whether all operations so far choose files or tell something. */
        private boolean onlyTells = true;

        Run(
                Compound compound,
                RpcRequest request,
                CompoundReplyWriter reply,
                int count,
                long requestBytes,
                long checksum) {
            this.compound = compound;
            this.request = request;
            this.in = request.arguments();
            this.reply = reply;
            this.count = count;
            this.requestBytes = requestBytes;
            this.checksum = checksum;
        }

        void run() throws InterruptedException {
            var status = Nfs4Status.OK;
            try {
                var last = Opcode.ILLEGAL;
                int done = 0;
                for (; done != count && status == Nfs4Status.OK; done++) {
                    last = next();
                    status = step(done);
                    if (reply.isReplayed()) {
                        // The operations behind SEQUENCE were carried out the first time.
                        return;
                    }
                }
                if (status == Nfs4Status.STALE && last == Opcode.GETATTR) {
                    endUsesOfGoneFile(count - done);
                }
            } finally {
                end(status);
            }
        }

        /**
         * Carries out CLOSE and DELEGRETURN behind a GETATTR that found the file gone. Linux asks
         * for attributes first, and does not repeat the call, so that it would keep what it has of
         * the file for as long as it renews its lease.
         *
         * @param left how many operations follow
         */
        private void endUsesOfGoneFile(int left) {
            try {
                for (int i = 0; i != left; i++) {
                    if (!AT_END_OF_USE.contains(next())) {
                        return;
                    }
                    var arguments = Arguments.decode(compound.minorVersion(), in);
                    if (arguments instanceof StateArguments ending) {
                        operations.endUseOfGoneFile(compound, ending);
                    }
                }
            } catch (XdrException _) {
                // No operation is owed an answer any more.
            } catch (OperationFailure _) {
                // The client does not have it.
            } catch (RuntimeException error) {
                failures.report("an internal error at the end of a file that is gone", error);
            }
        }

        private void end(Nfs4Status status) {
            if (reply.isReplayed()) {
                return;
            }
            reply.end(status);
            var use = compound.slot();
            if (use != null) {
                var kept = reply.kept(use);
                state.finish(use, kept);
            }
        }

        /** Carries out the next operation, and returns its status. */
        private Nfs4Status step(int index) throws InterruptedException {
            Opcode counted = null;
            var opcode = next();
            reply.operation(in.position());
            try {
                var arguments = Arguments.decode(compound.minorVersion(), in);
                counted = arguments.opcode();
                if (arguments instanceof Sequence sequence) {
                    return sequence(index, sequence);
                }
                requirePlace(index, arguments.opcode());
                requireCaller(arguments.opcode());
                reply.requireRoom(compound.limits(), arguments.opcode());
                return reply.add(
                        compound.limits(),
                        arguments.opcode(),
                        operations.carryOut(compound, arguments, index == count - 1));
            } catch (XdrException _) {
                return reply.fail(opcode, Nfs4Status.BADXDR);
            } catch (OperationFailure failure) {
                return reply.fail(opcode, known(opcode, failure.status()));
            } catch (Refusal refusal) {
                return reply.fail(opcode, Statuses.of(refusal.failure()));
            } catch (StoreException failure) {
                if (Thread.interrupted()) {
                    throw new InterruptedException("the operation was interrupted");
                }
                FileSystemErrors.tell(failures, opcode, failure);
                return reply.fail(opcode, Statuses.of(failure.failure()));
            } catch (BudgetExhaustedException none) {
                failures.warn("a call found no memory", none.getMessage());
                return reply.fail(opcode, Nfs4Status.DELAY);
            } catch (RuntimeException error) {
                failures.report("an internal error in " + opcode, error);
                return reply.fail(opcode, Nfs4Status.SERVERFAULT);
            } finally {
                count(counted);
            }
        }

        /**
         * Counts an operation that has ended.
         *
         * @param operation null if it was malformed
         */
        private void count(Opcode operation) {
            if (operation != null) {
                long now = System.nanoTime();
                statistics.countOperation(operation, now - before);
                before = now;
            }
        }

        private Nfs4Status known(Opcode opcode, Nfs4Status status) {
            return compound.minorVersion() == 0 ? Statuses.ofVersion0(opcode, status) : status;
        }

        /** Returns the next operation without reading it. */
        private Opcode next() {
            try {
                return Opcode.of(in.peekUint32())
                        .filter(each -> each.operation().minorVersion() <= compound.minorVersion())
                        .orElse(Opcode.ILLEGAL);
            } catch (XdrException _) {
                return Opcode.ILLEGAL;
            }
        }

        /**
         * Checks that an operation may stand at its place (RFC 8881, Sections 2.10.6 and 18.46).
         */
        private void requirePlace(int index, Opcode opcode) throws OperationFailure {
            if (compound.minorVersion() == 0) {
                if (Integer.compareUnsigned(count, OPERATIONS_MAX) > 0) {
                    throw new OperationFailure(Nfs4Status.RESOURCE);
                }
                return;
            }
            if (index > 0 || opcode == Opcode.ILLEGAL) {
                return;
            }
            if (!isWithoutSession(opcode)) {
                throw new OperationFailure(Nfs4Status.OP_NOT_IN_SESSION);
            }
            if (count != 1) {
                throw new OperationFailure(Nfs4Status.NOT_ONLY_OP);
            }
        }

        /**
         * Ends a COMPOUND whose connection has ended, before it tells something. One that has
         * changed anything goes on: a client that comes back must find its whole reply, and must
         * not lose what the operations behind release.
         *
         * @throws OperationFailure DELAY, which tells that client to send the call again
         */
        private void requireCaller(Opcode opcode) throws OperationFailure {
            boolean tells = TELLING.contains(opcode);
            if (tells
                    && onlyTells
                    && request.reverse().filter(each -> !each.isOpen()).isPresent()) {
                throw new OperationFailure(Nfs4Status.DELAY);
            }
            onlyTells &= tells || CHOOSING.contains(opcode);
        }

        /** Reads over the next operation, and returns where it starts in the call, in bytes. */
        private long skip() {
            long start = in.position();
            try {
                Arguments.decode(compound.minorVersion(), in);
            } catch (XdrException _) {
                // The kept reply says so, and has no result behind it.
            }
            return start;
        }

        private Nfs4Status sequence(int index, Sequence call) throws OperationFailure {
            if (index > 0) {
                throw new OperationFailure(Nfs4Status.SEQUENCE_POS);
            }
            var event =
                    new SequenceCall(
                            call.session(),
                            call.sequence(),
                            call.slot(),
                            call.highestSlot(),
                            call.isCached(),
                            count,
                            (int) Math.min(requestBytes, Integer.MAX_VALUE),
                            checksum);
            var sequenced =
                    state.results((all, now) -> all.sequence(event, compound.sender(), now));
            var results = result(sequenced.results());
            return switch (sequenced) {
                case Sequenced.Started(var use, _) -> {
                    compound.begin(use);
                    yield reply.begin(results);
                }
                case Sequenced.Replayed(_, var kept) -> reply.replay(results, kept, this::skip);
            };
        }
    }

    private static Result result(Sequenced.Results results) {
        return new SessionResult.Sequence(
                results.session(),
                results.sequence(),
                results.slot(),
                results.highestSlot(),
                results.targetHighestSlot(),
                results.flags());
    }

    private static boolean isWithoutSession(Opcode opcode) {
        return switch (opcode) {
            case EXCHANGE_ID, CREATE_SESSION, DESTROY_SESSION, BIND_CONN_TO_SESSION -> true;
            case DESTROY_CLIENTID -> true;
            default -> false;
        };
    }
}
