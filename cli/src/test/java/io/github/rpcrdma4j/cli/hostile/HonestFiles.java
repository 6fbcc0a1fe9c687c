package io.github.rpcrdma4j.cli.hostile;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.v3.DirectoryPage;
import io.github.rpcrdma4j.nfs.v3.FileAttributes;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.DirOpArgs;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.FileAndWcc;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.Nothing;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.TwoWcc;
import io.github.rpcrdma4j.nfs.v3.Nfs3Results;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.nfs.v3.Timestamp;
import io.github.rpcrdma4j.nfs.v3.WccData;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * The replies of an honest server with one small export. {@code /data} holds {@code file}, {@code
 * directory} with {@code inner} in it, and {@code link}, which leads to {@code file}. The server
 * reports success for all changes, and makes none. A handle encodes the type and the number of its
 * file.
 *
 * @param change changes the attributes of files
 */
record HonestFiles(UnaryOperator<FileAttributes> change) {
    static final int TRANSFER = 1 << 20;
    static final long VERIFIER = 7;
    static final FileHandle ROOT = handle(FileType.DIRECTORY, 1);
    static final FileHandle FILE = handle(FileType.REGULAR, 2);
    static final FileHandle DIRECTORY = handle(FileType.DIRECTORY, 3);
    static final FileHandle LINK = handle(FileType.SYMBOLIC_LINK, 4);
    private static final FileHandle INNER = handle(FileType.REGULAR, 5);
    private static final FileHandle MADE = handle(FileType.REGULAR, 6);
    private static final FileHandle MADE_DIRECTORY = handle(FileType.DIRECTORY, 7);

    private static final Map<FileHandle, Map<String, FileHandle>> DIRECTORIES =
            Map.of(
                    ROOT,
                    Map.of("file", FILE, "directory", DIRECTORY, "link", LINK),
                    DIRECTORY,
                    Map.of("inner", INNER));
    private static final MemorySegment CONTENTS = bytes("true".getBytes(StandardCharsets.US_ASCII));
    private static final MemorySegment ZEROS = bytes(new byte[TRANSFER]);
    private static final int MODE = 0755;

    public static FileHandle handle(FileType type, long number) {
        return new FileHandle(
                ByteBuffer.allocate(1 + Long.BYTES)
                        .put((byte) type.ordinal())
                        .putLong(number)
                        .array());
    }

    static FileType type(FileHandle file) {
        return FileType.values()[file.bytes()[0]];
    }

    public static long number(FileHandle file) {
        return ByteBuffer.wrap(file.bytes()).getLong(1);
    }

    /** Returns the true attributes of a file. */
    static FileAttributes plain(FileHandle file) {
        var time = new Timestamp(1_000_000, 0);
        long size = type(file) == FileType.REGULAR ? CONTENTS.byteSize() : 0;
        return new FileAttributes(
                type(file), MODE, 1, 0, 0, size, size, 0, 1, number(file), time, time, time);
    }

    FileAttributes attributes(FileHandle file) {
        return change.apply(plain(file));
    }

    DirectoryPage.Entry entry(byte[] name, FileHandle file, long cookie) {
        return new DirectoryPage.Entry(
                number(file),
                new FileName(name),
                cookie,
                Optional.of(attributes(file)),
                Optional.of(file));
    }

    @SuppressWarnings("unchecked")
    static <A, T> boolean encode(Nfs3Call<A, T> call, Nfs3Reply<?, ?> reply, XdrWriter out) {
        call.replyFormat().encode(out, (Nfs3Reply<A, T>) reply);
        return true;
    }

    /** Returns a reply with an error status. */
    static Nfs3Reply<?, ?> failed(Nfs3Call<?, ?> call, Status status) {
        Optional<FileAttributes> none = Optional.empty();
        Object attributes =
                switch (call) {
                    case Nfs3Call.GetAttributes _ -> Nothing.NOTHING;
                    case Nfs3Call.Rename _ -> new TwoWcc(WccData.UNKNOWN, WccData.UNKNOWN);
                    case Nfs3Call.Link _ -> new FileAndWcc(none, WccData.UNKNOWN);
                    case Nfs3Call.ChangeAttributes _,
                            Nfs3Call.Write _,
                            Nfs3Call.Create _,
                            Nfs3Call.MakeDirectory _,
                            Nfs3Call.MakeSymbolicLink _,
                            Nfs3Call.MakeNode _,
                            Nfs3Call.Remove _,
                            Nfs3Call.RemoveDirectory _,
                            Nfs3Call.Commit _ ->
                            WccData.UNKNOWN;
                    case Nfs3Call.Lookup _,
                            Nfs3Call.Access _,
                            Nfs3Call.ReadLink _,
                            Nfs3Call.Read _,
                            Nfs3Call.ReadDirectory _,
                            Nfs3Call.ReadDirectoryPlus _,
                            Nfs3Call.FsStat _,
                            Nfs3Call.FsInfo _,
                            Nfs3Call.PathConf _ ->
                            none;
                };
        return new Nfs3Reply.Failed<>(status, attributes);
    }

