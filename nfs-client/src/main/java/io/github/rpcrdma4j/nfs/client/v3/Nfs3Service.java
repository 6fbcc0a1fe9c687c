package io.github.rpcrdma4j.nfs.client.v3;

import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.acl.Acl3Call;
import io.github.rpcrdma4j.nfs.acl.AclLists;
import io.github.rpcrdma4j.nfs.client.file.NewFiles;
import io.github.rpcrdma4j.nfs.client.service.AccessLists;
import io.github.rpcrdma4j.nfs.client.service.AccessRight;
import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.DirectoryPage;
import io.github.rpcrdma4j.nfs.client.service.DirectoryPage.Wanted;
import io.github.rpcrdma4j.nfs.client.service.Export;
import io.github.rpcrdma4j.nfs.client.service.FileAttributes;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.FilePipeline;
import io.github.rpcrdma4j.nfs.client.service.FileService;
import io.github.rpcrdma4j.nfs.client.service.FileService.Created;
import io.github.rpcrdma4j.nfs.client.service.FileXattrs;
import io.github.rpcrdma4j.nfs.client.service.LockRange;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.client.service.OpenFile;
import io.github.rpcrdma4j.nfs.client.service.RemoteFile;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import io.github.rpcrdma4j.nfs.client.service.SpaceStatus;
import io.github.rpcrdma4j.nfs.client.service.Status;
import io.github.rpcrdma4j.nfs.client.service.TransferLimits;
import io.github.rpcrdma4j.nfs.client.service.Written;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.CreateMode;
import io.github.rpcrdma4j.nfs.v3.Nfs3Results.FileSystemInfo;
import io.github.rpcrdma4j.nfs.v3.SetAttributes;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The files of a server by NFS version 3, or by version 2 as far as that reaches. Thread-safe.
 *
 * <p>Tests: {@code NfsFilesTest}, {@code Nfs2ClientTest}.
 */
public final class Nfs3Service implements FileService {
    /** The longest page of a directory, in bytes. */
    private static final int PAGE_BYTES = 64 << 10;

    private final Nfs3Client client;

    /**
     * @param client owned by the service, which closes it
     */
    public Nfs3Service(Nfs3Client client) {
        this.client = client;
    }

    @Override
    public NfsVersion version() {
        return client.version();
    }

    @Override
    public Credential caller() {
        return client.caller();
    }

    @Override
    public void ping() throws RpcException, InterruptedException {
        client.ping();
    }

    @Override
    public List<Export> exports() throws IOException, InterruptedException {
        return client.exports().stream()
                .map(export -> new Export(export.path(), export.groups()))
                .toList();
    }

    @Override
    public List<PathName> exports(PathName path) throws IOException, InterruptedException {
        return client.exports().stream().map(export -> export.path()).toList();
    }

    @Override
    public FileHandle mount(PathName path) throws IOException, InterruptedException {
        return Nfs3Values.handle(client.mount(path));
    }

    @Override
    public TransferLimits limits(FileHandle directory) throws IOException, InterruptedException {
        var info = info(directory);
        return TransferLimits.told(
                info.readMax(),
                info.writeMax(),
                info.fileSizeMax(),
                Duration.between(Instant.EPOCH, info.timeStep().instant()));
    }

    private FileSystemInfo info(FileHandle directory) throws IOException, InterruptedException {
        try {
            return client.call(
                    new Nfs3Call.FsInfo(Nfs3Values.handle(directory)), "cannot ask for the limits");
        } catch (RpcException.Refused _) {
            return FileSystemInfo.UNKNOWN;
        } catch (NfsException untold) {
            if (untold.status() != Status.NOTSUPP) {
                throw untold;
            }
            return FileSystemInfo.UNKNOWN;
        }
    }

    @Override
    public SpaceStatus space(FileHandle file) throws IOException, InterruptedException {
        var space =
                client.call(
                        new Nfs3Call.FsStat(Nfs3Values.handle(file)), "cannot ask for the space");
        return new SpaceStatus(
                space.totalBytes(),
                space.freeBytes(),
                space.availableBytes(),
                space.totalFiles(),
                space.freeFiles(),
                space.availableFiles());
    }

    @Override
    public Instant nearest(Instant time) {
        return Nfs3Values.nearest(time);
    }

    @Override
    public FileAttributes attributes(FileHandle file, String what)
            throws IOException, InterruptedException {
        return attributes(handle(file, what), what);
    }

