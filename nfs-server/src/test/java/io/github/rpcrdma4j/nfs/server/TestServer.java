package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.lock.NsmCall;
import io.github.rpcrdma4j.nfs.mount.Mount3;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.export.ExportRule;
import io.github.rpcrdma4j.nfs.server.served.BestStores;
import io.github.rpcrdma4j.nfs.server.served.StoreChooser;
import io.github.rpcrdma4j.nfs.server.users.KerberosUsers;
import io.github.rpcrdma4j.nfs.v3.DirectoryPage;
import io.github.rpcrdma4j.nfs.v3.FileAttributes;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.CreateMode;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.DirOpArgs;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply;
import io.github.rpcrdma4j.nfs.v3.Nfs3Results;
import io.github.rpcrdma4j.nfs.v3.SetAttributes;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.ClientAddress;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.PeerIdentity;
import io.github.rpcrdma4j.oncrpc.ReverseDirection;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import io.github.rpcrdma4j.oncrpc.rpcbind.RpcbindClient;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.oncrpc.spi.ReplyHeader;
import io.github.rpcrdma4j.oncrpc.spi.RpcDispatcher;
import io.github.rpcrdma4j.xdr.PayloadStream;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * A server and encoded calls to it, without a transport. Closing this checks that all memory was
 * returned.
 */
final class TestServer implements Results, AutoCloseable {
    static final String EXPORT = "/export";
    static final byte[] KEY = "a key that outlives the server".getBytes();

