package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.acl.Acl2Call;
import io.github.rpcrdma4j.nfs.acl.AclLists;
import io.github.rpcrdma4j.nfs.acl.AclLists.Listed;
import io.github.rpcrdma4j.nfs.acl.NfsAcl;
import io.github.rpcrdma4j.nfs.acl.PosixAcl;
import io.github.rpcrdma4j.nfs.acl.PosixAcl.Entry;
import io.github.rpcrdma4j.nfs.acl.PosixAcl.Tag;
import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.v2.FileHandle;
import io.github.rpcrdma4j.nfs.v2.Nfs2Reply;
import io.github.rpcrdma4j.nfs.v2.Status;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.oncrpc.Credential;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Goal: NFSACL version 2 does what version 3 does, with the handles of NFS version 2. */
@ParameterizedClass
@MethodSource("io.github.rpcrdma4j.nfs.directories.TestDirectory#kinds")
class Acl2ProgramTest {
    private static final Credential ROOT = new Credential.Sys(0, "host", 0, 0, List.of());
    private static final PosixAcl ACL =
            new PosixAcl(
                    List.of(
                            new Entry(Tag.USER_OBJ, 6),
                            new Entry(Tag.USER, 4242, 5),
                            new Entry(Tag.GROUP_OBJ, 4),
                            new Entry(Tag.MASK, 6),
                            new Entry(Tag.OTHER, 1)));

    @Parameter TestDirectory.Kind kind;
    private TestDirectory testDirectory;
    private TestServer server;
    private Nfs2Client client;
    private FileHandle root;

    @BeforeEach
    void serve() throws Exception {
        testDirectory = TestDirectory.of(kind);
        server = TestServer.of(testDirectory);
        client = new Nfs2Client(server, ROOT);
        root = client.root();
    }

    @AfterEach
    void stop() throws Exception {
        if (testDirectory != null) {
            server.close();
            testDirectory.close();
        }
    }

    private <T> Nfs2Reply<T> call(Acl2Call<T> call) throws Exception {
        return call.decodeReply(
                server.results(
                        NfsAcl.PROGRAM,
                        Acl2Call.VERSION,
                        call.procedure().number(),
                        ROOT,
                        call::encode));
    }

    private <T> T ok(Acl2Call<T> call) throws Exception {
        return switch (call(call)) {
            case Nfs2Reply.Ok<T>(var value) -> value;
            case Nfs2Reply.Failed<T>(var status) -> throw new AssertionError(call + ": " + status);
        };
    }

    @Test
    void listsAreReadAndReplacedWhereTheyAreKept() throws Exception {
        var file = client.create(root, "file");
        var attributes = client.attributes(file);
        var before = ok(new Acl2Call.GetAcl(file, AclLists.ALL));
        assertEquals(attributes, before.file());
        assertEquals(
                Optional.of(PosixAcl.ofMode(attributes.mode())), before.lists().access().acl());
        var lists = new AclLists(AclLists.ACCESS, Listed.of(ACL, 0, 0), Listed.NONE);
        switch (call(new Acl2Call.SetAcl(file, lists))) {
            case Nfs2Reply.Ok<?> _ -> {
                var after = ok(new Acl2Call.GetAcl(file, AclLists.ACCESS));
                assertEquals(Optional.of(ACL), after.lists().access().acl());
                assertEquals(0661, after.file().mode() & 0777);
            }
            case Nfs2Reply.Failed<?>(var status) -> assertEquals(Status.NOTSUPP, status);
        }
        assertEquals(new Nfs2Reply.Failed<>(Status.INVAL), call(new Acl2Call.GetAcl(file, 0x10)));
    }

    @Test
    void attributesAndRightsAreThoseOfNfs() throws Exception {
        var file = client.create(root, "file");
        assertEquals(client.attributes(file), ok(new Acl2Call.GetAttributes(file)));
        var rights = ok(new Acl2Call.Access(file, -1));
        assertEquals(client.attributes(file), rights.file());
        int read = Nfs3.ACCESS_READ | Nfs3.ACCESS_MODIFY;
        assertEquals(read, rights.granted() & read);
        assertEquals(0, rights.granted() & ~Nfs3.ACCESS_ALL);
    }

    @Test
    void foreignHandlesAreStale() throws Exception {
        var foreign = FileHandle.of(new byte[FileHandle.BYTES]);
        var stale = new Nfs2Reply.Failed<>(Status.STALE);
        assertEquals(stale, call(new Acl2Call.GetAcl(foreign, 1)));
        assertEquals(stale, call(new Acl2Call.GetAttributes(foreign)));
        assertEquals(stale, call(new Acl2Call.Access(foreign, 1)));
    }

    @Test
    void onlyAChangeIsKeptForRepetitions() {
        var program =
                server.nfs.version2Programs().stream()
                        .filter(each -> each.id().number() == NfsAcl.PROGRAM)
                        .findFirst()
                        .orElseThrow();
        for (var procedure : Acl2Call.Procedure.values()) {
            boolean repeatable = program.procedure(2, procedure.number()).repeatable();
            assertEquals(procedure != Acl2Call.Procedure.SETACL, repeatable, procedure::name);
        }
        assertTrue(program.procedure(2, 5).repeatable());
        assertFalse(program.procedure(2, 5).guarded());
    }
}
