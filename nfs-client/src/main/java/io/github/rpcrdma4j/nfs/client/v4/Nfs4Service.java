package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.acl.AclLists;
import io.github.rpcrdma4j.nfs.client.service.AccessLists;
import io.github.rpcrdma4j.nfs.client.service.AccessRight;
import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
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
import io.github.rpcrdma4j.nfs.client.service.MountedExport;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.client.service.OpenFile;
import io.github.rpcrdma4j.nfs.client.service.RemoteFile;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import io.github.rpcrdma4j.nfs.client.service.SpaceStatus;
import io.github.rpcrdma4j.nfs.client.service.TransferLimits;
import io.github.rpcrdma4j.nfs.client.service.WalkedPath;
import io.github.rpcrdma4j.nfs.client.service.Written;
import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import io.github.rpcrdma4j.nfs.client.v4.session.SessionRefused;
import io.github.rpcrdma4j.nfs.client.v4.state.CopyLengths;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.NameArguments;
import io.github.rpcrdma4j.nfs.v4.operation.NameResult;
import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.LongConsumer;

/**
 * The files of a server by NFS version 4.0, 4.1 or 4.2. Thread-safe.
 *
 * <p>Tests: {@code FileServiceTest}.
 */
public final class Nfs4Service implements FileService {
    private final NfsVersion version;
    private final Credential caller;
    private final CompoundCalls calls;
    private final RegularFiles files;
    private final FileSystemQuestions fileSystems;
    private final Paths paths;
    private final DirectoryCalls directories;
    private final Creations creations;
    private final DataCalls data;
    private final Removals removals;
    private final ServerSideCopies copies;
    private final FileAcls acls;

    private Nfs4Service(
            NfsVersion version,
            Credential caller,
            CompoundCalls calls,
            RegularFiles files,
            ServerSideCopies.Ends ends) {
        this.version = version;
        this.caller = caller;
        this.calls = calls;
        this.files = files;
        this.fileSystems = new FileSystemQuestions(calls);
        this.paths = new Paths(calls);
        this.directories = new DirectoryCalls(calls, files, paths);
        this.creations = new Creations(calls);
        this.data = new DataCalls(calls);
        this.removals = new Removals(calls);
        this.copies = new ServerSideCopies(calls, ends, new CopyLengths());
        this.acls = new FileAcls(calls, fileSystems);
    }

    /**
     * Connects to a server, and introduces itself: from version 4.1 on by a session.
     *
     * @param nfs connects to the NFS service
     * @param version 4.0, 4.1 or 4.2
     * @throws IOException if the server cannot be reached, or refuses
     */
    public static Nfs4Service connect(Connector nfs, ClientOptions options, NfsVersion version)
            throws IOException, InterruptedException {
        var only = options.withVersion(version);
        return ClientName.free(name -> connect(nfs, only, name, SessionThreads.OF_MACHINE));
    }

    /** Connects likewise by the first of some versions, under a name, with clock and threads. */
    static Nfs4Service connect(
            Connector nfs, ClientOptions options, ClientOwner name, SessionThreads threads)
            throws IOException, InterruptedException {
        var version = options.versions().getFirst();
        var ends = new ServerSideCopies.Ends(threads);
        if (version == NfsVersion.VERSION_4_0) {
            var owned = new OwnedFiles();
            var lease = Nfs4Lease.open(nfs, name, owned, options, threads);
            return new Nfs4Service(
                    version, options.caller(), lease, new FilesOfOwners(lease, owned), ends);
        }
        var opens = new OpenFiles(ends);
        var session = Nfs4Session.open(nfs, name, opens, version.minorNumber(), options, threads);
        return new Nfs4Service(
                version,
                options.caller(),
                session,
                new FilesInSession(session, opens, version.minorNumber()),
                ends);
    }

    /**
     * Returns whether a server refused to connect because it has other versions, or may say better
     * by one of them why it denies this one.
     */
    public static boolean isOtherVersion(IOException refused) {
        return switch (refused) {
            case RpcException.Refused call when call.status() == AcceptStatus.PROG_UNAVAIL -> true;
            case RpcException.Denied _ -> true;
            default -> isMissing(refused);
        };
    }

    /** Returns whether a server refused to connect because it does not have the version. */
    public static boolean isMissing(IOException refused) {
        return switch (refused) {
            case SessionRefused session -> session.status() == Nfs4Status.MINOR_VERS_MISMATCH;
            case RpcException.Refused call -> call.status() == AcceptStatus.PROG_MISMATCH;
            default -> false;
        };
    }

