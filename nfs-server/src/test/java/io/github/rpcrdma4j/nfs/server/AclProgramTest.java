package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.nfs.acl.Acl3Call;
import io.github.rpcrdma4j.nfs.acl.AclLists;
import io.github.rpcrdma4j.nfs.acl.AclLists.Item;
import io.github.rpcrdma4j.nfs.acl.AclLists.Listed;
import io.github.rpcrdma4j.nfs.acl.NfsAcl;
import io.github.rpcrdma4j.nfs.acl.PosixAcl;
import io.github.rpcrdma4j.nfs.acl.PosixAcl.Entry;
import io.github.rpcrdma4j.nfs.acl.PosixAcl.Tag;
import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.server.export.Clients;
import io.github.rpcrdma4j.nfs.server.export.ExportRule;
import io.github.rpcrdma4j.nfs.v3.FileAttributes;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply;
import io.github.rpcrdma4j.nfs.v3.SetAttributes;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import io.github.rpcrdma4j.oncrpc.spi.ReplyHeader;
import io.github.rpcrdma4j.xdr.PayloadStream;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Goal: NFSACL reads and replaces the lists of files by the rules of NFS. */
@ParameterizedClass
@MethodSource("io.github.rpcrdma4j.nfs.directories.TestDirectory#kinds")
class AclProgramTest {
    private static final Credential ROOT = sys(0, 0);
    private static final Credential OTHER = sys(1003, 2003);
    private static final int BOTH = AclLists.ACCESS | AclLists.DEFAULTS;
    private static final String SQUASHED = "192.0.2.1";
    private static final String READER = "198.51.100.1";
    private static final String STRANGER = "203.0.113.1";

    private static final PosixAcl ACL =
            new PosixAcl(
                    List.of(
                            new Entry(Tag.USER_OBJ, 7),
                            new Entry(Tag.USER, 4242, 5),
                            new Entry(Tag.GROUP_OBJ, 4),
                            new Entry(Tag.GROUP, 4243, 2),
                            new Entry(Tag.MASK, 6),
                            new Entry(Tag.OTHER, 1)));
    private static final PosixAcl DEFAULTS =
            new PosixAcl(
                    List.of(
                            new Entry(Tag.USER_OBJ, 7),
                            new Entry(Tag.GROUP_OBJ, 5),
                            new Entry(Tag.GROUP, 99, 7),
                            new Entry(Tag.MASK, 7),
                            new Entry(Tag.OTHER, 0)));

    @Parameter TestDirectory.Kind kind;
    private TestDirectory testDirectory;
    private TestServer server;
    private FileHandle root;

    private static Credential sys(int uid, int gid) {
        return new Credential.Sys(0, "host", uid, gid, List.of());
    }

    @BeforeEach
    void serve() throws Exception {
        testDirectory = TestDirectory.of(kind);
        var rules =
                List.of(
                        ExportRule.of(Clients.parse(SQUASHED)),
                        ExportRule.of(Clients.parse(READER))
                                .withReadOnly(true)
                                .withSquash(ExportRule.Squash.NONE),
                        ExportRule.of(Clients.parse("127.0.0.0/8"))
                                .withSquash(ExportRule.Squash.NONE));
        server = TestServer.of(testDirectory, rules, SecurityFlavor.SYS);
        root = server.root();
    }

    @AfterEach
    void stop() throws Exception {
        if (testDirectory != null) {
            server.close();
            testDirectory.close();
        }
    }

    private <T> Nfs3Reply<Optional<FileAttributes>, T> call(Credential caller, Acl3Call<T> call)
            throws Exception {
        return call.decodeReply(
                server.results(
                        NfsAcl.PROGRAM,
                        Acl3Call.VERSION,
                        call.procedure().number(),
                        caller,
                        call::encode));
    }

    private <T> Status status(Credential caller, Acl3Call<T> call) throws Exception {
        return switch (call(caller, call)) {
            case Nfs3Reply.Ok<Optional<FileAttributes>, T> _ -> Status.OK;
            case Nfs3Reply.Failed<Optional<FileAttributes>, T>(var status, _) -> status;
        };
    }

