package io.github.rpcrdma4j.nfs.client.service;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.BentXattrs;
import io.github.rpcrdma4j.nfs.client.NfsClient;
import io.github.rpcrdma4j.nfs.client.XattrDirectory;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.nfs.v4.operation.Result;
import io.github.rpcrdma4j.nfs.v4.operation.XattrArguments;
import io.github.rpcrdma4j.nfs.v4.operation.XattrResult;
import io.github.rpcrdma4j.oncrpc.Connector;
import io.github.rpcrdma4j.oncrpc.ProcessCredential;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/**
 * Goal: a client reads and changes the extended attributes of files, and what a server tells of
 * them is bounded. Method: over RDMA, with the project's server, some of whose replies are bent.
 */
@Timeout(120)
class FileXattrsTest {
    private static final FileName NAME = FileName.of("name");
    private static final int NAME_MAX = 250;
    private static final int VALUE_MAX = 64 << 10;
    private static final int INLINE = 1024;

    @TempDir(factory = XattrDirectory.class)
    private Path directory;

    private final List<XattrArguments> calls = Collections.synchronizedList(new ArrayList<>());
    private volatile BentXattrs.Bend bend = (_, result) -> result;
    private NfsServer nfs;
    private RpcRdmaServer server;
    private FileService service;
    private FileXattrs xattrs;
    private FileHandle file;

    @BeforeEach
    void serve() throws Exception {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
        nfs = new NfsServer(List.of(new Export("/data", directory, false)), new byte[32]);
        var programs = new ArrayList<>(nfs.programs());
        programs.addAll(nfs.version2Programs());
        server =
                RpcRdmaServer.builder()
                        .provider(new IwarpProvider())
                        .inlineThresholds(INLINE, INLINE)
                        .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .programs(
                                programs.stream()
                                        .map(each -> BentXattrs.of(each, this::heard))
                                        .toList())
                        .start();
    }

    private Result heard(XattrArguments call, Result result) {
        calls.add(call);
        return bend.of(call, result);
    }

    @AfterEach
    void stop() {
        service.close();
        server.close();
        nfs.close();
        assertEquals(0, server.leasedMemory());
    }

    private void connect(NfsVersion version) throws Exception {
        var caller = ProcessCredential.read();
        Connector connector =
                () ->
                        RpcRdmaClient.builder()
                                .provider(new IwarpProvider())
                                .inlineThresholds(INLINE, INLINE)
                                .credential(caller)
                                .binding(version.binding())
                                .connect(server.address());
        var options = ClientOptions.DEFAULT.withVersion(version).withCaller(caller);
        service = NfsClient.connect(connector, connector, options);
        xattrs = service.xattrs();
        var place = new RemotePlace(service.mount(PathName.of("/data")), "file");
        service.makeFile(place, AttributeChanges.ofMode(0640), false, "no");
        file = service.lookup(place, "no").handle();
    }

    private void connect() throws Exception {
        connect(NfsVersion.VERSION_4_2);
        assertTrue(xattrs.exist());
    }

    private static Status status(Executable call) {
        return assertThrows(NfsException.class, call).status();
    }

    private List<FileName> names() throws Exception {
        return xattrs.names(file, "cannot list");
    }

    private void set(FileName name, byte[] value) throws Exception {
        xattrs.set(file, name, value, XattrRule.EITHER, "cannot set");
    }

    private byte[] value(FileName name) throws Exception {
        return xattrs.value(file, name, "cannot read");
    }

    private UserDefinedFileAttributeView view() {
        return Files.getFileAttributeView(
                directory.resolve("file"), UserDefinedFileAttributeView.class);
    }

