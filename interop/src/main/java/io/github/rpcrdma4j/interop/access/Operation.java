package io.github.rpcrdma4j.interop.access;

import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.CreateMode;
import io.github.rpcrdma4j.nfs.v3.Procedure;
import io.github.rpcrdma4j.nfs.v3.SetAttributes;
import io.github.rpcrdma4j.nfs.v3.Timestamp;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * A call of NFS version 3 that refers to files by their paths in the directory of a case.
 *
 * <p>Tests: {@code OurServerAccessTest}, {@code TableTest}.
 *
 * @param words the text for a line of the table
 */
record Operation(String words, Build build) implements Request {
    /** The ACCESS bits that RFC 1813 defines. */
    private static final int ALL_ACCESS = 0x3f;

    private static final int PAGE = 8192;
    private static final long NULL_DEVICE = 1L << 32 | 3;

    /** Finds the file handles of paths. */
    interface Handles {
        /**
         * @throws IllegalArgumentException if the case has no such file
         */
        FileHandle of(String path);
    }

    /** Makes the call from file handles. */
    interface Build {
        Nfs3Call<?, ?> from(Handles handles);
    }

    @Override
    public boolean setsAttributes() {
        return words.startsWith(Procedure.SETATTR.name());
    }

    private static Nfs3Call.DirOpArgs place(Handles handles, String path) {
        int slash = path.lastIndexOf('/');
        return new Nfs3Call.DirOpArgs(
                handles.of(slash < 0 ? "." : path.substring(0, slash)), path.substring(slash + 1));
    }

    static Operation getattr(String path) {
        return new Operation(
                "GETATTR " + path, handles -> new Nfs3Call.GetAttributes(handles.of(path)));
    }

    static Operation access(String path) {
        return new Operation(
                "ACCESS " + path, handles -> new Nfs3Call.Access(handles.of(path), ALL_ACCESS));
    }

    static Operation lookup(String path) {
        return new Operation(
                "LOOKUP " + path, handles -> new Nfs3Call.Lookup(place(handles, path)));
    }

    /**
     * Returns a LOOKUP of a name that is not a path, such as {@code .}, {@code ..} or a name with a
     * slash.
     */
    static Operation lookup(String directory, String name) {
        return new Operation(
                "LOOKUP '%s' in %s".formatted(shortened(name), directory),
                handles ->
                        new Nfs3Call.Lookup(new Nfs3Call.DirOpArgs(handles.of(directory), name)));
    }

    static Operation readLink(String path) {
        return new Operation(
                "READLINK " + path, handles -> new Nfs3Call.ReadLink(handles.of(path)));
    }

    static Operation read(String path, long offset, int count) {
        return new Operation(
                "READ %s at %d, %d bytes".formatted(path, offset, count),
                handles -> new Nfs3Call.Read(handles.of(path), offset, count));
    }

    static Operation read(String path) {
        return read(path, 0, 100);
    }

    static Operation write(String path, long offset, String text, Stability stability) {
        byte[] data = text.getBytes(StandardCharsets.UTF_8);
        return new Operation(
                "WRITE %s at %d, %d bytes, %s".formatted(path, offset, data.length, stability),
                handles ->
                        new Nfs3Call.Write(
                                handles.of(path), offset, stability, MemorySegment.ofArray(data)));
    }

    static Operation write(String path) {
        return write(path, 8, "abcd", Stability.UNSTABLE);
    }

    static Operation commit(String path) {
        return new Operation(
                "COMMIT " + path, handles -> new Nfs3Call.Commit(handles.of(path), 0, 0));
    }

    static Operation setattr(String path, Change change) {
        return new Operation(
                "SETATTR " + path + " " + change.words(),
                handles ->
                        new Nfs3Call.ChangeAttributes(
                                handles.of(path), change.attributes(), Optional.empty()));
    }

    /** Returns a SETATTR with a guard that never matches. */
    static Operation guardedSetattr(String path, Change change) {
        return new Operation(
                "SETATTR " + path + " " + change.words() + " if it changed in 1970",
                handles ->
                        new Nfs3Call.ChangeAttributes(
                                handles.of(path),
                                change.attributes(),
                                Optional.of(new Timestamp(1, 0))));
    }