    private AclLists lists(FileHandle file, int mask) throws Exception {
        var reply = call(ROOT, new Acl3Call.GetAcl(file, mask));
        if (!(reply
                instanceof
                Nfs3Reply.Ok<Optional<FileAttributes>, AclLists>(var attributes, var value))) {
            throw new AssertionError(reply);
        }
        assertEquals(server.attributes(file).mode(), attributes.orElseThrow().mode());
        assertEquals(mask, value.mask());
        return value;
    }

    private static Acl3Call.SetAcl set(FileHandle file, int mask, Listed access, Listed defaults) {
        return new Acl3Call.SetAcl(file, new AclLists(mask, access, defaults));
    }

    private static Listed listed(PosixAcl acl) {
        return Listed.of(acl, 0, 0);
    }

    private boolean keepsLists(FileHandle file) throws Exception {
        return status(ROOT, set(file, AclLists.ACCESS, listed(ACL), Listed.NONE)) == Status.OK;
    }

    @Test
    void theListOfAFileWithoutOneIsItsMode() throws Exception {
        for (var file : List.of(server.create(root, "file"), root)) {
            var lists = lists(file, AclLists.ALL);
            int mode = server.attributes(file).mode();
            assertEquals(Optional.of(PosixAcl.ofMode(mode)), lists.access().acl());
            assertEquals(4, lists.access().count(), "with a mask, as from Linux");
            assertEquals(Listed.NONE, lists.defaults());
        }
    }

    @Test
    void listsAreReplacedAndTheModeFollows() throws Exception {
        var directory = server.makeDirectory(root, "directory");
        assumeTrue(keepsLists(directory), "there are no lists here");
        var done = call(ROOT, set(directory, BOTH, listed(ACL), listed(DEFAULTS)));
        assertEquals(
                0761,
                assertOk(done).attributes().orElseThrow().mode() & 0777,
                "the digit of the group is the mask");
        var lists = lists(directory, AclLists.ALL);
        assertEquals(Optional.of(ACL), lists.access().acl());
        assertEquals(Optional.of(DEFAULTS), lists.defaults().acl());
        assertEquals(
                new AclLists(10, new Listed(6, List.of()), new Listed(5, List.of())),
                lists(directory, AclLists.ACCESS_COUNT | AclLists.DEFAULTS_COUNT));
        assertEquals(Listed.NONE, lists(directory, AclLists.DEFAULTS).access());
        // Files in the directory inherit.
        var inner = lists(server.create(directory, "file"), BOTH);
        assertTrue(
                inner.access().acl().orElseThrow().entries().stream().anyMatch(e -> e.id() == 99));
        assertEquals(Listed.NONE, inner.defaults());
    }

    private static <T> Nfs3Reply.Ok<Optional<FileAttributes>, T> assertOk(
            Nfs3Reply<Optional<FileAttributes>, T> reply) {
        return switch (reply) {
            case Nfs3Reply.Ok<Optional<FileAttributes>, T> ok -> ok;
            case Nfs3Reply.Failed<Optional<FileAttributes>, T> failed ->
                    throw new AssertionError(failed);
        };
    }

    @Test
    void aListThatTheMaskDoesNotNameStays() throws Exception {
        var directory = server.makeDirectory(root, "directory");
        assumeTrue(keepsLists(directory), "there are no lists here");
        assertOk(call(ROOT, set(directory, AclLists.DEFAULTS, Listed.NONE, listed(DEFAULTS))));
        assertEquals(Optional.of(ACL), lists(directory, BOTH).access().acl());
        var ofMode = listed(PosixAcl.ofMode(0750));
        assertOk(call(ROOT, set(directory, AclLists.ACCESS, ofMode, Listed.NONE)));
        var lists = lists(directory, BOTH);
        assertEquals(Optional.of(PosixAcl.ofMode(0750)), lists.access().acl());
        assertEquals(Optional.of(DEFAULTS), lists.defaults().acl());
    }

    @Test
    void listsWithoutEntriesAreRemovedAndTheModeRemains() throws Exception {
        var directory = server.makeDirectory(root, "directory");
        assumeTrue(keepsLists(directory), "there are no lists here");
        assertOk(call(ROOT, set(directory, BOTH, listed(ACL), listed(DEFAULTS))));
        assertOk(call(ROOT, set(directory, BOTH, Listed.NONE, Listed.NONE)));
        var lists = lists(directory, BOTH);
        assertEquals(Optional.of(PosixAcl.ofMode(0761)), lists.access().acl());
        assertEquals(Listed.NONE, lists.defaults());
    }

