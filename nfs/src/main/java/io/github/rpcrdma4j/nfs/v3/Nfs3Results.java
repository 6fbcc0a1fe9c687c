package io.github.rpcrdma4j.nfs.v3;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.Codec;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * The values of successful replies (RFC 1813, Section 3).
 *
 * <p>Tests: {@code GoldenMessagesTest}, {@code Nfs3CodecTest}.
 */
public final class Nfs3Results {
    private Nfs3Results() {}

    /**
     * The value of LOOKUP.
     *
     * <pre>handle | post_op_attr</pre>
     */
    public record Found(FileHandle handle, Optional<FileAttributes> attributes) {
        static final Codec<Found> CODEC =
                codec(
                        (out, found) -> {
                            found.handle.encode(out);
                            FileAttributes.encodeOptional(out, found.attributes);
                        },
                        in -> new Found(FileHandle.decode(in), FileAttributes.decodeOptional(in)));
    }

    /**
     * The value of READLINK: the text of the link, a bulk item.
     *
     * @param text in memory that does not change until {@code release} runs
     */
    public record LinkText(MemorySegment text, Runnable release) {
        static final Codec<LinkText> CODEC =
                codec(
                        (out, link) -> out.bulk(link.text, link.release),
                        in -> new LinkText(in.bulk(Nfs3.PATH_MAX), () -> {}));

        /** Returns a copy of the text. */
        public PathName path() {
            return new PathName(text);
        }
    }

    /**
     * The value of READ.
     *
     * <pre>count | eof | data, a bulk item</pre>
     *
     * @param data in memory that does not change until {@code release} runs; when decoded, a view
     *     of received memory
     * @param endOfFile whether the data reaches the end of the file
     */
    public record ReadData(MemorySegment data, boolean endOfFile, Runnable release) {
        static final Codec<ReadData> CODEC =
                codec(
                        (out, read) ->
                                out.uint32((int) read.data.byteSize())
                                        .bool(read.endOfFile)
                                        .bulk(read.data, read.release),
                        in -> {
                            int count = in.uint32();
                            boolean endOfFile = in.bool();
                            var data = in.bulk(Nfs3.TRANSFER_MAX);
                            if (data.byteSize() != count) {
                                throw new XdrException(
                                        "the count of READ differs from the length of its data");
                            }
                            return new ReadData(data, endOfFile, () -> {});
                        });
    }

    /**
     * The value of WRITE.
     *
     * <pre>count | committed | verifier(64)</pre>
     */
    public record Written(int count, Stability committed, long verifier) {
        static final Codec<Written> CODEC =
                codec(
                        (out, written) ->
                                out.uint32(written.count)
                                        .uint32(written.committed.ordinal())
                                        .uint64(written.verifier),
                        in -> new Written(in.uint32(), Stability.decode(in), in.uint64()));
    }

    /**
     * The value of CREATE, MKDIR, SYMLINK and MKNOD.
     *
     * <pre>post_op_fh3 | post_op_attr</pre>
     */
    public record Created(Optional<FileHandle> handle, Optional<FileAttributes> attributes) {
        static final Codec<Created> CODEC =
                codec(
                        (out, created) -> {
                            encodeOptional(out, created.handle);
                            FileAttributes.encodeOptional(out, created.attributes);
                        },
                        in -> new Created(decodeOptional(in), FileAttributes.decodeOptional(in)));
    }

    static void encodeOptional(XdrWriter out, Optional<FileHandle> handle) {
        out.bool(handle.isPresent());
        if (handle.isPresent()) {
            handle.get().encode(out);
        }
    }

    static Optional<FileHandle> decodeOptional(XdrReader in) throws XdrException {
        return in.bool() ? Optional.of(FileHandle.decode(in)) : Optional.empty();
    }

