package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.acl.AclLists;
import io.github.rpcrdma4j.nfs.client.service.AccessRight;
import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.DirectoryPage;
import io.github.rpcrdma4j.nfs.client.service.Export;
import io.github.rpcrdma4j.nfs.client.service.FileAttributes;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.FilePipeline;
import io.github.rpcrdma4j.nfs.client.service.FileService;
import io.github.rpcrdma4j.nfs.client.service.FileService.Created;
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
import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.attribute.ReadAttributes;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeResult;
import io.github.rpcrdma4j.nfs.v4.operation.DataResult;
import io.github.rpcrdma4j.nfs.v4.operation.HandleResult;
import io.github.rpcrdma4j.nfs.v4.operation.NameArguments;
import io.github.rpcrdma4j.nfs.v4.operation.NameResult;
import io.github.rpcrdma4j.nfs.v4.operation.OpenClaim;
import io.github.rpcrdma4j.nfs.v4.operation.OpenCreation;
import io.github.rpcrdma4j.nfs.v4.operation.StateResult;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.xdr.XdrException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The files of a server by NFS version 4.1 or 4.2. Thread-safe.
 *
 * <p>Tests: {@code FileServiceTest}.
 */
public final class Nfs4Service implements FileService {
    /** The longest page of a directory, in bytes. */
    private static final int PAGE_BYTES = 64 << 10;

    /** The longest text of a link that is read, in bytes. */
    private static final int LINK_MAX = 4096;

    private static final AttributeSet LISTED =
            Nfs4Values.STATUS.with(Attribute.FILEHANDLE).with(Attribute.RDATTR_ERROR);
    private static final AttributeSet NAMES = AttributeSet.of(Attribute.RDATTR_ERROR);

    private final NfsVersion version;
    private final Credential caller;
    private final Nfs4Session session;
    private final OpenFiles opens;
    private final FileSystemQuestions fileSystems;

    private Nfs4Service(
            NfsVersion version, Credential caller, OpenFiles opens, Nfs4Session session) {
        this.version = version;
        this.caller = caller;
        this.session = session;
        this.opens = opens;
        this.fileSystems = new FileSystemQuestions(session);
    }

    /**
     * Connects to a server, and makes a session.
     *
     * @param nfs connects to the NFS service
     * @throws IOException if the server cannot be reached, or refuses
     */
    public static Nfs4Service connect(Connector nfs, ClientOptions options)
            throws IOException, InterruptedException {
        var opens = new OpenFiles();
        var session =
                Nfs4Session.open(
                        nfs, ClientName.random(), opens, options.version().minorNumber(), options);
        return new Nfs4Service(options.version(), options.caller(), opens, session);
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
        session.client().ping(NfsVersion.PROGRAM, version.number(), session.timeout());
    }

    /** Returns the root alone: in version 4 all exports lie below it (RFC 8881, Section 7). */
    @Override
    public List<Export> exports() {
        return List.of(new Export(PathName.of("/"), List.of()));
    }

    @Override
    public List<PathName> exports(PathName path) throws IOException, InterruptedException {
        return fileSystems.on(path);
    }