    /** Goal: a file system without lists takes one that says no more than a mode. */
    @Test
    void whereThereAreNoListsAModeIsSet() throws Exception {
        var file = server.create(root, "file");
        assumeTrue(!keepsLists(file), "lists are kept here");
        var more = set(file, AclLists.ACCESS, listed(ACL), Listed.NONE);
        assertEquals(Status.NOTSUPP, status(ROOT, more));
        var defaults = set(root, BOTH, listed(PosixAcl.ofMode(0755)), listed(DEFAULTS));
        assertEquals(Status.NOTSUPP, status(ROOT, defaults));
        var mode = set(file, BOTH, listed(PosixAcl.ofMode(0640)), Listed.NONE);
        assertEquals(server.status(change(file, SetAttributes.ofMode(0640))), status(ROOT, mode));
        if (kind == TestDirectory.Kind.POSIX) {
            assertOk(call(ROOT, mode));
            assertEquals(0640, server.attributes(file).mode() & 07777);
        }
    }

    private static Nfs3Call.ChangeAttributes change(FileHandle file, SetAttributes changes) {
        return new Nfs3Call.ChangeAttributes(file, changes, Optional.empty());
    }

    @Test
    void setIdBitsStay() throws Exception {
        assumeTrue(kind == TestDirectory.Kind.LOCAL, "other file systems may have no such bits");
        var file = server.create(root, "file");
        server.ok(change(file, SetAttributes.ofMode(04755)));
        var ofMode = listed(PosixAcl.ofMode(0711));
        assertOk(call(ROOT, set(file, AclLists.ACCESS, ofMode, Listed.NONE)));
        assertEquals(04711, server.attributes(file).mode() & 07777);
    }

    @Test
    void wrongListsAreInvalid() throws Exception {
        var file = server.create(root, "file");
        int before = server.attributes(file).mode();
        var good = listed(PosixAcl.ofMode(0640));
        var twice = new ArrayList<>(good.items());
        twice.add(new Item(Tag.OTHER, 0, 7));
        var partial = new Listed(1, List.of(new Item(Tag.USER_OBJ, 0, 7)));
        for (var wrong :
                List.of(
                        set(file, 0x11, good, Listed.NONE),
                        set(file, 0, good, Listed.NONE),
                        set(file, AclLists.ACCESS_COUNT, good.counted(), Listed.NONE),
                        set(file, AclLists.ACCESS, good.counted(), Listed.NONE),
                        set(file, AclLists.ACCESS, new Listed(5, twice), Listed.NONE),
                        set(file, AclLists.ACCESS, partial, Listed.NONE),
                        set(root, BOTH, good, partial))) {
            assertEquals(Status.INVAL, status(ROOT, wrong), wrong::toString);
        }
        assertEquals(Status.INVAL, status(ROOT, new Acl3Call.GetAcl(file, 0x10)));
        var onFile = status(ROOT, set(file, BOTH, listed(ACL), listed(DEFAULTS)));
        assertTrue(onFile == Status.INVAL || onFile == Status.NOTSUPP, onFile::toString);
        assertEquals(before, server.attributes(file).mode(), "nothing was changed");
    }

    @Test
    void onlyTheOwnerReplacesListsAndAllReadThem() throws Exception {
        assumeTrue(kind == TestDirectory.Kind.LOCAL && LocalCalls.user() == 0, "as root");
        var file = server.create(root, "file");
        server.ok(change(root, SetAttributes.ofMode(0777)));
        server.ok(change(file, SetAttributes.ofMode(0666)));
        var change = set(file, AclLists.ACCESS, listed(PosixAcl.ofMode(0777)), Listed.NONE);
        assertEquals(Status.PERM, status(OTHER, change));
        assertEquals(Status.OK, status(OTHER, new Acl3Call.GetAcl(file, BOTH)));
        server.moveTo(SQUASHED);
        assertEquals(Status.PERM, status(ROOT, change), "root of that host is squashed");
        server.moveTo(READER);
        assertEquals(Status.ROFS, status(ROOT, change));
        assertEquals(Status.OK, status(ROOT, new Acl3Call.GetAcl(file, BOTH)));
        server.moveTo(STRANGER);
        assertEquals(Status.ACCES, status(ROOT, change));
        assertEquals(Status.ACCES, status(ROOT, new Acl3Call.GetAcl(file, BOTH)));
        server.moveTo("127.0.0.1");
        assertEquals(0666, server.attributes(file).mode() & 0777, "nothing was changed");
    }