    /** Returns the session, for tests. */
    Nfs4Session session() {
        return (Nfs4Session) calls;
    }

    @Override
    public NfsVersion version() {
        return version;
    }

    @Override
    public Credential caller() {
        return caller;
    }

    @Override
    public void ping() throws RpcException, InterruptedException {
        calls.client().ping(NfsVersion.PROGRAM, version.number(), calls.timeout());
    }

    /** Returns the root alone: in version 4 all exports lie below it (RFC 8881, Section 7). */
    @Override
    public List<Export> exports() {
        return List.of(new Export(PathName.of("/"), List.of()));
    }

    @Override
    public List<PathName> exports(PathName path) throws IOException, InterruptedException {
        return paths.mountFor(path).exports();
    }

    @Override
    public MountedExport mountFor(PathName path) throws IOException, InterruptedException {
        return paths.mountFor(path);
    }

    @Override
    public FileHandle mount(PathName path) throws IOException, InterruptedException {
        return paths.handle(path);
    }

    @Override
    public TransferLimits limits(FileHandle directory) throws IOException, InterruptedException {
        return fileSystems.limits(directory);
    }

    @Override
    public SpaceStatus space(FileHandle file) throws IOException, InterruptedException {
        return fileSystems.space(file);
    }

    @Override
    public Instant nearest(Instant time) {
        return time;
    }

    @Override
    public FileAttributes attributes(FileHandle file, String what)
            throws IOException, InterruptedException {
        directories.requireUsable(file, what);
        return calls.run(
                FilePlans.status(Plan.at(Nfs4Values.handle(file))),
                what,
                results -> FileResults.status(results.done(1)));
    }

    @Override
    public void change(FileHandle file, AttributeChanges changes, String what)
            throws IOException, InterruptedException {
        directories.requireUsable(file, what);
        calls.run(FilePlans.changing(file, changes), what, results -> results.done(2));
    }

    @Override
    public Set<AccessRight> access(FileHandle file, Set<AccessRight> wanted, String what)
            throws IOException, InterruptedException {
        directories.requireUsable(file, what);
        return fileSystems.access(file, wanted, what);
    }

    @Override
    public RemoteFile lookup(RemotePlace place, String what)
            throws IOException, InterruptedException {
        return directories.lookup(place, what);
    }

    @Override
    public WalkedPath walk(FileHandle directory, List<FileName> names, String what)
            throws IOException, InterruptedException {
        return directories.walk(directory, names, what);
    }

    @Override
    public DirectoryPage list(
            FileHandle directory, long cookie, long verifier, Wanted wanted, String what)
            throws IOException, InterruptedException {
        return directories.list(directory, cookie, verifier, wanted, what);
    }

    @Override
    public PathName readLink(FileHandle link, String what)
            throws IOException, InterruptedException {
        return calls.run(
                Plan.at(Nfs4Values.handle(link)).link(Nfs4Values.LINK_MAX),
                what,
                results ->
                        Nfs4Values.linkText(results.done(1).next(NameResult.ReadLink.class), what));
    }

    @Override
    public boolean checksOpens() {
        return true;
    }

    @Override
    public OpenFile open(FileHandle file, OpenFile.Mode mode, String what)
            throws IOException, InterruptedException {
        return files.open(file, mode, what);
    }

    @Override
    public OpenFile openOnce(FileHandle file, String what) {
        return new OpenAtNeed(files, file);
    }

    @Override
    public long read(OpenFile file, long offset, MemorySegment target, String what)
            throws IOException, InterruptedException {
        return data.read(file, offset, target, what);
    }

    @Override
    public Written write(
            OpenFile file, long offset, Stability stability, MemorySegment bytes, String what)
            throws IOException, InterruptedException {
        return data.write(file, offset, stability, bytes, what);
    }

    @Override
    public Optional<Written> writeAtEnd(
            OpenFile file, long size, Stability stability, MemorySegment bytes, String what)
            throws IOException, InterruptedException {
        return data.writeAtEnd(file, size, stability, bytes, what);
    }

    @Override
    public void truncate(OpenFile file, long size, String what)
            throws IOException, InterruptedException {
        data.truncate(file, size, what);
    }

    @Override
    public long commit(OpenFile file, long offset, int count, String what)
            throws IOException, InterruptedException {
        return data.commit(file, offset, count, what);
    }

    @Override
    public boolean lock(
            OpenFile file, LockRange range, boolean isExclusive, Duration wait, String what)
            throws IOException, InterruptedException {
        return ((UsedFile) file).lock(range, isExclusive, wait, what);
    }

