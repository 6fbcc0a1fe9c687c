package io.github.rpcrdma4j.nfs.server;

import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.CreateMode;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.DirOpArgs;
import io.github.rpcrdma4j.nfs.v3.SetAttributes;
import io.github.rpcrdma4j.nfs.v3.SetAttributes.TimeChange;
import io.github.rpcrdma4j.nfs.v3.Timestamp;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Calls of every procedure of NFS version 3, with arguments that lead to different system calls.
 */
final class EveryCall {
    /** The name of new files. */
    static final String MADE = "made";

    /** The name of an existing file. */
    static final String FILE = "f";

    /** The name of an existing empty directory. */
    static final String DIRECTORY = "d";

    private static final TimeChange KEEP = new TimeChange.Keep();
    private static final TimeChange NOW = new TimeChange.ToServerTime();
    private static final TimeChange EARLY = new TimeChange.To(new Timestamp(1_000_000_000, 0));

    private EveryCall() {}

    /** Returns the calls on one file of any type. */
    static List<Nfs3Call<?, ?>> on(FileHandle file, int uid) {
        return List.of(
                new Nfs3Call.GetAttributes(file),
                change(file, SetAttributes.ofMode(0777)),
                change(file, owner(uid)),
                change(file, SetAttributes.ofSize(3)),
                change(file, times(NOW, NOW)),
                change(file, times(EARLY, KEEP)),
                new Nfs3Call.Access(file, 0x3f),
                new Nfs3Call.ReadLink(file),
                new Nfs3Call.Read(file, 0, 4096),
                TestServer.write(file, 0, Stability.UNSTABLE, "written"),
                TestServer.write(file, 0, Stability.FILE_SYNC, "written"),
                new Nfs3Call.Commit(file, 0, 0),
                new Nfs3Call.ReadDirectory(file, 0, 0, 4096),
                new Nfs3Call.ReadDirectoryPlus(file, 0, 0, 4096, 4096),
                new Nfs3Call.FsStat(file),
                new Nfs3Call.FsInfo(file),
                new Nfs3Call.PathConf(file));
    }

    /**
     * Returns the calls on names in a directory.
     *
     * @param file the file that LINK gives another name
     */
    static List<Nfs3Call<?, ?>> in(FileHandle directory, FileHandle file) {
        var made = new DirOpArgs(directory, MADE);
        var there = new DirOpArgs(directory, FILE);
        var mode = SetAttributes.ofMode(0777);
        return List.of(
                new Nfs3Call.Lookup(there),
                new Nfs3Call.Lookup(new DirOpArgs(directory, "..")),
                new Nfs3Call.Create(made, new CreateMode.Guarded(mode)),
                new Nfs3Call.Create(made, new CreateMode.Exclusive(0x0123456789abcdefL)),
                new Nfs3Call.Create(there, new CreateMode.Unchecked(SetAttributes.ofSize(0))),
                new Nfs3Call.MakeDirectory(made, mode),
                new Nfs3Call.MakeSymbolicLink(made, mode, PathName.of("text")),
                new Nfs3Call.MakeNode(made, FileType.FIFO, mode, 0),
                new Nfs3Call.Remove(there),
                new Nfs3Call.RemoveDirectory(new DirOpArgs(directory, DIRECTORY)),
                new Nfs3Call.Rename(there, made),
                new Nfs3Call.Rename(made, there),
                new Nfs3Call.Link(file, made));
    }

    /** Returns calls that prepare the names of a directory for {@link #in}. */
    static List<Nfs3Call<?, ?>> preparing(FileHandle directory) {
        var made = new DirOpArgs(directory, MADE);
        var none = SetAttributes.ofMode(0666);
        return List.of(
                new Nfs3Call.Remove(made),
                new Nfs3Call.RemoveDirectory(made),
                new Nfs3Call.Create(new DirOpArgs(directory, FILE), new CreateMode.Unchecked(none)),
                new Nfs3Call.MakeDirectory(
                        new DirOpArgs(directory, DIRECTORY), SetAttributes.ofMode(0777)));
    }

    static Nfs3Call.ChangeAttributes change(FileHandle file, SetAttributes changes) {
        return new Nfs3Call.ChangeAttributes(file, changes, Optional.empty());
    }

    static SetAttributes owner(int uid) {
        return owner(OptionalInt.of(uid), OptionalInt.of(uid), OptionalInt.empty());
    }

    static SetAttributes owner(OptionalInt uid, OptionalInt gid, OptionalInt mode) {
        var none = SetAttributes.NONE;
        return new SetAttributes(mode, uid, gid, none.size(), KEEP, KEEP);
    }

    private static SetAttributes times(TimeChange accessed, TimeChange modified) {
        var none = SetAttributes.NONE;
        return new SetAttributes(
                none.mode(), none.uid(), none.gid(), none.size(), accessed, modified);
    }
}