    final SegmentPool pool = new SegmentPool(1 << 22);
    final NfsServer nfs;
    private final RpcDispatcher dispatcher;
    private InetSocketAddress peer = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1023);
    private Optional<ReverseDirection> reverse = Optional.empty();
    private Optional<PeerIdentity> identity = Optional.empty();

    /** Every call has another xid, since the server replies to a retransmission from its cache. */
    private final AtomicInteger xids = new AtomicInteger(0x5eed);

    private TestServer(List<Export> exports, byte[] key, KerberosUsers identities)
            throws IOException {
        this(new NfsServer(exports, key, identities));
    }

    private TestServer(NfsServer nfs) {
        this.nfs = nfs;
        var programs = new ArrayList<>(nfs.programs());
        programs.addAll(nfs.version2Programs());
        programs.addAll(nfs.lockPrograms(true));
        dispatcher = new RpcDispatcher(programs, List.of(new TrustingAuthenticator()));
    }

    static TestServer of(TestDirectory testDirectory, Nfs4Options options) throws IOException {
        var exports = List.of(new Export(EXPORT, testDirectory.root(), false));
        return new TestServer(new NfsServer(exports, KEY, KerberosUsers.NONE, options));
    }

    static TestServer of(List<Export> exports, KerberosUsers identities) throws IOException {
        return new TestServer(exports, KEY, identities);
    }

    /** Serves exports from stores of the test. */
    static TestServer of(List<Export> exports, StoreChooser stores) throws IOException {
        return of(exports, stores, Nfs4Options.DEFAULT);
    }

    static TestServer of(List<Export> exports, StoreChooser stores, Nfs4Options options)
            throws IOException {
        return of(exports, stores, options, RpcbindClient.PORT);
    }

    /** Serves hosts whose rpcbinds listen at a port from stores of the test. */
    static TestServer of(
            List<Export> exports, StoreChooser stores, Nfs4Options options, int rpcbindPort)
            throws IOException {
        return new TestServer(
                new NfsServer(exports, KEY, KerberosUsers.NONE, options, stores, rpcbindPort));
    }

    /** Serves hosts whose rpcbinds listen at a port. */
    static TestServer of(TestDirectory testDirectory, Nfs4Options options, int rpcbindPort)
            throws IOException {
        var exports = List.of(new Export(EXPORT, testDirectory.root(), false));
        return new TestServer(
                new NfsServer(
                        exports, KEY, KerberosUsers.NONE, options, new BestStores(), rpcbindPort));
    }

    static TestServer of(List<Export> exports) throws IOException {
        return of(exports, KerberosUsers.NONE);
    }

    /** Serves a directory as {@link #EXPORT} by rules. */
    static TestServer of(
            TestDirectory testDirectory, List<ExportRule> rules, SecurityFlavor... flavors)
            throws IOException {
        return of(List.of(new Export(EXPORT, testDirectory.root(), rules, List.of(flavors))));
    }

    static TestServer of(TestDirectory testDirectory) throws IOException {
        return of(testDirectory, KEY);
    }

    static TestServer of(TestDirectory testDirectory, byte[] key) throws IOException {
        var export = new Export(EXPORT, testDirectory.root(), false);
        return new TestServer(List.of(export), key, KerberosUsers.NONE);
    }

    static TestServer readOnly(TestDirectory testDirectory) throws IOException {
        return of(List.of(new Export(EXPORT, testDirectory.root(), true)));
    }

    RpcDispatcher dispatcher() {
        return dispatcher;
    }

    @Override
    public void close() {
        nfs.close();
        assertEquals(0, pool.leased(), "memory is still leased");
    }

    /** Makes further calls come over a new connection that can call back. */
    void connect(ReverseDirection calls) {
        peer = new InetSocketAddress(peer.getAddress(), peer.getPort());
        reverse = Optional.of(calls);
    }

    /** Makes further calls come over connections that cannot call back. */
    void disconnect() {
        peer = new InetSocketAddress(peer.getAddress(), peer.getPort());
        reverse = Optional.empty();
    }

    /** Makes the next call have the XID of the last one, as a call that is sent again. */
    void repeatXid() {
        xids.decrementAndGet();
    }

    /** Makes further calls come from a user of this machine, from any address. */
    void be(PeerIdentity other) {
        identity = Optional.of(other);
    }

    /** Makes further calls come from this address. */
    void moveTo(String address) {
        moveTo(address, 1023);
    }

    /** Makes further calls come from this address and port. */
    void moveTo(String address, int port) {
        peer = new InetSocketAddress(InetAddress.ofLiteral(address), port);
    }

    /** Returns a reader at the start of the results of a call, in separate memory. */
    @Override
    public XdrReader results(
            int program,
            int version,
            int procedure,
            Credential caller,
            Consumer<XdrWriter> arguments)
            throws XdrException, InterruptedException {
        int xid = xids.getAndIncrement();
        var reply = reply(xid, program, version, procedure, caller, arguments);
        assertEquals(new ReplyHeader.Success(xid), ReplyHeader.decode(reply));
        return reply;
    }

    /** Each address is that of another machine, unless it is of a user of this one. */
    private PeerIdentity identity(InetSocketAddress from) {
        return identity.orElseGet(
                () ->
                        new PeerIdentity(
                                ClientAddress.of(from), new PeerIdentity.Process.Elsewhere()));
    }

    /** Returns a reader at the start of the reply to a call, in separate memory. */
    XdrReader reply(
            int xid,
            int program,
            int version,
            int procedure,
            Credential caller,
            Consumer<XdrWriter> arguments)
            throws XdrException, InterruptedException {
        try (var call = new XdrWriter(pool);
                var reply = new XdrWriter(pool)) {
            CallHeader.encode(
                    call, xid, program, version, procedure, TrustingAuthenticator.wire(caller));
            arguments.accept(call);
            var in = new XdrReader(whole(call));
            var header = CallHeader.decode(in);
            var calls = dispatcher.of(identity(peer));
            assertTrue(calls.dispatch(header, in, peer, pool, reverse, reply));
            return new XdrReader(whole(reply));
        }
    }

    /**
     * The reply to a call.
     *
     * @param results a reader behind the header, in separate memory
     */
    record Answer(ReplyHeader header, XdrReader results) {}

    /** Returns the reply to a call with any bytes as arguments. */
    Answer answer(int program, int version, int procedure, Credential caller, byte[] arguments)
            throws XdrException, InterruptedException {
        int xid = xids.getAndIncrement();
        var reply =
                reply(xid, program, version, procedure, caller, out -> out.fixedOpaque(arguments));
        return new Answer(ReplyHeader.decode(reply), reply);
    }

    /** Sends a notice of a restart in a datagram, from any address. */
    AcceptStatus datagram(InetSocketAddress from, NsmCall.Notify notice)
            throws XdrException, InterruptedException {
        try (var call = new XdrWriter(pool);
                var reply = new XdrWriter(pool)) {
            notice.encode(call);
            var request =
                    new RpcRequest(
                            1,
                            NsmCall.Procedure.NOTIFY.number(),
                            new Credential.None(),
                            new XdrReader(call.reducedStream()),
                            from,
                            identity(from),
                            pool,
                            Optional.empty());
            return nfs.statusMonitor().call(request, reply);
        }
    }

    /** Returns whether a call is denied because of its flavor. */
    boolean isTooWeak(Credential caller, Nfs3Call<?, ?> call)
            throws XdrException, InterruptedException {
        int procedure = call.procedure().number();
        return isTooWeak(caller, Nfs3.PROGRAM, Nfs3.VERSION, procedure, call::encode);
    }

    /** Returns whether a call is denied with AUTH_TOOWEAK. */
    boolean isTooWeak(
            Credential caller,
            int program,
            int version,
            int procedure,
            Consumer<XdrWriter> arguments)
            throws XdrException, InterruptedException {
        int xid = xids.getAndIncrement();
        var reply = reply(xid, program, version, procedure, caller, arguments);
        return ReplyHeader.decode(reply)
                .equals(new ReplyHeader.AuthError(xid, ReplyHeader.AUTH_TOOWEAK));
    }

    private static MemorySegment whole(XdrWriter message) {
        var pieces = PayloadStream.of(message);
        var whole = Arena.ofAuto().allocate(pieces.length());
        pieces.copyTo(whole);
        return whole;
    }

    <A, T> Nfs3Reply<A, T> call(Credential caller, Nfs3Call<A, T> call)
            throws XdrException, InterruptedException {
        var results =
                results(
                        Nfs3.PROGRAM,
                        Nfs3.VERSION,
                        call.procedure().number(),
                        caller,
                        call::encode);
        return call.replyFormat().decode(results);
    }

    <A, T> Nfs3Reply<A, T> call(Nfs3Call<A, T> call) throws XdrException, InterruptedException {
        return call(new Credential.Sys(0, "test", 0, 0, List.of()), call);
    }

    /** Returns the reply of a call that must succeed. */
    <A, T> Nfs3Reply.Ok<A, T> done(Nfs3Call<A, T> call) throws XdrException, InterruptedException {
        return switch (call(call)) {
            case Nfs3Reply.Ok<A, T> ok -> ok;
            case Nfs3Reply.Failed<A, T>(var status, _) ->
                    throw new AssertionError(call + ": " + status);
        };
    }

    <A, T> T ok(Nfs3Call<A, T> call) throws XdrException, InterruptedException {
        return done(call).value();
    }

    /** Returns the status of a call. */
    <A, T> Status status(Nfs3Call<A, T> call) throws XdrException, InterruptedException {
        return status(call(call));
    }

    <A, T> Status status(Credential caller, Nfs3Call<A, T> call)
            throws XdrException, InterruptedException {
        return status(call(caller, call));
    }

    private static <A, T> Status status(Nfs3Reply<A, T> reply) {
        return switch (reply) {
            case Nfs3Reply.Ok<A, T> _ -> Status.OK;
            case Nfs3Reply.Failed<A, T>(var status, _) -> status;
        };
    }

    /** Mounts as root. */
    Mount3.MountResult mount(String path) throws XdrException, InterruptedException {
        return mount(new Credential.Sys(0, "test", 0, 0, List.of()), path);
    }

    Mount3.MountResult mount(Credential caller, String path)
            throws XdrException, InterruptedException {
        return Mount3.MountResult.decode(
                results(
                        Mount3.PROGRAM,
                        Mount3.VERSION,
                        Mount3.Procedure.MNT.number(),
                        caller,
                        out -> out.string(path)));
    }

    /** Returns the root of the export. */
    FileHandle root() throws XdrException, InterruptedException {
        return root(EXPORT);
    }

    FileHandle root(String path) throws XdrException, InterruptedException {
        return switch (mount(path)) {
            case Mount3.MountResult.Ok(var handle, _) -> new FileHandle(handle);
            case Mount3.MountResult.Failed(var status) ->
                    throw new AssertionError(path + ": " + status);
        };
    }

    FileAttributes attributes(FileHandle file) throws XdrException, InterruptedException {
        return ok(new Nfs3Call.GetAttributes(file));
    }

    FileHandle lookup(FileHandle directory, String name) throws XdrException, InterruptedException {
        return ok(new Nfs3Call.Lookup(new DirOpArgs(directory, name))).handle();
    }

    FileHandle create(FileHandle directory, String name) throws XdrException, InterruptedException {
        var mode = new CreateMode.Guarded(SetAttributes.ofMode(0644));
        return ok(new Nfs3Call.Create(new DirOpArgs(directory, name), mode)).handle().orElseThrow();
    }

    FileHandle makeDirectory(FileHandle directory, String name)
            throws XdrException, InterruptedException {
        var call =
                new Nfs3Call.MakeDirectory(
                        new DirOpArgs(directory, name), SetAttributes.ofMode(0755));
        return ok(call).handle().orElseThrow();
    }

    FileHandle link(FileHandle directory, String name, String text)
            throws XdrException, InterruptedException {
        var call =
                new Nfs3Call.MakeSymbolicLink(
                        new DirOpArgs(directory, name), SetAttributes.NONE, PathName.of(text));
        return ok(call).handle().orElseThrow();
    }

    Nfs3Results.Written write(FileHandle file, long offset, String text)
            throws XdrException, InterruptedException {
        return ok(write(file, offset, Stability.UNSTABLE, text));
    }

    static Nfs3Call.Write write(FileHandle file, long offset, Stability stability, String text) {
        var data = MemorySegment.ofArray(text.getBytes());
        return new Nfs3Call.Write(file, offset, stability, data);
    }

    String read(FileHandle file, long offset, int count) throws XdrException, InterruptedException {
        return text(ok(new Nfs3Call.Read(file, offset, count)));
    }

    static String text(Nfs3Results.ReadData read) {
        return new String(read.data().toArray(ValueLayout.JAVA_BYTE));
    }

    /** Returns all entries of a directory; {@code between} runs after each page but the last. */
    List<DirectoryPage.Entry> list(FileHandle directory, int count, Runnable between)
            throws XdrException, InterruptedException {
        var all = new ArrayList<DirectoryPage.Entry>();
        long cookie = 0;
        long verifier = 0;
        while (true) {
            var page =
                    ok(new Nfs3Call.ReadDirectoryPlus(directory, cookie, verifier, count, count));
            all.addAll(page.entries());
            if (page.endOfList()) {
                return all;
            }
            between.run();
            cookie = all.getLast().cookie();
            verifier = page.verifier();
        }
    }

    List<String> names(FileHandle directory) throws XdrException, InterruptedException {
        return list(directory, 8192, () -> {}).stream()
                .map(entry -> entry.name().toString())
                .sorted()
                .toList();
    }
}