    @Override
    public void unlock(OpenFile file, LockRange range, String what)
            throws IOException, InterruptedException {
        ((UsedFile) file).unlock(range, what);
    }

    @Override
    public Created makeFile(
            RemotePlace place, AttributeChanges attributes, boolean isNew, String what)
            throws IOException, InterruptedException {
        return files.file(place, attributes, isNew, what);
    }

    @Override
    public Opened makeOpen(
            RemotePlace place,
            AttributeChanges attributes,
            boolean isNew,
            OpenFile.Mode mode,
            String what)
            throws IOException, InterruptedException {
        return files.makeOpen(place, attributes, isNew, mode, what);
    }

    @Override
    public boolean makesFilled() {
        return true;
    }

    @Override
    public Filled makeFilled(
            RemotePlace place, AttributeChanges attributes, MemorySegment data, String what)
            throws IOException, InterruptedException {
        return files.filled(place, attributes, data, what);
    }

    @Override
    public Created makeDirectory(RemotePlace place, AttributeChanges attributes, String what)
            throws IOException, InterruptedException {
        return creations.make(place, new NameArguments.NewFile.Directory(), attributes, what);
    }

    @Override
    public Created makeLink(RemotePlace place, PathName text, String what)
            throws IOException, InterruptedException {
        var link = new NameArguments.NewFile.SymbolicLink(text);
        return creations.make(place, link, AttributeChanges.NONE, what);
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
        var node = Creations.node(type, deviceMajor, deviceMinor);
        return creations.make(place, node, attributes, what);
    }

    @Override
    public void link(FileHandle file, RemotePlace place, String what)
            throws IOException, InterruptedException {
        calls.run(
                Plan.at(Nfs4Values.handle(file))
                        .save()
                        .file(Nfs4Values.handle(place.directory()))
                        .link(place.name()),
                what,
                results -> results.done(4));
    }

    @Override
    public void remove(RemotePlace place, String what) throws IOException, InterruptedException {
        removals.file(place, what);
    }

    @Override
    public void removeDirectory(RemotePlace place, String what)
            throws IOException, InterruptedException {
        removals.directory(place, what);
    }

    @Override
    public void rename(RemotePlace from, RemotePlace to, String what)
            throws IOException, InterruptedException {
        calls.run(FilePlans.renaming(from, to), what, results -> results.done(4));
        files.renamed(from, to);
    }

    @Override
    public void changeAndRename(
            FileHandle file,
            AttributeChanges changes,
            RemotePlace from,
            RemotePlace to,
            String changing,
            String what)
            throws IOException, InterruptedException {
        calls.run(
                FilePlans.changingAndRenaming(file, changes, from, to),
                what,
                results -> results.named(changing).done(2).named(what).done(4));
        files.renamed(from, to);
    }

    @Override
    public boolean share(OpenFile source, OpenFile target, String what)
            throws IOException, InterruptedException {
        return hasCopies() && copies.share((OpenAtServer) source, (OpenAtServer) target, what);
    }

    @Override
    public Optional<Written> copy(
            OpenFile source,
            OpenFile target,
            long offset,
            long count,
            String what,
            LongConsumer progress)
            throws IOException, InterruptedException {
        return hasCopies()
                ? copies.copy(
                        (OpenAtServer) source, (OpenAtServer) target, offset, count, what, progress)
                : Optional.empty();
    }

    @Override
    public OptionalLong seek(OpenFile file, long offset, boolean isData, String what)
            throws IOException, InterruptedException {
        return hasCopies()
                ? copies.seek((OpenAtServer) file, offset, isData, what)
                : OptionalLong.empty();
    }

    /** Returns whether the version has copies and holes (RFC 7862). */
    private boolean hasCopies() {
        return version == NfsVersion.VERSION_4_2;
    }

    @Override
    public AclLists acls(FileHandle file, int mask, int entries, String what)
            throws IOException, InterruptedException {
        return acls.read(file, mask, what);
    }

    @Override
    public void changeAcls(FileHandle file, AclLists lists, String what)
            throws IOException, InterruptedException {
        acls.change(file, lists, what);
    }

    @Override
    public AccessLists accessLists() {
        return acls;
    }

    @Override
    public FileXattrs xattrs() {
        return version == NfsVersion.VERSION_4_2
                ? new Nfs4Xattrs(calls, fileSystems)
                : FileXattrs.missing(version);
    }

    @Override
    public FilePipeline pipeline() {
        return new Nfs4FilePipeline(calls);
    }

    @Override
    public void close() {
        files.closeAll();
        calls.close();
    }
}
