package io.github.rpcrdma4j.nfs.client.v3;

import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.v2.FileAttributes;
import io.github.rpcrdma4j.nfs.v2.FileHandle;
import io.github.rpcrdma4j.nfs.v2.Nfs2;
import io.github.rpcrdma4j.nfs.v2.Nfs2Call;
import io.github.rpcrdma4j.nfs.v2.Nfs2Call.Place;
import io.github.rpcrdma4j.nfs.v2.SetAttributes;
import io.github.rpcrdma4j.nfs.v2.Timestamp;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.CreateMode;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.DirOpArgs;
import io.github.rpcrdma4j.nfs.v3.SetAttributes.TimeChange;

/** The calls of version 2 that come nearest to those of version 3. */
final class Nfs2Calls {
    private static final int NANOS_OF_MICRO = 1000;

    private Nfs2Calls() {}

    /** Returns the call for one that {@link Nfs2Form} does not refuse. */
    static Nfs2Call<?> of(Nfs3Call<?, ?> call) {
        return switch (call) {
            case Nfs3Call.GetAttributes(var file) -> attributes(file);
            case Nfs3Call.ChangeAttributes(var file, var changes, _) ->
                    new Nfs2Call.ChangeAttributes(handle(file), changes(changes));
            case Nfs3Call.Access(var file, _) -> attributes(file);
            case Nfs3Call.ReadLink(var link) -> new Nfs2Call.ReadLink(handle(link));
            case Nfs3Call.Read(var file, var offset, var count) ->
                    new Nfs2Call.Read(handle(file), (int) offset, count(count));
            case Nfs3Call.Write(var file, var offset, _, var data) ->
                    new Nfs2Call.Write(
                            handle(file),
                            (int) offset,
                            data.asSlice(0, Math.min(data.byteSize(), Nfs2.DATA_MAX)));
            case Nfs3Call.OnDirectoryEntry<?, ?> onName -> of(onName);
            case Nfs3Call.ReadDirectory(var directory, var cookie, _, var count) ->
                    new Nfs2Call.ReadDirectory(handle(directory), (int) cookie, count(count));
            case Nfs3Call.ReadDirectoryPlus(var directory, var cookie, _, _, var count) ->
                    new Nfs2Call.ReadDirectory(handle(directory), (int) cookie, count(count));
            case Nfs3Call.FsStat(var root) -> new Nfs2Call.FileSystem(handle(root));
            case Nfs3Call.FsInfo(var root) -> attributes(root);
            case Nfs3Call.PathConf(var file) -> attributes(file);
            case Nfs3Call.Commit(var file, _, _) -> attributes(file);
        };
    }

    private static Nfs2Call<?> of(Nfs3Call.OnDirectoryEntry<?, ?> call) {
        return switch (call) {
            case Nfs3Call.Lookup(var what) -> new Nfs2Call.Lookup(place(what));
            case Nfs3Call.Create(var where, var mode) ->
                    new Nfs2Call.Create(place(where), changes(attributes(mode)));
            case Nfs3Call.MakeDirectory(var where, var attributes) ->
                    new Nfs2Call.MakeDirectory(place(where), changes(attributes));
            case Nfs3Call.MakeSymbolicLink(var where, var attributes, var text) ->
                    new Nfs2Call.MakeSymbolicLink(place(where), text, changes(attributes));
            case Nfs3Call.MakeNode(var where, var type, var attributes, var device) ->
                    new Nfs2Call.Create(place(where), special(type, changes(attributes), device));
            case Nfs3Call.Remove(var object) -> new Nfs2Call.Remove(place(object));
            case Nfs3Call.RemoveDirectory(var object) ->
                    new Nfs2Call.RemoveDirectory(place(object));
            case Nfs3Call.Rename(var from, var to) -> new Nfs2Call.Rename(place(from), place(to));
            case Nfs3Call.Link(var file, var link) -> new Nfs2Call.Link(handle(file), place(link));
        };
    }

    private static Nfs2Call.GetAttributes attributes(io.github.rpcrdma4j.nfs.v3.FileHandle file) {
        return new Nfs2Call.GetAttributes(handle(file));
    }

    static FileHandle handle(io.github.rpcrdma4j.nfs.v3.FileHandle file) {
        return FileHandle.of(file.bytes());
    }

    private static Place place(DirOpArgs what) {
        return new Place(handle(what.directory()), what.name());
    }

    private static int count(int count) {
        return (int) Math.min(Integer.toUnsignedLong(count), Nfs2.DATA_MAX);
    }

    private static io.github.rpcrdma4j.nfs.v3.SetAttributes attributes(CreateMode mode) {
        return switch (mode) {
            case CreateMode.Unchecked(var attributes) -> attributes;
            case CreateMode.Guarded(var attributes) -> attributes;
            case CreateMode.Exclusive _ -> io.github.rpcrdma4j.nfs.v3.SetAttributes.NONE;
        };
    }

    private static SetAttributes changes(io.github.rpcrdma4j.nfs.v3.SetAttributes changes) {
        return new SetAttributes(
                changes.mode().orElse(SetAttributes.KEEP),
                changes.uid().orElse(SetAttributes.KEEP),
                changes.gid().orElse(SetAttributes.KEEP),
                changes.size().isPresent() ? (int) changes.size().getAsLong() : SetAttributes.KEEP,
                time(changes.accessed()),
                time(changes.modified()));
    }

    private static Timestamp time(TimeChange change) {
        return switch (change) {
            case TimeChange.Keep() -> SetAttributes.KEEP_TIME;
            case TimeChange.ToServerTime() -> new Timestamp(0, SetAttributes.SERVER_TIME_MICROS);
            case TimeChange.To(var time) ->
                    new Timestamp(
                            time.seconds(), Integer.divideUnsigned(time.nanos(), NANOS_OF_MICRO));
        };
    }

    /** Returns attributes with a type in the mode and a device in the size, as servers take it. */
    private static SetAttributes special(FileType type, SetAttributes attributes, long device) {
        int mode = attributes.mode() == SetAttributes.KEEP ? 0 : attributes.mode();
        return switch (type) {
            case FIFO -> with(attributes, mode | 0020000, FileAttributes.FIFO_DEVICE);
            case SOCKET -> with(attributes, mode | 0140000, SetAttributes.KEEP);
            case CHARACTER_DEVICE -> with(attributes, mode | 0020000, number(device));
            case BLOCK_DEVICE -> with(attributes, mode | 0060000, number(device));
            case REGULAR, DIRECTORY, SYMBOLIC_LINK ->
                    with(attributes, mode | 0100000, SetAttributes.KEEP);
        };
    }

    private static SetAttributes with(SetAttributes attributes, int mode, int size) {
        return new SetAttributes(
                mode,
                attributes.uid(),
                attributes.gid(),
                size,
                attributes.accessed(),
                attributes.modified());
    }

    /** Returns the number of a device as Linux encodes it in 32 bits. */
    private static int number(long device) {
        int major = (int) (device >>> Integer.SIZE);
        int minor = (int) device;
        return minor & 0xff | major << 8 | (minor & ~0xff) << 12;
    }
}