    @Override
    public FileHandle mount(PathName path) throws IOException, InterruptedException {
        var plan = Plan.atRoot();
        for (var name : path.names()) {
            plan = plan.lookup(name);
        }
        int before = plan.operations().size();
        return session.run(
                plan.handle(),
                "cannot mount " + path.escaped(),
                results ->
                        Nfs4Values.handle(
                                results.done(before).next(HandleResult.GetFh.class).handle()));
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

    private static FileAttributes status(Results results) throws IOException {
        var encoded = results.next(AttributeResult.GetAttr.class).attributes();
        return Results.decoded(() -> Nfs4Values.attributes(encoded));
    }

    @Override
    public FileAttributes attributes(FileHandle file, String what)
            throws IOException, InterruptedException {
        return session.run(
                FilePlans.status(Plan.at(Nfs4Values.handle(file))),
                what,
                results -> status(results.done(1)));
    }

    @Override
    public void change(FileHandle file, AttributeChanges changes, String what)
            throws IOException, InterruptedException {
        session.run(FilePlans.changing(file, changes), what, results -> results.done(2));
    }

    @Override
    public Set<AccessRight> access(FileHandle file, Set<AccessRight> wanted, String what)
            throws IOException, InterruptedException {
        int asked = 0;
        for (var right : wanted) {
            asked |= 1 << right.ordinal();
        }
        int granted =
                session.run(
                        Plan.at(Nfs4Values.handle(file)).access(asked),
                        what,
                        results -> results.done(1).next(AttributeResult.Access.class).granted());
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
        return session.run(
                FilePlans.status(FilePlans.directory(place).lookup(place.name()).handle()),
                what,
                results -> file(results.done(2)));
    }

    private static RemoteFile file(Results results) throws IOException {
        var handle = results.next(HandleResult.GetFh.class).handle();
        return new RemoteFile(Nfs4Values.handle(handle), status(results));
    }

    /** Returns a length of data, or the most that the session lets a reply have. */
    private int most(int bytes) {
        return Math.min(bytes, session.messageMax() - Compounds.BESIDE_DATA);
    }

    @Override
    public DirectoryPage list(
            FileHandle directory, long cookie, long verifier, boolean withFiles, String what)
            throws IOException, InterruptedException {
        return session.run(
                Plan.at(Nfs4Values.handle(directory))
                        .list(cookie, verifier, most(PAGE_BYTES), withFiles ? LISTED : NAMES),
                what,
                results -> {
                    var page = results.done(1).next(NameResult.ReadDir.class);
                    var entries = new ArrayList<DirectoryPage.Entry>();
                    for (var each : page.entries()) {
                        entries.add(
                                new DirectoryPage.Entry(
                                        each.name(),
                                        each.cookie(),
                                        Results.decoded(() -> file(each))));
                    }
                    return new DirectoryPage(page.verifier(), entries, page.isLast());
                });
    }

    /** Returns the file of an entry; empty if the server could not tell all of it. */
    private static Optional<RemoteFile> file(NameResult.ReadDir.Entry entry) throws XdrException {
        var read = ReadAttributes.decode(entry.attributes());
        return read.present().has(Attribute.FILEHANDLE) && read.present().has(Attribute.TYPE)
                ? Optional.of(
                        new RemoteFile(
                                new FileHandle(read.bytes(Attribute.FILEHANDLE)),
                                Nfs4Values.attributes(read)))
                : Optional.empty();
    }

    @Override
    public PathName readLink(FileHandle link, String what)
            throws IOException, InterruptedException {
        try (var arena = Arena.ofShared()) {
            return session.run(
                    Plan.at(Nfs4Values.handle(link)).link(arena.allocate(most(LINK_MAX))),
                    what,
                    results ->
                            new PathName(results.done(1).next(NameResult.ReadLink.class).text()));
        }
    }

    @Override
    public OpenFile open(FileHandle file, OpenFile.Mode mode, String what)
            throws IOException, InterruptedException {
        return opens.open(session, file, mode, what);
    }

    static Written written(Results results) throws IOException {
        var written = results.done(1).next(DataResult.Write.class);
        return new Written(
                Integer.toUnsignedLong(written.count()), written.committed(), written.verifier());
    }

    @Override
    public long read(OpenFile file, long offset, MemorySegment target, String what)
            throws IOException, InterruptedException {
        return session.run(
                FilePlans.reading(file, offset, target, what),
                what,
                results -> {
                    var read = results.done(1).next(DataResult.Read.class);
                    long count = read.data().byteSize();
                    if (count > target.byteSize()) {
                        throw new IOException(what + ": the server sent too much");
                    }
                    if (count == 0 && !read.isEndOfFile()) {
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
        return session.run(
                FilePlans.writing(file, offset, stability, data, what), what, Nfs4Service::written);
    }

    @Override
    public long commit(OpenFile file, long offset, int count, String what)
            throws IOException, InterruptedException {
        return session.run(
                Plan.at(Nfs4Values.handle(file.handle())).commit(offset, count),
                what,
                results -> results.done(1).next(DataResult.Commit.class).verifier());
    }

    @Override
    public boolean lock(
            OpenFile file, LockRange range, boolean isExclusive, Duration wait, String what)
            throws IOException, InterruptedException {
        return ((OpenAtServer) file).lock(range, isExclusive, wait, what);
    }

    @Override
    public void unlock(OpenFile file, LockRange range, String what)
            throws IOException, InterruptedException {
        ((OpenAtServer) file).unlock(range, what);
    }

    @Override
    public Created makeFile(
            RemotePlace place, AttributeChanges attributes, boolean isNew, String what)
            throws IOException, InterruptedException {
        var encoded = Nfs4Values.changes(attributes);
        var arguments =
                opens.arguments(
                        OpenFile.Mode.WRITE,
                        isNew
                                ? new OpenCreation.Guarded(encoded)
                                : new OpenCreation.Unchecked(encoded),
                        new OpenClaim.Name(place.name()));
        return session.run(
                FilePlans.status(FilePlans.directory(place).open(arguments).handle())
                        .close(StateId.CURRENT),
                what,
                results -> {
                    results.done(1).next(StateResult.Open.class);
                    return created(results);
                });
    }

    private static Created created(Results results) throws IOException {
        var made = file(results);
        return new Created(Optional.of(made.handle()), Optional.of(made.attributes()));
    }

    @Override
    public Created makeDirectory(RemotePlace place, AttributeChanges attributes, String what)
            throws IOException, InterruptedException {
        return make(place, new NameArguments.NewFile.Directory(), attributes, what);
    }

    @Override
    public Created makeLink(RemotePlace place, PathName text, String what)
            throws IOException, InterruptedException {
        return make(
                place, new NameArguments.NewFile.SymbolicLink(text), AttributeChanges.NONE, what);
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
        var file =
                switch (type) {
                    case BLOCK_DEVICE -> new NameArguments.NewFile.BlockDevice(device);
                    case CHARACTER_DEVICE -> new NameArguments.NewFile.CharacterDevice(device);
                    case SOCKET -> new NameArguments.NewFile.Socket();
                    case FIFO -> new NameArguments.NewFile.Fifo();
                    case REGULAR, DIRECTORY, SYMBOLIC_LINK ->
                            throw new IllegalArgumentException("no node: " + type);
                };
        return make(place, file, attributes, what);
    }

    private Created make(
            RemotePlace place, NameArguments.NewFile file, AttributeChanges attributes, String what)
            throws IOException, InterruptedException {
        var create = new NameArguments.Create(file, place.name(), Nfs4Values.changes(attributes));
        return session.run(
                FilePlans.status(FilePlans.directory(place).create(create).handle()),
                what,
                results -> {
                    results.done(1).next(NameResult.Create.class);
                    return created(results);
                });
    }

    @Override
    public void link(FileHandle file, RemotePlace place, String what)
            throws IOException, InterruptedException {
        session.run(
                Plan.at(Nfs4Values.handle(file))
                        .save()
                        .file(Nfs4Values.handle(place.directory()))
                        .link(place.name()),
                what,
                results -> results.done(4));
    }

    @Override
    public void remove(RemotePlace place, String what) throws IOException, InterruptedException {
        try {
            // REMOVE takes directories, too.
            session.run(
                    FilePlans.removing(
                            FilePlans.directory(place)
                                    .lookup(place.name())
                                    .requireOther(Nfs4Values.directory()),
                            place),
                    what,
                    results -> results.done(5));
        } catch (NfsException refused) {
            throw refused.status() == Status.SAME ? new NfsException(what, Status.ISDIR) : refused;
        }
    }

    @Override
    public void removeDirectory(RemotePlace place, String what)
            throws IOException, InterruptedException {
        try {
            session.run(
                    FilePlans.removing(
                            FilePlans.directory(place)
                                    .lookup(place.name())
                                    .require(Nfs4Values.directory()),
                            place),
                    what,
                    results -> results.done(5));
        } catch (NfsException refused) {
            throw refused.status() == Status.NOT_SAME
                    ? new NfsException(what, Status.NOTDIR)
                    : refused;
        }
    }

    @Override
    public void rename(RemotePlace from, RemotePlace to, String what)
            throws IOException, InterruptedException {
        session.run(FilePlans.renaming(from, to), what, results -> results.done(4));
    }

    @Override
    public AclLists acls(FileHandle file, int mask, int entries, String what) throws RpcException {
        throw noLists();
    }

    @Override
    public void changeAcls(FileHandle file, AclLists lists, String what) throws RpcException {
        throw noLists();
    }

    private static RpcException noLists() {
        return new RpcException.Refused(
                "version 4 has no lists of POSIX drafts", AcceptStatus.PROG_UNAVAIL);
    }

    @Override
    public FilePipeline pipeline() {
        return new Nfs4FilePipeline(session);
    }

    @Override
    public void close() {
        opens.closeAll();
        session.close();
    }
}