    @Test
    void foreignHandlesAndOtherFlavorsAreRefused() throws Exception {
        var foreign = new FileHandle(new byte[32]);
        assertEquals(Status.BADHANDLE, status(ROOT, new Acl3Call.GetAcl(foreign, BOTH)));
        var get = new Acl3Call.GetAcl(root, BOTH);
        for (int procedure : new int[] {1, 2}) {
            assertTrue(
                    server.isTooWeak(
                            new Credential.None(), NfsAcl.PROGRAM, 3, procedure, get::encode));
        }
    }

    private RpcProgram program() {
        return server.nfs.programs().stream()
                .filter(each -> each.id().number() == NfsAcl.PROGRAM)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void onlyAChangeIsKeptForRepetitions() {
        assertTrue(program().procedure(3, 0).repeatable());
        assertTrue(program().procedure(3, 1).repeatable());
        assertFalse(program().procedure(3, 2).repeatable());
        assertEquals(List.of(NfsAcl.VERSION_3), program().bindings());
    }

    /** Goal: a repeated SETACL does not undo the change of another client. */
    @Test
    void aRepeatedChangeRunsOnce() throws Exception {
        assumeTrue(kind != TestDirectory.Kind.BASIC, "there are no modes here");
        var file = server.create(root, "file");
        var first = set(file, AclLists.ACCESS, listed(PosixAcl.ofMode(0600)), Listed.NONE);
        for (int round = 0; round < 2; round++) {
            var reply = server.reply(77, NfsAcl.PROGRAM, 3, 2, ROOT, first::encode);
            assertEquals(new ReplyHeader.Success(77), ReplyHeader.decode(reply));
            assertOk(first.decodeReply(reply));
            server.ok(change(file, SetAttributes.ofMode(0640)));
        }
        assertEquals(0640, server.attributes(file).mode() & 0777);
    }

    @Test
    void nullDoesNothingAndOtherProceduresDoNotExist() throws Exception {
        assertEquals(
                0,
                server.results(NfsAcl.PROGRAM, 3, 0, new Credential.None(), _ -> {}).remaining());
        var reply = server.reply(1, NfsAcl.PROGRAM, 3, 3, ROOT, _ -> {});
        var refused = (ReplyHeader.Refused) ReplyHeader.decode(reply);
        assertEquals(AcceptStatus.PROC_UNAVAIL, refused.status());
    }

    /** Goal: damaged calls are garbage or get a status. */
    @Test
    void everyDamagedCallHasAnAnswer() throws Exception {
        var file = server.create(root, "file");
        var call = set(file, BOTH, listed(ACL), listed(DEFAULTS));
        byte[] bytes = encoded(call);
        int executed = 0;
        for (int at = 0; at < bytes.length; at++) {
            for (int wrong : new int[] {0x01, 0x10, 0x80, 0xff}) {
                byte[] damaged = bytes.clone();
                damaged[at] ^= (byte) wrong;
                int xid = at << 8 | wrong;
                var reply =
                        server.reply(
                                xid,
                                NfsAcl.PROGRAM,
                                3,
                                2,
                                ROOT,
                                out -> out.fixedOpaque(MemorySegment.ofArray(damaged)));
                var header = ReplyHeader.decode(reply);
                if (header.equals(new ReplyHeader.Success(xid))) {
                    executed++;
                    requireStatus(call, reply);
                } else {
                    var refused = (ReplyHeader.Refused) header;
                    assertEquals(AcceptStatus.GARBAGE_ARGS, refused.status());
                }
            }
        }
        assertTrue(executed > 100, "executed: " + executed);
    }

    private static void requireStatus(Acl3Call.SetAcl call, XdrReader reply) throws XdrException {
        if (call.decodeReply(reply) instanceof Nfs3Reply.Failed<?, ?>(var status, _)) {
            assertTrue(status != Status.SERVERFAULT, "an internal error");
        }
    }

    private byte[] encoded(Acl3Call<?> call) {
        try (var out = new XdrWriter(server.pool)) {
            call.encode(out);
            var pieces = PayloadStream.of(out);
            byte[] bytes = new byte[(int) pieces.length()];
            pieces.copyTo(MemorySegment.ofArray(bytes));
            return bytes;
        }
    }
}
