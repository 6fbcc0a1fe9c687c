package io.github.rpcrdma4j.nfs.v4.operation;

import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.v4.type.Bitmap;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;

/**
 * The arguments of the operations on the content of files (RFC 8881, Section 18; RFC 7862, Section
 * 15).
 *
 * <p>Tests: {@code VectorOperationsTest}, {@code CompoundRecordsTest}.
 */
public sealed interface DataArguments extends Arguments {
    /**
     * READ (RFC 8881, Section 18.22).
     *
     * <pre>
     *   stateid | offset(64) | count(32)
     * </pre>
     *
     * @param offset bytes, unsigned
     * @param count bytes, unsigned
     */
    record Read(StateId stateId, long offset, int count) implements DataArguments {
        static Read decode(XdrReader in) throws XdrException {
            return new Read(StateId.decode(in), in.uint64(), in.uint32());
        }

        @Override
        public Opcode opcode() {
            return Opcode.READ;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            stateId.encode(out).uint64(offset).uint32(count);
        }
    }

    /**
     * WRITE (RFC 8881, Section 18.32).
     *
     * <pre>
     *   stateid | offset(64) | stable(32) | data, a bulk item
     * </pre>
     *
     * @param offset bytes, unsigned
     * @param data the caller's memory or, when decoded, a view of received memory
     */
    record Write(StateId stateId, long offset, Stability stability, MemorySegment data)
            implements DataArguments {
        static Write decode(XdrReader in) throws XdrException {
            return new Write(
                    StateId.decode(in),
                    in.uint64(),
                    Stability.decode(in),
                    in.bulk(FileNames.BYTES_MAX));
        }

        @Override
        public Opcode opcode() {
            return Opcode.WRITE;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            stateId.encode(out).uint64(offset).uint32(stability.ordinal()).bulk(data);
        }
    }

    /**
     * COMMIT (RFC 8881, Section 18.3).
     *
     * <pre>
     *   offset(64) | count(32)
     * </pre>
     *
     * @param offset bytes, unsigned
     * @param count bytes, unsigned; 0 for all from the offset on
     */
    record Commit(long offset, int count) implements DataArguments {
        static Commit decode(XdrReader in) throws XdrException {
            return new Commit(in.uint64(), in.uint32());
        }

        @Override
        public Opcode opcode() {
            return Opcode.COMMIT;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            out.uint64(offset).uint32(count);
        }
    }

    /**
     * READ_PLUS (RFC 7862, Section 15.10).
     *
     * <pre>
     *   stateid | offset(64) | count(32)
     * </pre>
     *
     * @param offset bytes, unsigned
     * @param count bytes, unsigned
     */
    record ReadPlus(StateId stateId, long offset, int count) implements DataArguments {
        static ReadPlus decode(XdrReader in) throws XdrException {
            return new ReadPlus(StateId.decode(in), in.uint64(), in.uint32());
        }

        @Override
        public Opcode opcode() {
            return Opcode.READ_PLUS;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            stateId.encode(out).uint64(offset).uint32(count);
        }
    }

    /**
     * SEEK (RFC 7862, Section 15.11).
     *
     * <pre>
     *   stateid | offset(64) | what(32)
     * </pre>
     *
     * @param offset bytes, unsigned
     * @param what {@link #DATA}, {@link #HOLE}, or what the server answers with UNION_NOTSUPP
     */
    record Seek(StateId stateId, long offset, int what) implements DataArguments {
        /** {@code data_content4}. */
        public static final int DATA = 0;

        public static final int HOLE = 1;

        static Seek decode(XdrReader in) throws XdrException {
            return new Seek(StateId.decode(in), in.uint64(), in.uint32());
        }

        @Override
        public Opcode opcode() {
            return Opcode.SEEK;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            stateId.encode(out).uint64(offset).uint32(what);
        }
    }

    /**
     * ALLOCATE (RFC 7862, Section 15.1).
     *
     * <pre>
     *   stateid | offset(64) | length(64)
     * </pre>
     *
     * @param offset bytes, unsigned
     * @param length bytes, unsigned
     */
    record Allocate(StateId stateId, long offset, long length) implements DataArguments {
        static Allocate decode(XdrReader in) throws XdrException {
            return new Allocate(StateId.decode(in), in.uint64(), in.uint64());
        }

        @Override
        public Opcode opcode() {
            return Opcode.ALLOCATE;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            stateId.encode(out).uint64(offset).uint64(length);
        }
    }

    /**
     * DEALLOCATE (RFC 7862, Section 15.4).
     *
     * <pre>
     *   stateid | offset(64) | length(64)
     * </pre>
     *
     * @param offset bytes, unsigned
     * @param length bytes, unsigned
     */
    record Deallocate(StateId stateId, long offset, long length) implements DataArguments {
        static Deallocate decode(XdrReader in) throws XdrException {
            return new Deallocate(StateId.decode(in), in.uint64(), in.uint64());
        }

        @Override
        public Opcode opcode() {
            return Opcode.DEALLOCATE;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            stateId.encode(out).uint64(offset).uint64(length);
        }
    }

    /**
     * IO_ADVISE (RFC 7862, Section 15.5).
     *
     * <pre>
     *   stateid | offset(64) | count(64) | bitmap
     * </pre>
     *
     * @param hints numbers of {@code IO_ADVISE_type4}, unknown ones included
     */
    record IoAdvise(StateId stateId, long offset, long length, Bitmap hints)
            implements DataArguments {
        static IoAdvise decode(XdrReader in) throws XdrException {
            return new IoAdvise(StateId.decode(in), in.uint64(), in.uint64(), Bitmap.decode(in));
        }

        @Override
        public Opcode opcode() {
            return Opcode.IO_ADVISE;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            hints.encode(stateId.encode(out).uint64(offset).uint64(length));
        }
    }
}
