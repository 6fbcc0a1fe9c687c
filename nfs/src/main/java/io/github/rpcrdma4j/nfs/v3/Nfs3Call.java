package io.github.rpcrdma4j.nfs.v3;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.FileAndWcc;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.Nothing;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.ReplyFormat;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.TwoWcc;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * The arguments of a procedure (RFC 1813, Section 3.3), in wire order. NULL has no arguments, so it
 * has no type here.
 *
 * <p>Tests: {@code Nfs3CodecTest}, {@code GoldenMessagesTest}.
 *
 * @param <A> the attributes that a reply carries on success and on failure
 * @param <T> the value that a reply carries on success
 */
public sealed interface Nfs3Call<A, T> {
    /** Returns the wire format of the reply. */
    ReplyFormat<A, T> replyFormat();

    default Procedure procedure() {
        return replyFormat().procedure();
    }

    /** Writes the arguments; {@link Nfs3CallDecoder} reads them. */
    default void encode(XdrWriter out) {
        switch (this) {
            case GetAttributes(var file) -> file.encode(out);
            case ChangeAttributes(var file, var changes, var guard) -> {
                file.encode(out);
                changes.encode(out);
                out.bool(guard.isPresent());
                guard.ifPresent(time -> time.encode(out));
            }
            case Lookup(var what) -> what.encode(out);
            case Access(var file, var wanted) -> file.encode(out).uint32(wanted);
            case ReadLink(var link) -> link.encode(out);
            case Read(var file, var offset, var count) ->
                    file.encode(out).uint64(offset).uint32(count);
            case Write(var file, var offset, var stability, var data) ->
                    file.encode(out)
                            .uint64(offset)
                            .uint32((int) data.byteSize())
                            .uint32(stability.ordinal())
                            .bulk(data);
            case Create(var where, var mode) -> {
                where.encode(out);
                switch (mode) {
                    case CreateMode.Unchecked(var attributes) -> attributes.encode(out.uint32(0));
                    case CreateMode.Guarded(var attributes) -> attributes.encode(out.uint32(1));
                    case CreateMode.Exclusive(var verifier) -> out.uint32(2).uint64(verifier);
                }
            }
            case MakeDirectory(var where, var attributes) -> attributes.encode(where.encode(out));
            case MakeSymbolicLink(var where, var attributes, var text) ->
                    attributes.encode(where.encode(out)).bulk(text.segment());
            case MakeNode(var where, var type, var attributes, var device) -> {
                where.encode(out).uint32(type.number());
                switch (type) {
                    case BLOCK_DEVICE, CHARACTER_DEVICE -> attributes.encode(out).uint64(device);
                    case SOCKET, FIFO -> attributes.encode(out);
                    case REGULAR, DIRECTORY, SYMBOLIC_LINK -> {}
                }
            }
            case Remove(var object) -> object.encode(out);
            case RemoveDirectory(var object) -> object.encode(out);
            case Rename(var from, var to) -> to.encode(from.encode(out));
            case Link(var file, var link) -> link.encode(file.encode(out));
            case ReadDirectory(var directory, var cookie, var verifier, var count) ->
                    directory.encode(out).uint64(cookie).uint64(verifier).uint32(count);
            case ReadDirectoryPlus(var directory, var cookie, var verifier, var plain, var full) ->
                    directory
                            .encode(out)
                            .uint64(cookie)
                            .uint64(verifier)
                            .uint32(plain)
                            .uint32(full);
            case FsStat(var root) -> root.encode(out);
            case FsInfo(var root) -> root.encode(out);
            case PathConf(var file) -> file.encode(out);
            case Commit(var file, var offset, var count) ->
                    file.encode(out).uint64(offset).uint32(count);
        }
    }

    /** The calls that operate on a name in a directory. */
    sealed interface OnDirectoryEntry<A, T> extends Nfs3Call<A, T> {}

    /** A name in a directory: {@code diropargs3} (RFC 1813, Section 2.6). */
    record DirOpArgs(FileHandle directory, FileName name) {
        /**
         * Encodes the name in UTF-8.
         *
         * @throws IllegalArgumentException if UTF-8 cannot encode the name
         */
        public DirOpArgs(FileHandle directory, String name) {
            this(directory, FileName.of(name));
        }

        static DirOpArgs decode(XdrReader in) throws XdrException {
            return new DirOpArgs(FileHandle.decode(in), FileName.decode(in, Nfs3.PATH_MAX));
        }

