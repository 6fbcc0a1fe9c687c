package io.github.rpcrdma4j.nfs.v2;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.v2.Nfs2Binding.Procedure;
import io.github.rpcrdma4j.nfs.v2.Nfs2Reply.Nothing;
import io.github.rpcrdma4j.nfs.v2.Nfs2Reply.ReplyFormat;
import io.github.rpcrdma4j.nfs.v2.Nfs2Results.DirectoryPage;
import io.github.rpcrdma4j.nfs.v2.Nfs2Results.Found;
import io.github.rpcrdma4j.nfs.v2.Nfs2Results.LinkText;
import io.github.rpcrdma4j.nfs.v2.Nfs2Results.ReadData;
import io.github.rpcrdma4j.nfs.v2.Nfs2Results.Space;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;

/**
 * The arguments of a procedure (RFC 1094, Section 2.2), in wire order. NULL, ROOT and WRITECACHE
 * have neither arguments nor results, so they have no type here.
 *
 * <pre>
 *   GETATTR READLINK STATFS   handle
 *   SETATTR                   handle | sattr
 *   LOOKUP REMOVE RMDIR       place, that is: handle of the directory | name
 *   READ                      handle | offset count totalcount(32 each)
 *   WRITE                     handle | beginoffset offset totalcount(32 each) | data, a bulk item
 *   CREATE MKDIR              place | sattr
 *   RENAME                    place | place
 *   LINK                      handle | place
 *   SYMLINK                   place | text, a bulk item | sattr
 *   READDIR                   handle | cookie count(32 each)
 * </pre>
 *
 * <p>Tests: {@code Nfs2CodecTest}.
 *
 * @param <T> the value that a reply carries on success
 */
public sealed interface Nfs2Call<T> {
    /** Returns the wire format of the reply. */
    ReplyFormat<T> replyFormat();

    default Procedure procedure() {
        return replyFormat().procedure();
    }

    /** Writes the arguments. */
    default void encode(XdrWriter out) {
        switch (this) {
            case GetAttributes(var file) -> file.encode(out);
            case ChangeAttributes(var file, var changes) -> changes.encode(file.encode(out));
            case Lookup(var place) -> place.encode(out);
            case ReadLink(var link) -> link.encode(out);
            case Read(var file, var offset, var count) ->
                    file.encode(out).uint32(offset).uint32(count).uint32(0);
            case Write(var file, var offset, var data) ->
                    file.encode(out).uint32(0).uint32(offset).uint32(0).bulk(data);
            case Create(var place, var attributes) -> attributes.encode(place.encode(out));
            case Remove(var place) -> place.encode(out);
            case Rename(var from, var to) -> to.encode(from.encode(out));
            case Link(var file, var place) -> place.encode(file.encode(out));
            case MakeSymbolicLink(var place, var text, var attributes) ->
                    attributes.encode(place.encode(out).bulk(text.segment()));
            case MakeDirectory(var place, var attributes) -> attributes.encode(place.encode(out));
            case RemoveDirectory(var place) -> place.encode(out);
            case ReadDirectory(var directory, var cookie, var count) ->
                    directory.encode(out).uint32(cookie).uint32(count);
            case FileSystem(var file) -> file.encode(out);
        }
    }

    /**
     * Reads all arguments of a procedure.
     *
     * @param procedure any but NULL, ROOT and WRITECACHE
     * @throws XdrException if they are malformed, or if bytes remain after them
     */
    static Nfs2Call<?> decode(Procedure procedure, XdrReader in) throws XdrException {
        Nfs2Call<?> call =
                switch (procedure) {
                    case NULL, ROOT, WRITECACHE ->
                            throw new IllegalArgumentException(procedure + " has no arguments");
                    case GETATTR -> new GetAttributes(FileHandle.decode(in));
                    case SETATTR ->
                            new ChangeAttributes(FileHandle.decode(in), SetAttributes.decode(in));
                    case LOOKUP -> new Lookup(Place.decode(in));
                    case READLINK -> new ReadLink(FileHandle.decode(in));
                    case READ -> read(in);
                    case WRITE -> write(in);
                    case CREATE -> new Create(Place.decode(in), SetAttributes.decode(in));
                    case REMOVE -> new Remove(Place.decode(in));
                    case RENAME -> new Rename(Place.decode(in), Place.decode(in));
                    case LINK -> new Link(FileHandle.decode(in), Place.decode(in));
                    case SYMLINK ->
                            new MakeSymbolicLink(
                                    Place.decode(in),
                                    new PathName(in.bulk(Nfs2.PATH_MAX)),
                                    SetAttributes.decode(in));
                    case MKDIR -> new MakeDirectory(Place.decode(in), SetAttributes.decode(in));
                    case RMDIR -> new RemoveDirectory(Place.decode(in));
                    case READDIR ->
                            new ReadDirectory(FileHandle.decode(in), in.uint32(), in.uint32());
                    case STATFS -> new FileSystem(FileHandle.decode(in));
                };
        in.finish();
        return call;
    }

    private static Read read(XdrReader in) throws XdrException {
        var call = new Read(FileHandle.decode(in), in.uint32(), in.uint32());
        // The total count is unused (RFC 1094, Section 2.2.7).
        in.uint32();
        return call;
    }