    private FileAttributes attributes(io.github.rpcrdma4j.nfs.v3.FileHandle file, String what)
            throws IOException, InterruptedException {
        return Nfs3Values.attributes(client.call(new Nfs3Call.GetAttributes(file), what));
    }

    @Override
    public void change(FileHandle file, AttributeChanges changes, String what)
            throws IOException, InterruptedException {
        handle(file, what);
        client.call(change(file, changes), what);
    }

    /** Returns the handle of a file that the server lets the caller use. */
    private static io.github.rpcrdma4j.nfs.v3.FileHandle handle(FileHandle file, String what)
            throws NfsException {
        var why = file.refused().flatMap(FileHandle.Refused::why);
        if (why.isPresent()) {
            throw new NfsException(what, why.get());
        }
        return Nfs3Values.handle(file);
    }

    static Nfs3Call.ChangeAttributes change(FileHandle file, AttributeChanges changes) {
        return new Nfs3Call.ChangeAttributes(
                Nfs3Values.handle(file), Nfs3Values.changes(changes), Optional.empty());
    }

    @Override
    public Set<AccessRight> access(FileHandle file, Set<AccessRight> wanted, String what)
            throws IOException, InterruptedException {
        int asked = 0;
        for (var right : wanted) {
            asked |= 1 << right.ordinal();
        }
        int granted = client.call(new Nfs3Call.Access(handle(file, what), asked), what);
        var rights = EnumSet.noneOf(AccessRight.class);
        for (var right : wanted) {
            if ((granted & 1 << right.ordinal()) != 0) {
                rights.add(right);
            }
        }
        return rights;
    }

    @Override
    public RemoteFile lookup(RemotePlace place, String what)
            throws IOException, InterruptedException {
        handle(place.directory(), what);
        var found = client.call(new Nfs3Call.Lookup(Nfs3Values.place(place)), what);
        // Attributes are optional in most replies. GETATTR fetches missing ones.
        return new RemoteFile(
                Nfs3Values.handle(found.handle()),
                found.attributes().isPresent()
                        ? Nfs3Values.attributes(found.attributes().get())
                        : attributes(found.handle(), what));
    }

    @Override
    public DirectoryPage list(
            FileHandle directory, long cookie, long verifier, Wanted wanted, String what)
            throws IOException, InterruptedException {
        var file = handle(directory, what);
        return Nfs3Values.page(
                client.call(
                        switch (wanted) {
                            case NAMES ->
                                    new Nfs3Call.ReadDirectory(file, cookie, verifier, PAGE_BYTES);
                            case LINES, ALL ->
                                    new Nfs3Call.ReadDirectoryPlus(
                                            file, cookie, verifier, PAGE_BYTES, PAGE_BYTES);
                        },
                        what));
    }

    @Override
    public PathName readLink(FileHandle link, String what)
            throws IOException, InterruptedException {
        return client.readLink(handle(link, what), what);
    }

    /** Version 3 has no open files: each call shows its rights. */
    private record LocalOpen(FileHandle handle) implements OpenFile {
        @Override
        public void close() {}
    }

    @Override
    public OpenFile open(FileHandle file, OpenFile.Mode mode, String what) throws NfsException {
        handle(file, what);
        return new LocalOpen(file);
    }

    @Override
    public OpenFile openOnce(FileHandle file, String what) throws NfsException {
        handle(file, what);
        return new LocalOpen(file);
    }

    @Override
    public long read(OpenFile file, long offset, MemorySegment target, String what)
            throws IOException, InterruptedException {
        var call =
                new Nfs3Call.Read(
                        Nfs3Values.handle(file.handle()), offset, (int) target.byteSize());
        return client.call(
                call,
                what,
                List.of(target),
                (_, read) -> {
                    long count = read.data().byteSize();
                    if (count > target.byteSize()) {
                        throw new IOException(what + ": the server sent too much");
                    }
                    if (count == 0 && !read.endOfFile()) {
                        throw new IOException(what + ": the server sent nothing before the end");
                    }
                    if (read.data().address() != target.address()) {
                        target.asSlice(0, count).copyFrom(read.data());
                    }
                    return count;
                });
    }

    @Override
    public Written write(
            OpenFile file, long offset, Stability stability, MemorySegment data, String what)
            throws IOException, InterruptedException {
        return Nfs3Values.written(
                client.call(
                        new Nfs3Call.Write(
                                Nfs3Values.handle(file.handle()), offset, stability, data),
                        what));
    }

