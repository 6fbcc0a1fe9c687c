package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.acl.Acl2Call;
import io.github.rpcrdma4j.nfs.acl.Acl3Call;
import io.github.rpcrdma4j.nfs.acl.AclLists;
import io.github.rpcrdma4j.nfs.acl.AclLists.Item;
import io.github.rpcrdma4j.nfs.acl.AclLists.Listed;
import io.github.rpcrdma4j.nfs.acl.NfsAcl;
import io.github.rpcrdma4j.nfs.acl.PosixAcl.Tag;
import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.sim.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: no call of NFSACL makes the server fail. Method: random lists of a file and of a directory,
 * in both versions, half of the calls with flipped bits or cut off; the reply can always be
 * decoded, no memory stays leased, and no internal error is logged.
 */
@ParameterizedClass
@MethodSource("io.github.rpcrdma4j.nfs.directories.TestDirectory#kinds")
class HostileAclsTest {
    private static final int CALLS = Seeds.rounds(2000);
    private static final int ENTRIES_MAX = 1024;

    @Parameter TestDirectory.Kind kind;
    private TestDirectory testDirectory;
    private TestServer server;
    private LoggedFailures failures;
    private Random random;
    private RawCalls calls;

    @BeforeEach
    void serve() throws Exception {
        random = new Random(Seeds.one());
        testDirectory = TestDirectory.of(kind);
        server = TestServer.of(testDirectory);
        failures = new LoggedFailures();
        calls = new RawCalls(server, random, failures);
        server.create(server.root(), "file");
        server.makeDirectory(server.root(), "directory");
    }

    @AfterEach
    void stop() throws Exception {
        failures.close();
        server.close();
        testDirectory.close();
    }

    private Credential caller() {
        int user = random.nextInt(4) == 0 ? 4711 : 0;
        return new Credential.Sys(0, "test", user, user, List.of());
    }

    private Listed list() {
        int size =
                switch (random.nextInt(8)) {
                    case 0 -> 0;
                    case 1 -> random.nextInt(ENTRIES_MAX);
                    default -> 3 + random.nextInt(5);
                };
        var items = new ArrayList<Item>();
        for (int i = 0; i < size; i++) {
            var tag =
                    i < Tag.values().length && random.nextInt(8) > 0
                            ? Tag.values()[i]
                            : Tag.values()[random.nextInt(Tag.values().length)];
            items.add(new Item(tag, random.nextInt(8) == 0 ? random.nextInt() : i, i & 7));
        }
        return new Listed(size == 0 ? random.nextInt(ENTRIES_MAX) : size, items);
    }

    private AclLists lists() {
        int mask = random.nextInt(4) == 0 ? random.nextInt(AclLists.ALL + 1) : AclLists.ALL;
        return new AclLists(mask, list(), list());
    }

    @Test
    void damagedCallsOfVersion3AreAnswered() throws Exception {
        var file = server.lookup(server.root(), "file");
        var directory = server.lookup(server.root(), "directory");
        for (int i = 0; i < CALLS; i++) {
            var place = random.nextBoolean() ? file : directory;
            Acl3Call<?> call =
                    random.nextInt(3) == 0
                            ? new Acl3Call.GetAcl(place, random.nextInt(20))
                            : new Acl3Call.SetAcl(place, lists());
            var procedure = call.procedure();
            var target = new RawCalls.Target(NfsAcl.PROGRAM, Acl3Call.VERSION, procedure.number());
            int sealed = Integer.BYTES + place.bytes().length;
            var results =
                    calls.send(
                            target,
                            caller(),
                            call::encode,
                            sealed,
                            in -> Acl3Call.decode(procedure, in));
            if (results.isPresent()) {
                call.decodeReply(results.get());
            }
        }
        check();
    }

    @Test
    void damagedCallsOfVersion2AreAnswered() throws Exception {
        var client = Nfs2Client.of(server);
        var file = client.lookup(client.root(), "file");
        var directory = client.lookup(client.root(), "directory");
        for (int i = 0; i < CALLS; i++) {
            var place = random.nextBoolean() ? file : directory;
            Acl2Call<?> call =
                    switch (random.nextInt(6)) {
                        case 0, 1 -> new Acl2Call.GetAcl(place, random.nextInt(20));
                        case 2 -> new Acl2Call.GetAttributes(place);
                        case 3 -> new Acl2Call.Access(place, random.nextInt());
                        default -> new Acl2Call.SetAcl(place, lists());
                    };
            var procedure = call.procedure();
            var target = new RawCalls.Target(NfsAcl.PROGRAM, Acl2Call.VERSION, procedure.number());
            var results =
                    calls.send(
                            target,
                            caller(),
                            call::encode,
                            place.bytes().length,
                            in -> Acl2Call.decode(procedure, in));
            if (results.isPresent()) {
                call.decodeReply(results.get());
            }
        }
        check();
    }

    private void check() throws Exception {
        assertEquals(0, calls.postponed);
        assertTrue(calls.garbage > CALLS / 50 && calls.answered > CALLS / 3);
        var names = server.names(server.root());
        assertEquals(List.of(".", "..", "directory", "file"), names, "the server goes on");
    }
}
