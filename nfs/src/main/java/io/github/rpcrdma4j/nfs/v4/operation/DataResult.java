package io.github.rpcrdma4j.nfs.v4.operation;

import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.v4.type.Bitmap;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * The values of successful operations on the content of files (RFC 8881, Section 18; RFC 7862,
 * Section 15).
 *
 * <p>Tests: {@code VectorOperationsTest}, {@code CompoundRecordsTest}.
 */
public sealed interface DataResult extends Result {
    /**
     * READ (RFC 8881, Section 18.22).
     *
     * <pre>
     *   eof | data, a bulk item
     * </pre>
     *
     * @param isEndOfFile whether the data reaches the end of the file
     * @param data in memory that does not change until {@code release} runs; when decoded, a view
     *     of received memory
     */
    record Read(boolean isEndOfFile, MemorySegment data, Runnable release) implements DataResult {
        static Read decode(XdrReader in) throws XdrException {
            return new Read(in.bool(), in.bulk(FileNames.BYTES_MAX), () -> {});
        }

        @Override
        public Opcode opcode() {
            return Opcode.READ;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            out.bool(isEndOfFile).bulk(data, release);
        }
    }

    /**
     * WRITE (RFC 8881, Section 18.32).
     *
     * <pre>
     *   count(32) | committed(32) | verifier(64)
     * </pre>
     *
     * @param count bytes, unsigned
     */
    record Write(int count, Stability committed, long verifier) implements DataResult {
        static Write decode(XdrReader in) throws XdrException {
            return new Write(in.uint32(), Stability.decode(in), in.uint64());
        }

        @Override
        public Opcode opcode() {
            return Opcode.WRITE;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            out.uint32(count).uint32(committed.ordinal()).uint64(verifier);
        }
    }

    /**
     * COMMIT (RFC 8881, Section 18.3).
     *
     * <pre>
     *   verifier(64)
     * </pre>
     */
    record Commit(long verifier) implements DataResult {
        static Commit decode(XdrReader in) throws XdrException {
            return new Commit(in.uint64());
        }

        @Override
        public Opcode opcode() {
            return Opcode.COMMIT;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            out.uint64(verifier);
        }
    }

    /**
     * READ_PLUS (RFC 7862, Section 15.10). None of its data is a bulk item (RFC 8267, Section 6.1).
     *
     * <pre>
     *   eof | { 0 offset(64) data&lt;&gt; or 1 offset(64) length(64) }&lt;&gt;
     * </pre>
     *
     * @param isEndOfFile whether the contents reach the end of the file
     */
    record ReadPlus(boolean isEndOfFile, List<Content> contents) implements DataResult {
        /** A part of a file. */
        public sealed interface Content {
            /**
             * Data.
             *
             * @param offset bytes, unsigned
             * @param data a view of received memory, or the server's, which is copied
             */
            record Data(long offset, MemorySegment data) implements Content {}

            /** A hole, of which only offset and length travel, in bytes, unsigned. */
            record Hole(long offset, long length) implements Content {}
        }

        public ReadPlus {
            contents = List.copyOf(contents);
        }

        static ReadPlus decode(XdrReader in) throws XdrException {
            return new ReadPlus(in.bool(), XdrArrays.list(in, Integer.BYTES, ReadPlus::content));
        }

        private static Content content(XdrReader in) throws XdrException {
            int what = in.uint32();
            return switch (what) {
                case DataArguments.Seek.DATA ->
                        new Content.Data(in.uint64(), in.opaque(FileNames.BYTES_MAX));
                case DataArguments.Seek.HOLE -> new Content.Hole(in.uint64(), in.uint64());
                default -> throw XdrArrays.unknown("data_content4", what);
            };
        }

        @Override
        public Opcode opcode() {
            return Opcode.READ_PLUS;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            XdrArrays.encode(out.bool(isEndOfFile), contents, ReadPlus::put);
        }

        private static void put(Content content, XdrWriter out) {
            switch (content) {
                case Content.Data(var offset, var data) ->
                        out.uint32(DataArguments.Seek.DATA).uint64(offset).opaque(data);
                case Content.Hole(var offset, var length) ->
                        out.uint32(DataArguments.Seek.HOLE).uint64(offset).uint64(length);
            }
        }
    }

    /**
     * SEEK (RFC 7862, Section 15.11).
     *
     * <pre>
     *   eof | offset(64)
     * </pre>
     *
     * @param isEndOfFile whether the search reached the end of the file
     * @param offset where the sought content starts, in bytes
     */
    record Seek(boolean isEndOfFile, long offset) implements DataResult {
        static Seek decode(XdrReader in) throws XdrException {
            return new Seek(in.bool(), in.uint64());
        }

        @Override
        public Opcode opcode() {
            return Opcode.SEEK;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            out.bool(isEndOfFile).uint64(offset);
        }
    }

    /**
     * IO_ADVISE (RFC 7862, Section 15.5).
     *
     * <pre>
     *   bitmap
     * </pre>
     *
     * @param hints the numbers that the server follows
     */
    record IoAdvise(Bitmap hints) implements DataResult {
        static IoAdvise decode(XdrReader in) throws XdrException {
            return new IoAdvise(Bitmap.decode(in));
        }

        @Override
        public Opcode opcode() {
            return Opcode.IO_ADVISE;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            hints.encode(out);
        }
    }
}
