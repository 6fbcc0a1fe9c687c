package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.v4.plan.Answer;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.HandleResult;
import io.github.rpcrdma4j.nfs.v4.operation.LockResult;
import io.github.rpcrdma4j.nfs.v4.operation.Result;
import io.github.rpcrdma4j.nfs.v4.operation.SessionResult;
import io.github.rpcrdma4j.nfs.v4.type.FileHandle;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.xdr.XdrException;
import java.io.IOException;
import java.util.Optional;

/**
 * The results of a COMPOUND, one after the other, behind that of its SEQUENCE, if it has one. Used
 * by one thread, while the reply is valid.
 *
 * <p>Tests: {@code OddResultsTest}, {@code SimulatedLeaseTest}.
 */
final class Results {
    private final Answer answer;
    private String what;

    private int next;

    /**
     * @param first how many results are in front of those of the plan
     * @param what for the message of a failure
     */
    Results(Answer answer, int first, String what) {
        this.answer = answer;
        this.next = first;
        this.what = what;
    }

    /**
     * Returns the next result with values.
     *
     * @throws NfsException if its operation, or one in front of it, failed
     * @throws RpcException.BadReply if the results end in front of it, or it is another one
     */
    <T extends Result> T next(Class<T> type) throws IOException {
        var result = next();
        if (!type.isInstance(result)) {
            throw new RpcException.BadReply(what + ": the server answers with " + result.opcode());
        }
        return type.cast(result);
    }

    /** Passes by a result with values that are of no use. */
    <T extends Result> Results passed(Class<T> type) throws IOException {
        next(type);
        return this;
    }

    /** Sets what the next results are of, for the message of a failure. */
    Results named(String operation) {
        what = operation;
        return this;
    }

    /** Passes by the results of operations without values. */
    Results done(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            next();
        }
        return this;
    }

    /** Passes by all results that are left. */
    Results end() throws IOException {
        return done(answer.results().size() - next);
    }

    /** Makes a value of bytes of a result. */
    interface Decoding<T> {
        T run() throws XdrException;
    }

    /**
     * Decodes what a server tells.
     *
     * @throws RpcException.BadReply if it is malformed
     */
    static <T> T decoded(Decoding<T> decoding) throws RpcException {
        try {
            return decoding.run();
        } catch (XdrException malformed) {
            throw RpcException.BadReply.of(malformed);
        }
    }

    /** Returns the status of the COMPOUND, which is that of its last result. */
    Nfs4Status status() {
        return answer.status();
    }

    /** Returns the handle that GETFH told; empty if it was not carried out. */
    Optional<FileHandle> handle() {
        return answer.results().stream()
                .filter(HandleResult.GetFh.class::isInstance)
                .map(HandleResult.GetFh.class::cast)
                .map(HandleResult.GetFh::handle)
                .findFirst();
    }

    /** Returns the stateid that LOCKU told; empty if it was not carried out. */
    Optional<StateId> unlocked() {
        return answer.results().stream()
                .filter(LockResult.LockU.class::isInstance)
                .map(LockResult.LockU.class::cast)
                .map(LockResult.LockU::lock)
                .findFirst();
    }

    /** Returns the flags of SEQUENCE (RFC 8881, Section 18.46.3). */
    int flags() {
        return answer.results().getFirst() instanceof SessionResult.Sequence sequence
                ? sequence.statusFlags()
                : 0;
    }

    /**
     * Returns the stateid of a LOCK that follows PUTFH; empty if another owner has the lock.
     *
     * @throws NfsException if LOCK failed for another reason
     */
    Optional<StateId> lock() throws IOException {
        boolean isDenied = answer.results().getLast() instanceof LockResult.Denied;
        return isDenied
                ? Optional.empty()
                : Optional.of(done(1).next(LockResult.Lock.class).lock());
    }

    private Result next() throws IOException {
        if (next == answer.results().size()) {
            if (answer.malformed().isPresent()) {
                throw new RpcException.BadReply(
                        what + ": the server's answer is malformed: " + answer.malformed().get());
            }
            throw new RpcException.BadReply(what + ": the server has left out a result");
        }
        var result = answer.results().get(next++);
        if (result.status() != Nfs4Status.OK) {
            throw new NfsException(what, Nfs4Values.status(result.status()));
        }
        return result;
    }
}