    /**
     * The value of FSSTAT, in bytes and in numbers of files.
     *
     * <pre>tbytes fbytes abytes tfiles ffiles afiles(64 each) | invarsec(32)</pre>
     */
    public record Space(
            long totalBytes,
            long freeBytes,
            long availableBytes,
            long totalFiles,
            long freeFiles,
            long availableFiles,
            int unchangedSeconds) {
        static final Codec<Space> CODEC =
                codec(
                        (out, space) ->
                                out.uint64(space.totalBytes)
                                        .uint64(space.freeBytes)
                                        .uint64(space.availableBytes)
                                        .uint64(space.totalFiles)
                                        .uint64(space.freeFiles)
                                        .uint64(space.availableFiles)
                                        .uint32(space.unchangedSeconds),
                        in ->
                                new Space(
                                        in.uint64(),
                                        in.uint64(),
                                        in.uint64(),
                                        in.uint64(),
                                        in.uint64(),
                                        in.uint64(),
                                        in.uint32()));
    }

    /**
     * The value of FSINFO; sizes are in bytes.
     *
     * <pre>
     *   rtmax rtpref rtmult wtmax wtpref wtmult dtpref(32 each) | maxfilesize(64) | time_delta(64)
     *   | properties(32)
     * </pre>
     */
    public record FileSystemInfo(
            int readMax,
            int readPreferred,
            int readMultiple,
            int writeMax,
            int writePreferred,
            int writeMultiple,
            int listPreferred,
            long fileSizeMax,
            Timestamp timeStep,
            int properties) {
        /** Properties (RFC 1813, Section 3.3.19). */
        public static final int HARD_LINKS = 0x01;

        public static final int SYMBOLIC_LINKS = 0x02;
        public static final int HOMOGENEOUS = 0x08;
        public static final int CAN_SET_TIME = 0x10;

        /** The longest transfers of NFS version 2, which any server takes. */
        private static final int LEAST = 8192;

        /** What a client assumes of a server that does not tell. */
        public static final FileSystemInfo UNKNOWN =
                new FileSystemInfo(
                        LEAST,
                        LEAST,
                        1,
                        LEAST,
                        LEAST,
                        1,
                        LEAST,
                        Long.MAX_VALUE,
                        new Timestamp(0, 1),
                        HARD_LINKS | SYMBOLIC_LINKS | CAN_SET_TIME);

        static final Codec<FileSystemInfo> CODEC =
                codec(
                        (out, info) -> {
                            out.uint32(info.readMax).uint32(info.readPreferred);
                            out.uint32(info.readMultiple);
                            out.uint32(info.writeMax).uint32(info.writePreferred);
                            out.uint32(info.writeMultiple);
                            out.uint32(info.listPreferred).uint64(info.fileSizeMax);
                            info.timeStep.encode(out);
                            out.uint32(info.properties);
                        },
                        in ->
                                new FileSystemInfo(
                                        in.uint32(),
                                        in.uint32(),
                                        in.uint32(),
                                        in.uint32(),
                                        in.uint32(),
                                        in.uint32(),
                                        in.uint32(),
                                        in.uint64(),
                                        Timestamp.decode(in),
                                        in.uint32()));
    }

    /**
     * The value of PATHCONF.
     *
     * <pre>linkmax name_max(32 each) | no_trunc chown_restricted case_insensitive case_preserving
     * </pre>
     */
    public record PathConfiguration(
            int linksMax,
            int nameMax,
            boolean refusesLongNames,
            boolean chownRestricted,
            boolean caseInsensitive,
            boolean casePreserving) {
        static final Codec<PathConfiguration> CODEC =
                codec(
                        (out, path) ->
                                out.uint32(path.linksMax)
                                        .uint32(path.nameMax)
                                        .bool(path.refusesLongNames)
                                        .bool(path.chownRestricted)
                                        .bool(path.caseInsensitive)
                                        .bool(path.casePreserving),
                        in ->
                                new PathConfiguration(
                                        in.uint32(),
                                        in.uint32(),
                                        in.bool(),
                                        in.bool(),
                                        in.bool(),
                                        in.bool()));
    }

    interface Encoding<T> {
        void encode(XdrWriter out, T value);
    }

    interface Decoding<T> {
        T decode(XdrReader in) throws XdrException;
    }

    static <T> Codec<T> codec(Encoding<T> encoding, Decoding<T> decoding) {
        return new Codec<>() {
            @Override
            public void encode(XdrWriter out, T value) {
                encoding.encode(out, value);
            }

            @Override
            public T decode(XdrReader in) throws XdrException {
                return decoding.decode(in);
            }
        };
    }
}
