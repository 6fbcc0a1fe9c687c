package io.github.rpcrdma4j.nfs.v3;

import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.CreateMode;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.DirOpArgs;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.util.Optional;

/** Decodes the arguments that {@link Nfs3Call#encode} writes, in the order of the procedures. */
public final class Nfs3CallDecoder {
    private Nfs3CallDecoder() {}

    /**
     * Decodes all arguments of a procedure.
     *
     * @param procedure any but NULL
     * @throws XdrException if they are malformed, or if bytes remain after them
     */
    public static Nfs3Call<?, ?> decode(Procedure procedure, XdrReader in) throws XdrException {
        Nfs3Call<?, ?> call =
                switch (procedure) {
                    case NULL -> throw new IllegalArgumentException("NULL has no arguments");
                    case GETATTR -> new Nfs3Call.GetAttributes(FileHandle.decode(in));
                    case SETATTR ->
                            new Nfs3Call.ChangeAttributes(
                                    FileHandle.decode(in), SetAttributes.decode(in), guard(in));
                    case LOOKUP -> new Nfs3Call.Lookup(DirOpArgs.decode(in));
                    case ACCESS -> new Nfs3Call.Access(FileHandle.decode(in), in.uint32());
                    case READLINK -> new Nfs3Call.ReadLink(FileHandle.decode(in));
                    case READ -> new Nfs3Call.Read(FileHandle.decode(in), in.uint64(), in.uint32());
                    case WRITE -> write(in);
                    case CREATE -> new Nfs3Call.Create(DirOpArgs.decode(in), mode(in));
                    case MKDIR ->
                            new Nfs3Call.MakeDirectory(
                                    DirOpArgs.decode(in), SetAttributes.decode(in));
                    case SYMLINK ->
                            new Nfs3Call.MakeSymbolicLink(
                                    DirOpArgs.decode(in),
                                    SetAttributes.decode(in),
                                    new PathName(in.bulk(Nfs3.PATH_MAX)));
                    case MKNOD -> node(in);
                    case REMOVE -> new Nfs3Call.Remove(DirOpArgs.decode(in));
                    case RMDIR -> new Nfs3Call.RemoveDirectory(DirOpArgs.decode(in));
                    case RENAME -> new Nfs3Call.Rename(DirOpArgs.decode(in), DirOpArgs.decode(in));
                    case LINK -> new Nfs3Call.Link(FileHandle.decode(in), DirOpArgs.decode(in));
                    case READDIR ->
                            new Nfs3Call.ReadDirectory(
                                    FileHandle.decode(in), in.uint64(), in.uint64(), in.uint32());
                    case READDIRPLUS ->
                            new Nfs3Call.ReadDirectoryPlus(
                                    FileHandle.decode(in),
                                    in.uint64(),
                                    in.uint64(),
                                    in.uint32(),
                                    in.uint32());
                    case FSSTAT -> new Nfs3Call.FsStat(FileHandle.decode(in));
                    case FSINFO -> new Nfs3Call.FsInfo(FileHandle.decode(in));
                    case PATHCONF -> new Nfs3Call.PathConf(FileHandle.decode(in));
                    case COMMIT ->
                            new Nfs3Call.Commit(FileHandle.decode(in), in.uint64(), in.uint32());
                };
        in.finish();
        return call;
    }

    private static Optional<Timestamp> guard(XdrReader in) throws XdrException {
        return in.bool() ? Optional.of(Timestamp.decode(in)) : Optional.empty();
    }

    private static Nfs3Call.Write write(XdrReader in) throws XdrException {
        var file = FileHandle.decode(in);
        long offset = in.uint64();
        int count = in.uint32();
        var stability = Stability.decode(in);
        var data = in.bulk(Nfs3.TRANSFER_MAX);
        if (data.byteSize() != Integer.toUnsignedLong(count)) {
            throw new XdrException("the count of WRITE differs from the length of its data");
        }
        return new Nfs3Call.Write(file, offset, stability, data);
    }

    private static CreateMode mode(XdrReader in) throws XdrException {
        int how = in.uint32();
        return switch (how) {
            case 0 -> new CreateMode.Unchecked(SetAttributes.decode(in));
            case 1 -> new CreateMode.Guarded(SetAttributes.decode(in));
            case 2 -> new CreateMode.Exclusive(in.uint64());
            default ->
                    throw new XdrException("unknown createmode " + Integer.toUnsignedString(how));
        };
    }

    private static Nfs3Call.MakeNode node(XdrReader in) throws XdrException {
        var where = DirOpArgs.decode(in);
        var type = FileType.of(in.uint32());
        return switch (type) {
            case BLOCK_DEVICE, CHARACTER_DEVICE ->
                    new Nfs3Call.MakeNode(where, type, SetAttributes.decode(in), in.uint64());
            case SOCKET, FIFO -> new Nfs3Call.MakeNode(where, type, SetAttributes.decode(in), 0);
            case REGULAR, DIRECTORY, SYMBOLIC_LINK ->
                    new Nfs3Call.MakeNode(where, type, SetAttributes.NONE, 0);
        };
    }
}
