package io.github.rpcrdma4j.nfs.v3;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.CreateMode;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.DirOpArgs;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.FileAndWcc;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.Nothing;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.TwoWcc;
import io.github.rpcrdma4j.nfs.v3.SetAttributes.TimeChange;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** Sample calls of every procedure, each with the longest reply. */
final class Samples {
    static final FileHandle HANDLE = new FileHandle(new byte[Nfs3.HANDLE_MAX]);
    static final Timestamp TIME = new Timestamp(0x12345678, 999_999_999);
    static final FileAttributes ATTRIBUTES =
            new FileAttributes(
                    FileType.REGULAR,
                    0644,
                    1,
                    -2,
                    7,
                    -1L,
                    4096,
                    5L << 32 | 9,
                    77,
                    88,
                    TIME,
                    TIME,
                    new Timestamp(1, 2));
    static final Optional<FileAttributes> FILE = Optional.of(ATTRIBUTES);
    static final WccData WCC = new WccData(Optional.of(WccData.Before.of(ATTRIBUTES)), FILE);
    static final DirOpArgs PLACE = new DirOpArgs(HANDLE, "näme");
    static final SetAttributes ALL =
            new SetAttributes(
                    OptionalInt.of(0755),
                    OptionalInt.of(1),
                    OptionalInt.of(-1),
                    OptionalLong.of(1L << 40),
                    new TimeChange.ToServerTime(),
                    new TimeChange.To(TIME));

    private Samples() {}

    static MemorySegment memory(int length) {
        return Arena.ofAuto().allocate(length + 1).asSlice(0, length);
    }

    static List<Nfs3Call<?, ?>> calls() {
        return List.of(
                new Nfs3Call.GetAttributes(HANDLE),
                new Nfs3Call.ChangeAttributes(HANDLE, ALL, Optional.of(TIME)),
                new Nfs3Call.ChangeAttributes(HANDLE, SetAttributes.NONE, Optional.empty()),
                new Nfs3Call.Lookup(PLACE),
                new Nfs3Call.Access(HANDLE, 0x3f),
                new Nfs3Call.ReadLink(HANDLE),
                new Nfs3Call.Read(HANDLE, -1L, -1),
                new Nfs3Call.Write(HANDLE, 1L << 60, Stability.DATA_SYNC, memory(13)),
                new Nfs3Call.Create(PLACE, new CreateMode.Unchecked(ALL)),
                new Nfs3Call.Create(PLACE, new CreateMode.Guarded(SetAttributes.NONE)),
                new Nfs3Call.Create(PLACE, new CreateMode.Exclusive(-5L)),
                new Nfs3Call.MakeDirectory(PLACE, ALL),
                new Nfs3Call.MakeSymbolicLink(PLACE, ALL, PathName.of("../tärget")),
                new Nfs3Call.MakeNode(PLACE, FileType.BLOCK_DEVICE, ALL, 8L << 32 | 1),
                new Nfs3Call.MakeNode(PLACE, FileType.FIFO, ALL, 0),
                new Nfs3Call.MakeNode(PLACE, FileType.REGULAR, SetAttributes.NONE, 0),
                new Nfs3Call.Remove(PLACE),
                new Nfs3Call.RemoveDirectory(PLACE),
                new Nfs3Call.Rename(PLACE, new DirOpArgs(HANDLE, "x")),
                new Nfs3Call.Link(HANDLE, PLACE),
                new Nfs3Call.ReadDirectory(HANDLE, 5, 6, 4096),
                new Nfs3Call.ReadDirectoryPlus(HANDLE, 5, 6, 4096, 8192),
                new Nfs3Call.FsStat(HANDLE),
                new Nfs3Call.FsInfo(HANDLE),
                new Nfs3Call.PathConf(HANDLE),
                new Nfs3Call.Commit(HANDLE, 7, 8));
    }

    /** Returns the longest attributes of a reply to {@code call}. */
    static Object attributes(Nfs3Call<?, ?> call) {
        return switch (call.procedure()) {
            case NULL, GETATTR -> Nothing.NOTHING;
            case LOOKUP, ACCESS, READLINK, READ, READDIR, READDIRPLUS, FSSTAT, FSINFO, PATHCONF ->
                    FILE;
            case SETATTR, WRITE, CREATE, MKDIR, SYMLINK, MKNOD, REMOVE, RMDIR, COMMIT -> WCC;
            case RENAME -> new TwoWcc(WCC, WCC);
            case LINK -> new FileAndWcc(FILE, WCC);
        };
    }

    /** Returns the longest value of a reply to {@code call}; bulk data is short. */
    static Object value(Nfs3Call<?, ?> call) {
        return switch (call.procedure()) {
            case NULL, SETATTR, REMOVE, RMDIR, RENAME, LINK -> Nothing.NOTHING;
            case GETATTR -> ATTRIBUTES;
            case LOOKUP -> new Nfs3Results.Found(HANDLE, FILE);
            case ACCESS -> 0x1f;
            case READLINK -> new Nfs3Results.LinkText(memory(9), () -> {});
            case READ -> new Nfs3Results.ReadData(memory(17), true, () -> {});
            case WRITE -> new Nfs3Results.Written(17, Stability.UNSTABLE, -9L);
            case CREATE, MKDIR, SYMLINK, MKNOD ->
                    new Nfs3Results.Created(Optional.of(HANDLE), FILE);
            case READDIR, READDIRPLUS ->
                    new DirectoryPage(
                            3,
                            List.of(
                                    new DirectoryPage.Entry(
                                            1,
                                            FileName.of("näme"),
                                            4,
                                            call.procedure() == Procedure.READDIRPLUS
                                                    ? FILE
                                                    : Optional.empty(),
                                            call.procedure() == Procedure.READDIRPLUS
                                                    ? Optional.of(HANDLE)
                                                    : Optional.empty())),
                            true);
            case FSSTAT -> new Nfs3Results.Space(1, 2, 3, 4, 5, 6, 7);
            case FSINFO -> new Nfs3Results.FileSystemInfo(1, 2, 3, 4, 5, 6, 7, 8, TIME, 0x1b);
            case PATHCONF -> new Nfs3Results.PathConfiguration(32000, 255, true, true, false, true);
            case COMMIT -> -9L;
        };
    }
}
