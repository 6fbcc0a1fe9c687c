package io.github.rpcrdma4j.nfs.client.v3;

import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.v2.FileAttributes;
import io.github.rpcrdma4j.nfs.v2.Nfs2;
import io.github.rpcrdma4j.nfs.v2.Nfs2Results;
import io.github.rpcrdma4j.nfs.v3.DirectoryPage;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.FileAndWcc;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.Nothing;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.TwoWcc;
import io.github.rpcrdma4j.nfs.v3.Nfs3Results;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.nfs.v3.Timestamp;
import io.github.rpcrdma4j.nfs.v3.WccData;
import io.github.rpcrdma4j.xdr.XdrException;
import java.util.List;
import java.util.Optional;

/**
 * Replies of version 2 as those of version 3 that say the most that is known.
 *
 * <p>Tests: {@code Nfs2ClientTest}.
 */
final class Nfs2Replies {
    private static final int MODE_MASK = 07777;
    private static final int UNIT = 512;
    private static final int NANOS_OF_MICRO = 1000;
    private static final int LINKS_MAX = 255;

    private Nfs2Replies() {}

    /** Each arm of the switch returns the attribute type of its call. */
    @SuppressWarnings("unchecked")
    static <A, T> Nfs3Reply<A, T> failed(Nfs3Call<A, T> call, Status status) {
        return new Nfs3Reply.Failed<>(status, (A) attributes(call));
    }

    /** Returns the attributes of a reply in which none are known. */
    private static Object attributes(Nfs3Call<?, ?> call) {
        return switch (call) {
            case Nfs3Call.GetAttributes _ -> Nothing.NOTHING;
            case Nfs3Call.ChangeAttributes _, Nfs3Call.Write _, Nfs3Call.Commit _ ->
                    WccData.UNKNOWN;
            case Nfs3Call.Lookup _, Nfs3Call.Access _, Nfs3Call.ReadLink _, Nfs3Call.Read _ ->
                    Optional.empty();
            case Nfs3Call.Create _, Nfs3Call.MakeDirectory _, Nfs3Call.MakeSymbolicLink _ ->
                    WccData.UNKNOWN;
            case Nfs3Call.MakeNode _, Nfs3Call.Remove _, Nfs3Call.RemoveDirectory _ ->
                    WccData.UNKNOWN;
            case Nfs3Call.Rename _ -> new TwoWcc(WccData.UNKNOWN, WccData.UNKNOWN);
            case Nfs3Call.Link _ -> new FileAndWcc(Optional.empty(), WccData.UNKNOWN);
            case Nfs3Call.ReadDirectory _, Nfs3Call.ReadDirectoryPlus _ -> Optional.empty();
            case Nfs3Call.FsStat _, Nfs3Call.FsInfo _, Nfs3Call.PathConf _ -> Optional.empty();
        };
    }

    /**
     * Returns the reply of a call that succeeded.
     *
     * @param value that of the reply in version 2
     * @throws XdrException if the file has no type of version 3
     */
    @SuppressWarnings("unchecked")
    static <A, T> Nfs3Reply<A, T> ok(Nfs3Call<A, T> call, Object value) throws XdrException {
        if (call instanceof Nfs3Call.Read
                && value instanceof Nfs2Results.ReadData(var file, _, _)
                && Integer.toUnsignedLong(file.size()) == Nfs2.SIZE_MAX) {
            // The file may be longer, and a copy of it would end here.
            return failed(call, Status.FBIG);
        }
        return new Nfs3Reply.Ok<>((A) attributes(call), (T) value(call, value));
    }

    private static Object value(Nfs3Call<?, ?> call, Object value) throws XdrException {
        return switch (call) {
            case Nfs3Call.GetAttributes _ -> attributes((FileAttributes) value);
            case Nfs3Call.Access(_, var wanted) -> wanted;
            case Nfs3Call.Lookup _ -> {
                var found = (Nfs2Results.Found) value;
                yield new Nfs3Results.Found(
                        handle(found), Optional.of(attributes(found.attributes())));
            }
            case Nfs3Call.ReadLink _ -> {
                var link = (Nfs2Results.LinkText) value;
                yield new Nfs3Results.LinkText(link.text(), link.release());
            }
            case Nfs3Call.Read read -> data(read, (Nfs2Results.ReadData) value);
            case Nfs3Call.Write write ->
                    new Nfs3Results.Written(
                            (int) Math.min(write.data().byteSize(), Nfs2.DATA_MAX),
                            Stability.FILE_SYNC,
                            0);
            case Nfs3Call.Create _, Nfs3Call.MakeDirectory _, Nfs3Call.MakeNode _ -> {
                var made = (Nfs2Results.Found) value;
                yield new Nfs3Results.Created(
                        Optional.of(handle(made)), Optional.of(attributes(made.attributes())));
            }
            case Nfs3Call.MakeSymbolicLink _ ->
                    new Nfs3Results.Created(Optional.empty(), Optional.empty());
            case Nfs3Call.ReadDirectory _, Nfs3Call.ReadDirectoryPlus _ ->
                    page((Nfs2Results.DirectoryPage) value);
            case Nfs3Call.FsStat _ -> space((Nfs2Results.Space) value);
            case Nfs3Call.FsInfo _ -> info();
            case Nfs3Call.PathConf _ ->
                    new Nfs3Results.PathConfiguration(
                            LINKS_MAX, Nfs2.NAME_MAX, true, true, false, true);
            // All writes are on storage.
            case Nfs3Call.Commit _ -> 0L;
            case Nfs3Call.ChangeAttributes _, Nfs3Call.Remove _, Nfs3Call.RemoveDirectory _ ->
                    Nothing.NOTHING;
            case Nfs3Call.Rename _, Nfs3Call.Link _ -> Nothing.NOTHING;
        };
    }

