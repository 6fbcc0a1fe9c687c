package io.github.rpcrdma4j.nfs.v4.operation;

import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.List;

/**
 * The arguments of the operations that copy within a server or between servers (RFC 7862, Section
 * 15).
 *
 * <p>Tests: {@code VectorOperationsTest}, {@code CompoundRecordsTest}.
 */
public sealed interface CopyArguments extends Arguments {
    /**
     * COPY (RFC 7862, Section 15.2), from the file of the saved filehandle to the current one.
     *
     * <pre>
     *   src_stateid | dst_stateid | src_offset(64) | dst_offset(64) | count(64)
     *   | consecutive | synchronous | source_server&lt;&gt;
     * </pre>
     *
     * @param count bytes, unsigned; 0 for all up to the end of the source
     * @param sourceServers empty if this server has the source
     */
    record Copy(
            StateId source,
            StateId target,
            long sourceOffset,
            long targetOffset,
            long count,
            boolean isConsecutive,
            boolean isSynchronous,
            List<NetworkLocation> sourceServers)
            implements CopyArguments {
        public Copy {
            sourceServers = List.copyOf(sourceServers);
        }

        static Copy decode(XdrReader in) throws XdrException {
            return new Copy(
                    StateId.decode(in),
                    StateId.decode(in),
                    in.uint64(),
                    in.uint64(),
                    in.uint64(),
                    in.bool(),
                    in.bool(),
                    XdrArrays.list(in, Integer.BYTES, NetworkLocation::decode));
        }

        @Override
        public Opcode opcode() {
            return Opcode.COPY;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            target.encode(source.encode(out))
                    .uint64(sourceOffset)
                    .uint64(targetOffset)
                    .uint64(count);
            out.bool(isConsecutive).bool(isSynchronous);
            XdrArrays.encode(out, sourceServers, NetworkLocation::encode);
        }
    }

    /**
     * CLONE (RFC 7862, Section 15.13), from the file of the saved filehandle to the current one.
     *
     * <pre>
     *   src_stateid | dst_stateid | src_offset(64) | dst_offset(64) | count(64)
     * </pre>
     *
     * @param count bytes, unsigned; 0 for all up to the end of the source
     */
    record Clone(StateId source, StateId target, long sourceOffset, long targetOffset, long count)
            implements CopyArguments {
        static Clone decode(XdrReader in) throws XdrException {
            return new Clone(
                    StateId.decode(in), StateId.decode(in), in.uint64(), in.uint64(), in.uint64());
        }

        @Override
        public Opcode opcode() {
            return Opcode.CLONE;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            target.encode(source.encode(out))
                    .uint64(sourceOffset)
                    .uint64(targetOffset)
                    .uint64(count);
        }
    }

    /**
     * COPY_NOTIFY (RFC 7862, Section 15.3).
     *
     * <pre>
     *   src_stateid | destination_server
     * </pre>
     */
    record CopyNotify(StateId source, NetworkLocation destination) implements CopyArguments {
        static CopyNotify decode(XdrReader in) throws XdrException {
            return new CopyNotify(StateId.decode(in), NetworkLocation.decode(in));
        }

        @Override
        public Opcode opcode() {
            return Opcode.COPY_NOTIFY;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            destination.encode(source.encode(out));
        }
    }

    /**
     * OFFLOAD_STATUS (RFC 7862, Section 15.9).
     *
     * <pre>
     *   stateid
     * </pre>
     *
     * @param copy the name of an asynchronous copy
     */
    record OffloadStatus(StateId copy) implements CopyArguments {
        static OffloadStatus decode(XdrReader in) throws XdrException {
            return new OffloadStatus(StateId.decode(in));
        }

        @Override
        public Opcode opcode() {
            return Opcode.OFFLOAD_STATUS;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            copy.encode(out);
        }
    }

    /**
     * OFFLOAD_CANCEL (RFC 7862, Section 15.8).
     *
     * <pre>
     *   stateid
     * </pre>
     *
     * @param copy the name of an asynchronous copy
     */
    record OffloadCancel(StateId copy) implements CopyArguments {
        static OffloadCancel decode(XdrReader in) throws XdrException {
            return new OffloadCancel(StateId.decode(in));
        }

        @Override
        public Opcode opcode() {
            return Opcode.OFFLOAD_CANCEL;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            copy.encode(out);
        }
    }
}