    @Override
    public long commit(OpenFile file, long offset, int count, String what)
            throws IOException, InterruptedException {
        return client.call(
                new Nfs3Call.Commit(Nfs3Values.handle(file.handle()), offset, count), what);
    }

    @Override
    public boolean lock(
            OpenFile file, LockRange range, boolean isExclusive, Duration wait, String what)
            throws NfsException {
        throw noLocks(what);
    }

    @Override
    public void unlock(OpenFile file, LockRange range, String what) throws NfsException {
        throw noLocks(what);
    }

    private static NfsException noLocks(String what) {
        return NfsException.found(
                what, "versions 2 and 3 of NFS have no locks here", Status.NOTSUPP);
    }

    @Override
    public Created makeFile(
            RemotePlace place, AttributeChanges attributes, boolean isNew, String what)
            throws IOException, InterruptedException {
        var wanted = Nfs3Values.changes(attributes);
        var mode = isNew ? new CreateMode.Guarded(wanted) : new CreateMode.Unchecked(wanted);
        return make(new Nfs3Call.Create(Nfs3Values.place(place), mode), what);
    }

    @Override
    public Opened makeOpen(
            RemotePlace place,
            AttributeChanges attributes,
            boolean isNew,
            OpenFile.Mode mode,
            String what)
            throws IOException, InterruptedException {
        var made = makeFile(place, attributes, isNew, what);
        var file = NewFiles.ofCaller(this).file(made, place, what);
        return new Opened(open(file.handle(), mode, what), file);
    }

    @Override
    public Created makeDirectory(RemotePlace place, AttributeChanges attributes, String what)
            throws IOException, InterruptedException {
        return make(
                new Nfs3Call.MakeDirectory(Nfs3Values.place(place), Nfs3Values.changes(attributes)),
                what);
    }

    @Override
    public Created makeLink(RemotePlace place, PathName text, String what)
            throws IOException, InterruptedException {
        return make(
                new Nfs3Call.MakeSymbolicLink(Nfs3Values.place(place), SetAttributes.NONE, text),
                what);
    }

    @Override
    public Created makeNode(
            RemotePlace place,
            FileType type,
            AttributeChanges attributes,
            int deviceMajor,
            int deviceMinor,
            String what)
            throws IOException, InterruptedException {
        long device = (long) deviceMajor << Integer.SIZE | Integer.toUnsignedLong(deviceMinor);
        return make(
                new Nfs3Call.MakeNode(
                        Nfs3Values.place(place), type, Nfs3Values.changes(attributes), device),
                what);
    }

    private Created make(
            Nfs3Call<?, io.github.rpcrdma4j.nfs.v3.Nfs3Results.Created> call, String what)
            throws IOException, InterruptedException {
        return Nfs3Values.created(client.call(call, what));
    }

    @Override
    public void link(FileHandle file, RemotePlace place, String what)
            throws IOException, InterruptedException {
        client.call(new Nfs3Call.Link(Nfs3Values.handle(file), Nfs3Values.place(place)), what);
    }

    @Override
    public void remove(RemotePlace place, String what) throws IOException, InterruptedException {
        client.call(new Nfs3Call.Remove(Nfs3Values.place(place)), what);
    }

    @Override
    public void removeDirectory(RemotePlace place, String what)
            throws IOException, InterruptedException {
        client.call(new Nfs3Call.RemoveDirectory(Nfs3Values.place(place)), what);
    }

    @Override
    public void rename(RemotePlace from, RemotePlace to, String what)
            throws IOException, InterruptedException {
        client.call(rename(from, to), what);
    }

    static Nfs3Call.Rename rename(RemotePlace from, RemotePlace to) {
        return new Nfs3Call.Rename(Nfs3Values.place(from), Nfs3Values.place(to));
    }

    @Override
    public AclLists acls(FileHandle file, int mask, int entries, String what)
            throws IOException, InterruptedException {
        return client.call(new Acl3Call.GetAcl(Nfs3Values.handle(file), mask), entries, what);
    }

    @Override
    public void changeAcls(FileHandle file, AclLists lists, String what)
            throws IOException, InterruptedException {
        client.call(new Acl3Call.SetAcl(Nfs3Values.handle(file), lists), 0, what);
    }

    @Override
    public AccessLists accessLists() {
        return AccessLists.missing(version());
    }

    @Override
    public FileXattrs xattrs() {
        return FileXattrs.missing(version());
    }

    @Override
    public FilePipeline pipeline() {
        return new Nfs3FilePipeline(client.pipeline());
    }

    @Override
    public void close() {
        client.close();
    }
}