        XdrWriter encode(XdrWriter out) {
            directory.encode(out);
            return name.encode(out);
        }
    }

    /** GETATTR: the attributes of a file. */
    record GetAttributes(FileHandle file) implements Nfs3Call<Nothing, FileAttributes> {
        @Override
        public ReplyFormat<Nothing, FileAttributes> replyFormat() {
            return ReplyFormats.GETATTR;
        }
    }

    /**
     * SETATTR: changes attributes of a file, its size among them.
     *
     * @param guard if present, the change time that the file must have for the call to succeed
     */
    record ChangeAttributes(FileHandle file, SetAttributes changes, Optional<Timestamp> guard)
            implements Nfs3Call<WccData, Nothing> {
        @Override
        public ReplyFormat<WccData, Nothing> replyFormat() {
            return ReplyFormats.SETATTR;
        }
    }

    /** LOOKUP: the file of a name. */
    record Lookup(DirOpArgs what)
            implements OnDirectoryEntry<Optional<FileAttributes>, Nfs3Results.Found> {
        @Override
        public ReplyFormat<Optional<FileAttributes>, Nfs3Results.Found> replyFormat() {
            return ReplyFormats.LOOKUP;
        }
    }

    /**
     * ACCESS: which of some rights the caller has.
     *
     * @param wanted the ACCESS bits to check
     */
    record Access(FileHandle file, int wanted)
            implements Nfs3Call<Optional<FileAttributes>, Integer> {
        @Override
        public ReplyFormat<Optional<FileAttributes>, Integer> replyFormat() {
            return ReplyFormats.ACCESS;
        }
    }

    /** READLINK: the text of a symbolic link. */
    record ReadLink(FileHandle link)
            implements Nfs3Call<Optional<FileAttributes>, Nfs3Results.LinkText> {
        @Override
        public ReplyFormat<Optional<FileAttributes>, Nfs3Results.LinkText> replyFormat() {
            return ReplyFormats.READLINK;
        }
    }

    /**
     * READ: bytes of a file.
     *
     * @param offset bytes, unsigned
     * @param count bytes, unsigned
     */
    record Read(FileHandle file, long offset, int count)
            implements Nfs3Call<Optional<FileAttributes>, Nfs3Results.ReadData> {
        @Override
        public ReplyFormat<Optional<FileAttributes>, Nfs3Results.ReadData> replyFormat() {
            return ReplyFormats.READ;
        }
    }

    /**
     * WRITE: replaces bytes of a file, or adds some.
     *
     * @param offset bytes, unsigned
     * @param data a bulk item: the caller's memory or, when decoded, a view of received memory
     */
    record Write(FileHandle file, long offset, Stability stability, MemorySegment data)
            implements Nfs3Call<WccData, Nfs3Results.Written> {
        @Override
        public ReplyFormat<WccData, Nfs3Results.Written> replyFormat() {
            return ReplyFormats.WRITE;
        }
    }

    /** The condition under which CREATE makes a file. */
    sealed interface CreateMode {
        /** The file may exist already. */
        record Unchecked(SetAttributes attributes) implements CreateMode {}

        /** The file must not exist. */
        record Guarded(SetAttributes attributes) implements CreateMode {}

        /** The file must not exist, unless an earlier transmission of this call created it. */
        record Exclusive(long verifier) implements CreateMode {}
    }

    /** CREATE: makes a regular file. */
    record Create(DirOpArgs where, CreateMode mode)
            implements OnDirectoryEntry<WccData, Nfs3Results.Created> {
        @Override
        public ReplyFormat<WccData, Nfs3Results.Created> replyFormat() {
            return ReplyFormats.CREATE;
        }
    }

    /** MKDIR: makes a directory. */
    record MakeDirectory(DirOpArgs where, SetAttributes attributes)
            implements OnDirectoryEntry<WccData, Nfs3Results.Created> {
        @Override
        public ReplyFormat<WccData, Nfs3Results.Created> replyFormat() {
            return ReplyFormats.MKDIR;
        }
    }

    /**
     * SYMLINK: makes a symbolic link.
     *
     * @param text the text of the link, a bulk item
     */
    record MakeSymbolicLink(DirOpArgs where, SetAttributes attributes, PathName text)
            implements OnDirectoryEntry<WccData, Nfs3Results.Created> {
        @Override
        public ReplyFormat<WccData, Nfs3Results.Created> replyFormat() {
            return ReplyFormats.SYMLINK;
        }
    }