    private static FileHandle handle(Nfs2Results.Found found) {
        return new FileHandle(found.handle().bytes());
    }

    private static Nfs3Results.ReadData data(Nfs3Call.Read call, Nfs2Results.ReadData read) {
        long end = call.offset() + read.data().byteSize();
        boolean endOfFile = end >= Integer.toUnsignedLong(read.attributes().size());
        return new Nfs3Results.ReadData(read.data(), endOfFile, read.release());
    }

    private static DirectoryPage page(Nfs2Results.DirectoryPage page) {
        List<DirectoryPage.Entry> entries =
                page.entries().stream()
                        .map(
                                each ->
                                        new DirectoryPage.Entry(
                                                Integer.toUnsignedLong(each.fileId()),
                                                each.name(),
                                                Integer.toUnsignedLong(each.cookie()),
                                                Optional.empty(),
                                                Optional.empty()))
                        .toList();
        return new DirectoryPage(0, entries, page.endOfList());
    }

    private static Nfs3Results.Space space(Nfs2Results.Space space) {
        long block = Integer.toUnsignedLong(space.blockSize());
        return new Nfs3Results.Space(
                block * Integer.toUnsignedLong(space.blocks()),
                block * Integer.toUnsignedLong(space.freeBlocks()),
                block * Integer.toUnsignedLong(space.availableBlocks()),
                0,
                0,
                0,
                0);
    }

    /** Returns the limits of the protocol. A file of the largest size may be a longer one. */
    private static Nfs3Results.FileSystemInfo info() {
        int max = Nfs2.DATA_MAX;
        int properties =
                Nfs3Results.FileSystemInfo.HARD_LINKS
                        | Nfs3Results.FileSystemInfo.SYMBOLIC_LINKS
                        | Nfs3Results.FileSystemInfo.CAN_SET_TIME;
        return new Nfs3Results.FileSystemInfo(
                max,
                max,
                1,
                max,
                max,
                1,
                max,
                Nfs2.SIZE_MAX - 1,
                new Timestamp(0, NANOS_OF_MICRO),
                properties);
    }

    private static io.github.rpcrdma4j.nfs.v3.FileAttributes attributes(FileAttributes file)
            throws XdrException {
        var type = type(file);
        boolean isDevice = type == FileType.CHARACTER_DEVICE || type == FileType.BLOCK_DEVICE;
        return new io.github.rpcrdma4j.nfs.v3.FileAttributes(
                type,
                file.mode() & MODE_MASK,
                file.links(),
                file.uid(),
                file.gid(),
                Integer.toUnsignedLong(file.size()),
                Integer.toUnsignedLong(file.blocks()) * UNIT,
                isDevice ? device(file.device()) : 0,
                Integer.toUnsignedLong(file.fileSystemId()),
                Integer.toUnsignedLong(file.fileId()),
                time(file.accessed()),
                time(file.modified()),
                time(file.changed()));
    }

    private static FileType type(FileAttributes file) throws XdrException {
        return switch (file.type()) {
            case REGULAR -> FileType.REGULAR;
            case DIRECTORY -> FileType.DIRECTORY;
            case BLOCK_DEVICE -> FileType.BLOCK_DEVICE;
            case CHARACTER_DEVICE ->
                    file.device() == FileAttributes.FIFO_DEVICE
                            ? FileType.FIFO
                            : FileType.CHARACTER_DEVICE;
            case SYMBOLIC_LINK -> FileType.SYMBOLIC_LINK;
            case SOCKET -> FileType.SOCKET;
            case FIFO -> FileType.FIFO;
            case NONE, BAD -> throw new XdrException("a file of no type");
        };
    }

    /** Returns the numbers of a device, which servers encode as Linux does. */
    private static long device(int number) {
        long major = number >>> 8 & 0xfff;
        long minor = number & 0xff | number >>> 12 & 0xfff00;
        return major << Integer.SIZE | minor;
    }

    private static Timestamp time(io.github.rpcrdma4j.nfs.v2.Timestamp time) {
        return new Timestamp(time.seconds(), time.micros() * NANOS_OF_MICRO);
    }
}