    Nfs3Reply<?, ?> reply(Nfs3Call<?, ?> call) {
        Optional<FileAttributes> none = Optional.empty();
        return switch (call) {
            case Nfs3Call.GetAttributes(var file) ->
                    new Nfs3Reply.Ok<>(Nothing.NOTHING, attributes(file));
            case Nfs3Call.Lookup lookup -> lookup(lookup);
            case Nfs3Call.Access(_, var wanted) -> new Nfs3Reply.Ok<>(none, wanted);
            case Nfs3Call.ReadLink _ -> new Nfs3Reply.Ok<>(none, text("file"));
            case Nfs3Call.Read read -> new Nfs3Reply.Ok<>(none, read(read));
            case Nfs3Call.ReadDirectory(var directory, _, _, _) ->
                    new Nfs3Reply.Ok<>(none, page(directory));
            case Nfs3Call.ReadDirectoryPlus(var directory, _, _, _, _) ->
                    new Nfs3Reply.Ok<>(none, page(directory));
            case Nfs3Call.FsStat _ ->
                    new Nfs3Reply.Ok<>(none, new Nfs3Results.Space(0, 0, 0, 0, 0, 0, 0));
            case Nfs3Call.FsInfo _ -> new Nfs3Reply.Ok<>(none, info(TRANSFER));
            case Nfs3Call.PathConf _ ->
                    new Nfs3Reply.Ok<>(
                            none,
                            new Nfs3Results.PathConfiguration(1, 255, true, true, false, true));
            case Nfs3Call.Write(_, _, var stability, var data) ->
                    new Nfs3Reply.Ok<>(
                            WccData.UNKNOWN,
                            new Nfs3Results.Written((int) data.byteSize(), stability, VERIFIER));
            case Nfs3Call.Commit _ -> new Nfs3Reply.Ok<>(WccData.UNKNOWN, VERIFIER);
            case Nfs3Call.Create _, Nfs3Call.MakeSymbolicLink _, Nfs3Call.MakeNode _ ->
                    created(MADE);
            case Nfs3Call.MakeDirectory _ -> created(MADE_DIRECTORY);
            case Nfs3Call.ChangeAttributes _, Nfs3Call.Remove _, Nfs3Call.RemoveDirectory _ ->
                    new Nfs3Reply.Ok<>(WccData.UNKNOWN, Nothing.NOTHING);
            case Nfs3Call.Rename _ ->
                    new Nfs3Reply.Ok<>(
                            new TwoWcc(WccData.UNKNOWN, WccData.UNKNOWN), Nothing.NOTHING);
            case Nfs3Call.Link _ ->
                    new Nfs3Reply.Ok<>(new FileAndWcc(none, WccData.UNKNOWN), Nothing.NOTHING);
        };
    }

    static Nfs3Results.LinkText text(String text) {
        return new Nfs3Results.LinkText(bytes(text.getBytes(StandardCharsets.UTF_8)), () -> {});
    }

    /** Returns native memory, from which a transport can place data. */
    static MemorySegment bytes(byte[] bytes) {
        return Arena.ofAuto()
                .allocate(Math.max(1, bytes.length))
                .asSlice(0, bytes.length)
                .copyFrom(MemorySegment.ofArray(bytes));
    }

    /** Returns the limits of a server with a transfer size in bytes. */
    static Nfs3Results.FileSystemInfo info(int transfer) {
        return new Nfs3Results.FileSystemInfo(
                transfer,
                transfer,
                1,
                transfer,
                transfer,
                1,
                transfer,
                Long.MAX_VALUE,
                new Timestamp(0, 1),
                Nfs3Results.FileSystemInfo.HARD_LINKS | Nfs3Results.FileSystemInfo.SYMBOLIC_LINKS);
    }

    private Nfs3Reply<?, ?> created(FileHandle file) {
        return new Nfs3Reply.Ok<>(
                WccData.UNKNOWN,
                new Nfs3Results.Created(Optional.of(file), Optional.of(attributes(file))));
    }

    private Nfs3Reply<?, ?> lookup(Nfs3Call.Lookup call) {
        return found(call.what())
                .<Nfs3Reply<?, ?>>map(
                        file ->
                                new Nfs3Reply.Ok<>(
                                        Optional.<FileAttributes>empty(),
                                        new Nfs3Results.Found(file, Optional.of(attributes(file)))))
                .orElseGet(() -> failed(call, Status.NOENT));
    }

    private static Optional<FileHandle> found(DirOpArgs place) {
        var directory = DIRECTORIES.getOrDefault(place.directory(), Map.of());
        return Optional.ofNullable(directory.get(place.name().toString()));
    }

    private DirectoryPage page(FileHandle directory) {
        var entries =
                DIRECTORIES.getOrDefault(directory, Map.of()).entrySet().stream()
                        .map(
                                each ->
                                        entry(
                                                each.getKey().getBytes(StandardCharsets.UTF_8),
                                                each.getValue(),
                                                number(each.getValue())))
                        .toList();
        return new DirectoryPage(VERIFIER, entries, true);
    }

    /** Reads the true contents, or zeros if the file claims another size. */
    private Nfs3Results.ReadData read(Nfs3Call.Read call) {
        long size = attributes(call.file()).size();
        long left = Long.compareUnsigned(call.offset(), size) < 0 ? size - call.offset() : 0;
        long most = Math.min(Integer.toUnsignedLong(call.count()), TRANSFER);
        long count = Long.compareUnsigned(left, most) < 0 ? left : most;
        boolean isShort = size == CONTENTS.byteSize();
        var bytes = isShort ? CONTENTS : ZEROS;
        long from = isShort ? call.offset() : 0;
        return new Nfs3Results.ReadData(bytes.asSlice(from, count), count == left, () -> {});
    }

    static List<Integer> flavors() {
        return List.of(1);
    }
}