    /**
     * MKNOD: makes a device, a socket or a FIFO.
     *
     * @param device for devices, the major number in the upper and the minor number in the lower 32
     *     bits
     */
    record MakeNode(DirOpArgs where, FileType type, SetAttributes attributes, long device)
            implements OnDirectoryEntry<WccData, Nfs3Results.Created> {
        @Override
        public ReplyFormat<WccData, Nfs3Results.Created> replyFormat() {
            return ReplyFormats.MKNOD;
        }
    }

    /** REMOVE: removes a name of a file that is no directory. */
    record Remove(DirOpArgs object) implements OnDirectoryEntry<WccData, Nothing> {
        @Override
        public ReplyFormat<WccData, Nothing> replyFormat() {
            return ReplyFormats.REMOVE;
        }
    }

    /** RMDIR: removes an empty directory. */
    record RemoveDirectory(DirOpArgs object) implements OnDirectoryEntry<WccData, Nothing> {
        @Override
        public ReplyFormat<WccData, Nothing> replyFormat() {
            return ReplyFormats.RMDIR;
        }
    }

    /** RENAME: moves a file to another name, in place of a file that has it. */
    record Rename(DirOpArgs from, DirOpArgs to) implements OnDirectoryEntry<TwoWcc, Nothing> {
        @Override
        public ReplyFormat<TwoWcc, Nothing> replyFormat() {
            return ReplyFormats.RENAME;
        }
    }

    /** LINK: gives a file one more name. */
    record Link(FileHandle file, DirOpArgs link) implements OnDirectoryEntry<FileAndWcc, Nothing> {
        @Override
        public ReplyFormat<FileAndWcc, Nothing> replyFormat() {
            return ReplyFormats.LINK;
        }
    }

    /**
     * READDIR: names in a directory.
     *
     * @param cookie where to continue; 0 to start
     * @param verifier the verifier that came with the cookie; 0 to start
     * @param count the longest result, in bytes
     */
    record ReadDirectory(FileHandle directory, long cookie, long verifier, int count)
            implements Nfs3Call<Optional<FileAttributes>, DirectoryPage> {
        @Override
        public ReplyFormat<Optional<FileAttributes>, DirectoryPage> replyFormat() {
            return ReplyFormats.READDIR;
        }
    }

    /**
     * READDIRPLUS: names in a directory, with attributes and handles.
     *
     * @param plainCount the most bytes of names, file ids and cookies
     * @param fullCount the longest result, in bytes
     */
    record ReadDirectoryPlus(
            FileHandle directory, long cookie, long verifier, int plainCount, int fullCount)
            implements Nfs3Call<Optional<FileAttributes>, DirectoryPage> {
        @Override
        public ReplyFormat<Optional<FileAttributes>, DirectoryPage> replyFormat() {
            return ReplyFormats.READDIRPLUS;
        }
    }

    /** FSSTAT: the space of a file system. */
    record FsStat(FileHandle root)
            implements Nfs3Call<Optional<FileAttributes>, Nfs3Results.Space> {
        @Override
        public ReplyFormat<Optional<FileAttributes>, Nfs3Results.Space> replyFormat() {
            return ReplyFormats.FSSTAT;
        }
    }

    /** FSINFO: the limits of a file system and its server. */
    record FsInfo(FileHandle root)
            implements Nfs3Call<Optional<FileAttributes>, Nfs3Results.FileSystemInfo> {
        @Override
        public ReplyFormat<Optional<FileAttributes>, Nfs3Results.FileSystemInfo> replyFormat() {
            return ReplyFormats.FSINFO;
        }
    }

    /** PATHCONF: the limits of names and links. */
    record PathConf(FileHandle file)
            implements Nfs3Call<Optional<FileAttributes>, Nfs3Results.PathConfiguration> {
        @Override
        public ReplyFormat<Optional<FileAttributes>, Nfs3Results.PathConfiguration> replyFormat() {
            return ReplyFormats.PATHCONF;
        }
    }

    /**
     * COMMIT: puts written bytes of a file on stable storage.
     *
     * @param offset in bytes
     * @param count in bytes; 0 means up to the end of the file
     */
    record Commit(FileHandle file, long offset, int count) implements Nfs3Call<WccData, Long> {
        @Override
        public ReplyFormat<WccData, Long> replyFormat() {
            return ReplyFormats.COMMIT;
        }
    }
}
