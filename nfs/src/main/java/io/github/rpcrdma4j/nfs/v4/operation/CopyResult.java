package io.github.rpcrdma4j.nfs.v4.operation;

import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.nfs.v4.type.Timestamp;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.List;
import java.util.Optional;

/** The values of operations that copy within a server or between servers (RFC 7862, Section 15). */
public sealed interface CopyResult extends Result {
    /**
     * COPY (RFC 7862, Section 15.2).
     *
     * <pre>
     *   stateid&lt;1&gt; | count(64) | committed(32) | verifier(64) | consecutive | synchronous
     * </pre>
     *
     * @param callbackId the name of the copy if it goes on after the reply
     * @param count the copied bytes, unsigned
     */
    record Copy(
            Optional<StateId> callbackId,
            long count,
            Stability committed,
            long verifier,
            boolean isConsecutive,
            boolean isSynchronous)
            implements CopyResult {
        static Copy decode(XdrReader in) throws XdrException {
            return new Copy(
                    XdrArrays.optional(in, StateId::decode),
                    in.uint64(),
                    Stability.decode(in),
                    in.uint64(),
                    in.bool(),
                    in.bool());
        }

        @Override
        public Opcode opcode() {
            return Opcode.COPY;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            XdrArrays.encode(out, callbackId, StateId::encode);
            out.uint64(count).uint32(committed.ordinal()).uint64(verifier);
            out.bool(isConsecutive).bool(isSynchronous);
        }
    }

    /**
     * COPY failed with OFFLOAD_NO_REQS: the server cannot copy in the way that was asked for (RFC
     * 7862, Section 15.2).
     *
     * <pre>
     *   consecutive | synchronous
     * </pre>
     */
    record Requirements(boolean isConsecutive, boolean isSynchronous) implements CopyResult {
        static Requirements decode(XdrReader in) throws XdrException {
            return new Requirements(in.bool(), in.bool());
        }

        @Override
        public Opcode opcode() {
            return Opcode.COPY;
        }

        @Override
        public Nfs4Status status() {
            return Nfs4Status.OFFLOAD_NO_REQS;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            out.bool(isConsecutive).bool(isSynchronous);
        }
    }

    /**
     * COPY_NOTIFY (RFC 7862, Section 15.3).
     *
     * <pre>
     *   lease_time | stateid | source_server&lt;&gt;
     * </pre>
     *
     * @param lease how long the copy may wait
     */
    record CopyNotify(Timestamp lease, StateId source, List<NetworkLocation> sourceServers)
            implements CopyResult {
        public CopyNotify {
            sourceServers = List.copyOf(sourceServers);
        }

        static CopyNotify decode(XdrReader in) throws XdrException {
            return new CopyNotify(
                    Timestamp.decode(in),
                    StateId.decode(in),
                    XdrArrays.list(in, Integer.BYTES, NetworkLocation::decode));
        }

        @Override
        public Opcode opcode() {
            return Opcode.COPY_NOTIFY;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            source.encode(lease.encode(out));
            XdrArrays.encode(out, sourceServers, NetworkLocation::encode);
        }
    }

    /**
     * OFFLOAD_STATUS (RFC 7862, Section 15.9).
     *
     * <pre>
     *   count(64) | complete&lt;1&gt;
     * </pre>
     *
     * @param count the bytes copied so far, unsigned
     * @param outcome of the copy, if it has ended
     */
    record OffloadStatus(long count, Optional<Nfs4Status> outcome) implements CopyResult {
        static OffloadStatus decode(XdrReader in) throws XdrException {
            return new OffloadStatus(in.uint64(), XdrArrays.optional(in, Result::decodeStatus));
        }

        @Override
        public Opcode opcode() {
            return Opcode.OFFLOAD_STATUS;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            XdrArrays.encode(out.uint64(count), outcome, (each, to) -> to.uint32(each.number()));
        }
    }
}