    private static Write write(XdrReader in) throws XdrException {
        var file = FileHandle.decode(in);
        // The first offset and the total count are unused (RFC 1094, Section 2.2.9).
        in.uint32();
        int offset = in.uint32();
        in.uint32();
        return new Write(file, offset, in.bulk(Nfs2.DATA_MAX));
    }

    /** A name in a directory: {@code diropargs} (RFC 1094, Section 2.3.10). */
    record Place(FileHandle directory, FileName name) {
        static Place decode(XdrReader in) throws XdrException {
            return new Place(FileHandle.decode(in), FileName.decode(in, Nfs2.PATH_MAX));
        }

        XdrWriter encode(XdrWriter out) {
            return name.encode(directory.encode(out));
        }
    }

    /** The calls that operate on a name in a directory. */
    sealed interface OnDirectoryEntry<T> extends Nfs2Call<T> {}

    /** GETATTR: the attributes of a file. */
    record GetAttributes(FileHandle file) implements Nfs2Call<FileAttributes> {
        @Override
        public ReplyFormat<FileAttributes> replyFormat() {
            return Formats.GETATTR;
        }
    }

    /** SETATTR: changes attributes of a file, its size among them. */
    record ChangeAttributes(FileHandle file, SetAttributes changes)
            implements Nfs2Call<FileAttributes> {
        @Override
        public ReplyFormat<FileAttributes> replyFormat() {
            return Formats.SETATTR;
        }
    }

    /** LOOKUP: the file of a name. */
    record Lookup(Place place) implements OnDirectoryEntry<Found> {
        @Override
        public ReplyFormat<Found> replyFormat() {
            return Formats.LOOKUP;
        }
    }

    /** READLINK: the text of a symbolic link. */
    record ReadLink(FileHandle link) implements Nfs2Call<LinkText> {
        @Override
        public ReplyFormat<LinkText> replyFormat() {
            return Formats.READLINK;
        }
    }

    /**
     * READ: bytes of a file.
     *
     * @param offset bytes, unsigned
     * @param count bytes, unsigned
     */
    record Read(FileHandle file, int offset, int count) implements Nfs2Call<ReadData> {
        @Override
        public ReplyFormat<ReadData> replyFormat() {
            return Formats.READ;
        }
    }

    /**
     * WRITE: replaces bytes of a file, or adds some.
     *
     * @param offset bytes, unsigned
     * @param data a bulk item: the caller's memory or, when decoded, a view of received memory
     */
    record Write(FileHandle file, int offset, MemorySegment data)
            implements Nfs2Call<FileAttributes> {
        @Override
        public ReplyFormat<FileAttributes> replyFormat() {
            return Formats.WRITE;
        }
    }

    /** CREATE: makes a regular file. */
    record Create(Place place, SetAttributes attributes) implements OnDirectoryEntry<Found> {
        @Override
        public ReplyFormat<Found> replyFormat() {
            return Formats.CREATE;
        }
    }

    /** REMOVE: removes a name of a file that is no directory. */
    record Remove(Place place) implements OnDirectoryEntry<Nothing> {
        @Override
        public ReplyFormat<Nothing> replyFormat() {
            return Formats.REMOVE;
        }
    }

    /** RENAME: moves a file to another name, in place of a file that has it. */
    record Rename(Place from, Place to) implements OnDirectoryEntry<Nothing> {
        @Override
        public ReplyFormat<Nothing> replyFormat() {
            return Formats.RENAME;
        }
    }

    /** LINK: gives a file one more name. */
    record Link(FileHandle file, Place place) implements OnDirectoryEntry<Nothing> {
        @Override
        public ReplyFormat<Nothing> replyFormat() {
            return Formats.LINK;
        }
    }

    /**
     * SYMLINK: makes a symbolic link.
     *
     * @param text the text of the link, a bulk item
     */
    record MakeSymbolicLink(Place place, PathName text, SetAttributes attributes)
            implements OnDirectoryEntry<Nothing> {
        @Override
        public ReplyFormat<Nothing> replyFormat() {
            return Formats.SYMLINK;
        }
    }

    /** MKDIR: makes a directory. */
    record MakeDirectory(Place place, SetAttributes attributes) implements OnDirectoryEntry<Found> {
        @Override
        public ReplyFormat<Found> replyFormat() {
            return Formats.MKDIR;
        }
    }

    /** RMDIR: removes an empty directory. */
    record RemoveDirectory(Place place) implements OnDirectoryEntry<Nothing> {
        @Override
        public ReplyFormat<Nothing> replyFormat() {
            return Formats.RMDIR;
        }
    }

    /**
     * READDIR: names in a directory.
     *
     * @param cookie where to continue; 0 to start
     * @param count the longest result, in bytes, unsigned
     */
    record ReadDirectory(FileHandle directory, int cookie, int count)
            implements Nfs2Call<DirectoryPage> {
        @Override
        public ReplyFormat<DirectoryPage> replyFormat() {
            return Formats.READDIR;
        }
    }

    /** STATFS. */
    record FileSystem(FileHandle file) implements Nfs2Call<Space> {
        @Override
        public ReplyFormat<Space> replyFormat() {
            return Formats.STATFS;
        }
    }
}