    @Test
    void namesAndValuesMayHaveAnyBytes() throws Exception {
        connect();
        assertTrue(xattrs.areKept(file, "no"));
        assertEquals(List.of(), names());
        var odd = new byte[NAME_MAX];
        for (int i = 0; i < odd.length; i++) {
            odd[i] = (byte) (i + 1);
        }
        var random = new Random(1);
        var longest = new byte[VALUE_MAX];
        random.nextBytes(longest);
        var values =
                java.util.Map.of(
                        NAME,
                        "value".getBytes(StandardCharsets.UTF_8),
                        new FileName(odd),
                        new byte[0],
                        FileName.of("a/b"),
                        longest,
                        FileName.of("user.user."),
                        new byte[] {0, -1});
        for (var each : values.entrySet()) {
            set(each.getKey(), each.getValue());
        }
        assertEquals(values.keySet(), Set.copyOf(names()));
        for (var each : values.entrySet()) {
            assertArrayEquals(each.getValue(), value(each.getKey()));
        }
        var view = view();
        assertTrue(view.list().containsAll(List.of("name", "a/b", "user.user.")));
        for (var name : values.keySet()) {
            xattrs.remove(file, name, "no");
        }
        assertEquals(List.of(), view.list());
        assertEquals(List.of(), names());
    }

    @Test
    void aDirectoryHasThemToo() throws Exception {
        connect();
        file = service.mount(PathName.of("/data"));
        set(NAME, new byte[] {1});
        assertEquals(List.of(NAME), names());
        assertArrayEquals(new byte[] {1}, value(NAME));
    }

    @Test
    void aRuleMayForbidAChange() throws Exception {
        connect();
        byte[] one = {1};
        byte[] two = {2};
        assertEquals(
                Status.NOXATTR, status(() -> xattrs.set(file, NAME, one, XattrRule.REPLACE, "no")));
        xattrs.set(file, NAME, one, XattrRule.CREATE, "no");
        assertEquals(
                Status.EXIST, status(() -> xattrs.set(file, NAME, two, XattrRule.CREATE, "no")));
        assertArrayEquals(one, value(NAME));
        xattrs.set(file, NAME, two, XattrRule.REPLACE, "no");
        assertArrayEquals(two, value(NAME));
    }

    @Test
    void failuresHaveWords() throws Exception {
        connect();
        assertEquals(Status.NOXATTR, status(() -> xattrs.remove(file, NAME, "no")));
        var missing = assertThrows(NfsException.class, () -> value(NAME));
        assertEquals("cannot read: no such extended attribute", missing.getMessage());
        var tooLong = assertThrows(NfsException.class, () -> set(NAME, new byte[VALUE_MAX + 1]));
        assertEquals(Status.XATTR2BIG, tooLong.status());
        assertEquals(
                "cannot set: the extended attribute is longer than the server takes",
                tooLong.getMessage());
        int sent = calls.size();
        assertEquals(Status.XATTR2BIG, status(() -> set(NAME, new byte[8 << 20])));
        assertEquals(sent, calls.size(), "no message holds that");
        assertEquals(
                Status.NAMETOOLONG,
                status(() -> set(FileName.of("x".repeat(NAME_MAX + 1)), new byte[1])));
        assertEquals(Status.INVAL, status(() -> set(FileName.of(""), new byte[1])));
        assertEquals(Status.INVAL, status(() -> set(FileName.of("a\0b"), new byte[1])));
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "VERSION_4_2")
    void otherVersionsRefuseBeforeAnythingIsSent(NfsVersion version) throws Exception {
        connect(version);
        assertFalse(xattrs.exist());
        assertFalse(xattrs.areKept(file, "no"));
        for (Executable each :
                List.<Executable>of(
                        this::names,
                        () -> value(NAME),
                        () -> set(NAME, new byte[1]),
                        () -> xattrs.remove(file, NAME, "cannot remove"))) {
            var refused = assertThrows(NfsException.class, each);
            assertEquals(Status.NOTSUPP, refused.status());
            assertEquals(
                    "version " + version.words() + " of NFS has no extended attributes",
                    refused.reason());
        }
        assertEquals(List.of(), calls);
    }

    private long listings() {
        return calls.stream().filter(XattrArguments.ListXattrs.class::isInstance).count();
    }

    /** The first page comes inline, and each page fits the room that there is for it. */
    @Test
    void aLongListComesInPages() throws Exception {
        connect();
        var all = new ArrayList<FileName>();
        for (int i = 0; i < 200; i++) {
            all.add(FileName.of("%03d".formatted(i).repeat(80)));
            view().write(all.getLast().toString(), ByteBuffer.allocate(0));
        }
        assertEquals(Set.copyOf(all), Set.copyOf(names()));
        assertEquals(2, listings());
    }