    static Operation create(String path, Change change) {
        return create(
                "CREATE unchecked", path, change, new CreateMode.Unchecked(change.attributes()));
    }

    static Operation createGuarded(String path, Change change) {
        return create("CREATE guarded", path, change, new CreateMode.Guarded(change.attributes()));
    }

    static Operation createExclusive(String path) {
        return create(
                "CREATE exclusive",
                path,
                Change.NONE,
                new CreateMode.Exclusive(0x0123456776543210L));
    }

    private static Operation create(String how, String path, Change change, CreateMode mode) {
        return new Operation(
                "%s %s %s".formatted(how, path, change.words()).strip(),
                handles -> new Nfs3Call.Create(place(handles, path), mode));
    }

    /** Returns a CREATE of a name that is not a path. */
    static Operation create(String directory, String name) {
        return new Operation(
                "CREATE unchecked '%s' in %s".formatted(shortened(name), directory),
                handles ->
                        new Nfs3Call.Create(
                                new Nfs3Call.DirOpArgs(handles.of(directory), name),
                                new CreateMode.Unchecked(SetAttributes.ofMode(0644))));
    }

    static Operation mkdir(String path, Change change) {
        return new Operation(
                "MKDIR %s %s".formatted(path, change.words()).strip(),
                handles -> new Nfs3Call.MakeDirectory(place(handles, path), change.attributes()));
    }

    static Operation symlink(String path, String text, Change change) {
        return new Operation(
                "SYMLINK %s ->%s %s".formatted(path, shortened(text), change.words()).strip(),
                handles ->
                        new Nfs3Call.MakeSymbolicLink(
                                place(handles, path), change.attributes(), PathName.of(text)));
    }

    static Operation mknod(String path, FileType type, long device, Change change) {
        var numbers =
                switch (type) {
                    case CHARACTER_DEVICE, BLOCK_DEVICE ->
                            " " + (device >>> 32) + ":" + (int) device;
                    case REGULAR, DIRECTORY, SYMBOLIC_LINK, SOCKET, FIFO -> "";
                };
        return new Operation(
                "MKNOD %s %s%s %s".formatted(path, type, numbers, change.words()).strip(),
                handles ->
                        new Nfs3Call.MakeNode(
                                place(handles, path), type, change.attributes(), device));
    }

    static Operation mknod(String path, FileType type, Change change) {
        return mknod(path, type, NULL_DEVICE, change);
    }

    static Operation remove(String path) {
        return new Operation(
                "REMOVE " + path, handles -> new Nfs3Call.Remove(place(handles, path)));
    }

    static Operation rmdir(String path) {
        return new Operation(
                "RMDIR " + path, handles -> new Nfs3Call.RemoveDirectory(place(handles, path)));
    }

    static Operation rename(String from, String to) {
        return new Operation(
                "RENAME " + from + " to " + to,
                handles -> new Nfs3Call.Rename(place(handles, from), place(handles, to)));
    }

    static Operation link(String file, String to) {
        return new Operation(
                "LINK " + file + " to " + to,
                handles -> new Nfs3Call.Link(handles.of(file), place(handles, to)));
    }

    static Operation readdir(String path) {
        return new Operation(
                "READDIR " + path,
                handles -> new Nfs3Call.ReadDirectory(handles.of(path), 0, 0, PAGE));
    }

    static Operation readdirplus(String path) {
        return new Operation(
                "READDIRPLUS " + path,
                handles -> new Nfs3Call.ReadDirectoryPlus(handles.of(path), 0, 0, PAGE, PAGE));
    }

    static Operation fsstat(String path) {
        return new Operation("FSSTAT " + path, handles -> new Nfs3Call.FsStat(handles.of(path)));
    }

    static Operation fsinfo(String path) {
        return new Operation("FSINFO " + path, handles -> new Nfs3Call.FsInfo(handles.of(path)));
    }

    static Operation pathconf(String path) {
        return new Operation(
                "PATHCONF " + path, handles -> new Nfs3Call.PathConf(handles.of(path)));
    }

    private static String shortened(String name) {
        return name.length() <= 20 ? name : name.charAt(0) + "*" + name.length();
    }
}