    /** A server that wants more room for the first page is asked again with more. */
    @Test
    void aPageThatIsTooSmallIsAskedForAgain() throws Exception {
        connect();
        set(NAME, new byte[0]);
        bend =
                (call, result) ->
                        call instanceof XattrArguments.ListXattrs list && list.countMax() < 1000
                                ? Result.failed(Opcode.LISTXATTRS, Nfs4Status.TOOSMALL)
                                : result;
        assertEquals(List.of(NAME), names());
        assertEquals(2, listings());
        bend = (_, _) -> Result.failed(Opcode.LISTXATTRS, Nfs4Status.TOOSMALL);
        assertEquals(Status.TOOSMALL, status(this::names));
    }

    /** A list that changes while it is read is begun again. */
    @Test
    void aListIsBegunAgainIfTheServerDoesNotKnowWhereItWas() throws Exception {
        connect();
        set(NAME, new byte[0]);
        bend =
                (call, result) -> {
                    if (!(call instanceof XattrArguments.ListXattrs list)) {
                        return result;
                    }
                    if (list.cookie() == 7) {
                        return Result.failed(Opcode.LISTXATTRS, Nfs4Status.BAD_COOKIE);
                    }
                    return listings() < 3
                            ? new XattrResult.ListXattrs(7, List.of(FileName.of("gone")), false)
                            : result;
                };
        assertEquals(List.of(NAME), names());
        bend =
                (call, _) ->
                        ((XattrArguments.ListXattrs) call).cookie() == 7
                                ? Result.failed(Opcode.LISTXATTRS, Nfs4Status.BAD_COOKIE)
                                : new XattrResult.ListXattrs(7, List.of(NAME), false);
        calls.clear();
        assertEquals(Status.BAD_COOKIE, status(this::names));
        assertEquals(6, listings());
    }

    private String lie(List<FileName> names, boolean isLast) {
        bend =
                (call, _) ->
                        ((XattrArguments.ListXattrs) call).countMax() < 1000 && names.size() > 1
                                ? new XattrResult.ListXattrs(1, List.of(NAME), false)
                                : new XattrResult.ListXattrs(calls.size(), names, isLast);
        calls.clear();
        return assertThrows(IOException.class, this::names).getMessage();
    }

    /** Goal: no server keeps a client busy, or brings it names that no file can have. */
    @Test
    void aListWithoutEndOrWithOddNamesIsRefused() throws Exception {
        connect();
        var start = "cannot list: the server's list of extended attributes ";
        assertEquals(start + "does not go on", lie(List.of(), false));
        assertEquals(1, calls.size());
        assertEquals(
                start + "is longer than 64 KiB",
                lie(Collections.nCopies(10, FileName.of("x".repeat(300))), false));
        assertTrue(calls.size() < 30, "calls: " + calls.size());
        assertEquals(
                start + "is longer than 64 KiB",
                lie(Collections.nCopies(8000, FileName.of("xyz")), true));
        assertEquals(2, calls.size());
        assertEquals(
                start + "has a name that none can have", lie(List.of(FileName.of("a\0b")), true));
        assertEquals(start + "has a name that none can have", lie(List.of(FileName.of("")), true));
    }

    @Test
    void aValueThatIsTooLongIsRefused() throws Exception {
        connect();
        set(NAME, new byte[10]);
        var value = MemorySegment.ofArray(new byte[VALUE_MAX + 8]);
        bend =
                (call, result) ->
                        call instanceof XattrArguments.GetXattr
                                ? new XattrResult.GetXattr(value)
                                : result;
        assertEquals(Status.XATTR2BIG, status(() -> value(NAME)));
        bend =
                (call, result) ->
                        call instanceof XattrArguments.GetXattr
                                ? Result.failed(Opcode.GETXATTR, Nfs4Status.REP_TOO_BIG)
                                : result;
        assertEquals(Status.XATTR2BIG, status(() -> value(NAME)));
        bend = (_, result) -> result;
        assertArrayEquals(new byte[10], value(NAME));
    }
}
