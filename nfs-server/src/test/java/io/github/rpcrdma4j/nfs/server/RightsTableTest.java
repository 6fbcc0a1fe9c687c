package io.github.rpcrdma4j.nfs.server;

import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.at;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.claim;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.close;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.encoded;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.join;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.lock;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.open;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.read;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.saveFh;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.setAttr;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.testLock;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.write;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.users.KerberosUsers;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.SetAttributes;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.CopyArguments;
import io.github.rpcrdma4j.nfs.v4.operation.DataArguments;
import io.github.rpcrdma4j.nfs.v4.operation.LockResult;
import io.github.rpcrdma4j.nfs.v4.operation.LockType;
import io.github.rpcrdma4j.nfs.v4.operation.OpenClaim;
import io.github.rpcrdma4j.nfs.v4.operation.OpenCreation;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments.Open;
import io.github.rpcrdma4j.nfs.v4.operation.StateResult;
import io.github.rpcrdma4j.nfs.v4.type.Bitmap;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.oncrpc.Credential;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: over RDMA, each use of a file by version 4 has the outcome that the mode of the file and
 * its caller determine, however the file was opened. The table is whole: the digits of the mode,
 * the callers, the ways to a stateid, the uses. A server without the rights of others serves all as
 * its own user, who has the files.
 */
class RightsTableTest {
    private static final int OWNER_UID = 1000;
    private static final int GROUP = 2000;
    private static final String FILE = "file";
    private static final String OTHER_FILE = "other";
    private static final long VERIFIER = 0x1111_1111L << Integer.SIZE | 0x2222_2222L;
    private static final OpenCreation NONE = new OpenCreation.None();

    private enum Caller {
        OWNER(OWNER_UID, 1),
        MEMBER(1001, GROUP),
        STRANGER(1002, 2),
        ROOT(0, 0);

        final Credential credential;

        Caller(int uid, int gid) {
            credential = new Credential.Sys(0, "host", uid, gid, List.of());
        }
    }

    private enum Use {
        READ(false),
        READ_PLUS(false),
        READ_PLUS_BEHIND_THE_END(false),
        SEEK(false),
        IO_ADVISE(false),
        COPY_FROM(false),
        LOCK_SHARED(false),
        WRITE(true),
        RESIZE(true),
        ALLOCATE(true),
        DEALLOCATE(true),
        COPY_TO(true),
        COMMIT(true),
        LOCK_EXCLUSIVE(true);

        final boolean writes;

        Use(boolean writes) {
            this.writes = writes;
        }

        boolean isLock() {
            return this == LOCK_SHARED || this == LOCK_EXCLUSIVE;
        }
    }

    private final boolean acts = LocalCalls.user() == 0;
    private final Map<Caller, StateId> before = new EnumMap<>(Caller.class);
    private TestDirectory directory;
    private RdmaServer server;
    private CompoundClient client;
    private Path file;
    private long lockedFrom = 1 << 20;

    @BeforeEach
    void serve() throws Exception {
        directory = TestDirectory.of(TestDirectory.Kind.LOCAL);
        setMode(directory.root(), 7);
        file = make(FILE);
        make(OTHER_FILE);
        var exports = List.of(new Export(TestServer.EXPORT, directory.root(), false));
        server = new RdmaServer(new NfsServer(exports, TestServer.KEY, KerberosUsers.NONE));
        client =
                CompoundClient.of(
                        server, Caller.ROOT.credential, 2, "client", CompoundClient.CHANNEL);
    }

    @AfterEach
    void stop() throws Exception {
        if (server != null) {
            server.close();
        }
        directory.close();
    }

    private Path make(String name) throws Exception {
        var made = Files.writeString(directory.root().resolve(name), "0123456789");
        setMode(made, 6);
        if (acts) {
            Files.setAttribute(made, "unix:uid", OWNER_UID);
            Files.setAttribute(made, "unix:gid", GROUP);
        }
        return made;
    }

    /** Sets all three digits of a mode. */
    private static void setMode(Path path, int digit) throws Exception {
        Set<PosixFilePermission> permissions = new HashSet<>();
        for (var each : PosixFilePermission.values()) {
            // OWNER_READ, OWNER_WRITE, OWNER_EXECUTE, and so on.
            if ((digit & 4 >> each.ordinal() % 3) != 0) {
                permissions.add(each);
            }
        }
        Files.setPosixFilePermissions(path, permissions);
    }

    private boolean isOwner(Caller caller) {
        return !acts || caller == Caller.OWNER;
    }

    private boolean isRoot(Caller caller) {
        return acts && caller == Caller.ROOT;
    }

    private boolean may(Caller caller, int digit, boolean writes) {
        return isRoot(caller) || isOwner(caller) || (digit & (writes ? 2 : 4 | 1)) != 0;
    }

    private boolean mayOpen(Caller caller, int digit, int access, int deny, boolean ownerPasses) {
        if (isRoot(caller) || ownerPasses && isOwner(caller)) {
            return true;
        }
        boolean reads = (access & Open.READ) != 0;
        boolean writes = (access & Open.WRITE) != 0 || (deny & Open.READ) != 0;
        boolean mayRead = (digit & (writes ? 4 : 4 | 1)) != 0;
        return (!reads || mayRead) && (!writes || (digit & 2) != 0);
    }

    private Arguments[] use(Use use, StateId id) {
        return switch (use) {
            case READ -> at(FILE, read(id, 0, 4));
            case READ_PLUS -> at(FILE, new DataArguments.ReadPlus(id, 0, 4));
            case READ_PLUS_BEHIND_THE_END -> at(FILE, new DataArguments.ReadPlus(id, 1000, 4));
            case SEEK -> at(FILE, new DataArguments.Seek(id, 0, DataArguments.Seek.HOLE));
            case IO_ADVISE -> at(FILE, new DataArguments.IoAdvise(id, 0, 4, Bitmap.EMPTY));
            case COPY_FROM -> copy(FILE, id, OTHER_FILE, StateId.ANONYMOUS);
            case COPY_TO -> copy(OTHER_FILE, StateId.ANONYMOUS, FILE, id);
            case WRITE -> at(FILE, write(id, 0, "0123"));
            case RESIZE -> at(FILE, setAttr(id, SetAttributes.ofSize(10)));
            case ALLOCATE -> at(FILE, new DataArguments.Allocate(id, 0, 4));
            case DEALLOCATE -> at(FILE, new DataArguments.Deallocate(id, 0, 4));
            case COMMIT -> at(FILE, new DataArguments.Commit(0, 0));
            case LOCK_SHARED -> at(FILE, locking(id, LockType.READ));
            case LOCK_EXCLUSIVE -> at(FILE, locking(id, LockType.WRITE));
        };
    }

    private static Arguments[] copy(String from, StateId source, String to, StateId target) {
        var copy = new CopyArguments.Copy(source, target, 0, 0, 4, true, true, List.of());
        return join(at(from, saveFh()), at(to, copy));
    }

    /** Each lock is of another owner, and of another byte. */
    private Arguments locking(StateId open, LockType type) {
        lockedFrom++;
        return lock(open, "locker " + lockedFrom, type, lockedFrom, 1);
    }

    private static Arguments opening(String owner, int access) {
        return open(owner, access, 0, NONE, claim(FILE));
    }

    @Test
    void eachUseNeedsTheRightsThatItsUserHasNow() throws Exception {
        var borrowed = client.open(at("", opening("root", Open.BOTH)));
        var locks =
                ((LockResult.Lock) client.last(at(FILE, lock(borrowed, "l", LockType.WRITE, 0, 1))))
                        .lock();
        for (var caller : Caller.values()) {
            client.become(caller.credential);
            before.put(caller, client.open(at("", opening(caller.name(), Open.BOTH))));
        }
        int cases = 0;
        var wrong = new ArrayList<String>();
        for (int digit = 0; digit < 8; digit++) {
            setMode(file, digit);
            for (var caller : Caller.values()) {
                client.become(caller.credential);
                var ways =
                        Map.of(
                                "anonymous",
                                StateId.ANONYMOUS,
                                "bypass",
                                StateId.READ_BYPASS,
                                "of another user",
                                borrowed,
                                "lock of another user",
                                locks,
                                "opened before",
                                before.get(caller));
                for (var way : ways.entrySet()) {
                    for (var use : Use.values()) {
                        boolean isOpen = way.getValue() != locks && !way.getValue().isReserved();
                        if (use.isLock() && !isOpen) {
                            continue;
                        }
                        var expected =
                                may(caller, digit, use.writes) ? Nfs4Status.OK : Nfs4Status.ACCESS;
                        var status = client.status(use(use, way.getValue()));
                        cases++;
                        if (status != expected) {
                            wrong.add(
                                    "%s %o %s %s: %s"
                                            .formatted(way.getKey(), digit, caller, use, status));
                        }
                    }
                }
                var tested = client.status(at(FILE, testLock("tester", LockType.READ, 9, 1)));
                boolean mayTest = digit != 0 || may(caller, digit, true);
                assertEquals(mayTest ? Nfs4Status.OK : Nfs4Status.ACCESS, tested);
            }
        }
        assertEquals(List.of(), wrong);
        assertTrue(cases > 2000, () -> "few cases");
    }

    /**
     * A way to open a file that is there.
     *
     * @param isOwners whether the file is taken for one that its owner has just made: the owner
     *     opens it with any mode, and for others it exists already
     */
    private record Way(String name, OpenCreation creation, OpenClaim claim, boolean isOwners) {
        Nfs4Status refusal(boolean ofOwner) {
            return isOwners && !ofOwner ? Nfs4Status.EXIST : Nfs4Status.ACCESS;
        }
    }

    @Test
    void eachOpenNeedsTheRightsOfItsUser() throws Exception {
        var attributes = encoded(SetAttributes.ofMode(0777));
        var ways =
                List.of(
                        new Way("by name", NONE, claim(FILE), false),
                        new Way("by handle", NONE, new OpenClaim.Handle(), false),
                        new Way(
                                "unchecked",
                                new OpenCreation.Unchecked(encoded(SetAttributes.ofMode(0777))),
                                claim(FILE),
                                false),
                        new Way(
                                "exclusive",
                                new OpenCreation.Exclusive(VERIFIER),
                                claim(FILE),
                                true),
                        new Way(
                                "exclusive with attributes",
                                new OpenCreation.ExclusiveWithAttributes(VERIFIER, attributes),
                                claim(FILE),
                                true));
        Files.writeString(file, "");
        var wrong = new ArrayList<String>();
        for (int digit = 0; digit < 8; digit++) {
            setMode(file, digit);
            for (var caller : Caller.values()) {
                client.become(caller.credential);
                for (var way : ways) {
                    var refusal = way.refusal(isOwner(caller));
                    for (int access = Open.READ; access <= Open.BOTH; access++) {
                        for (int deny = 0; deny < 4; deny++) {
                            boolean may =
                                    refusal == Nfs4Status.ACCESS
                                            && mayOpen(caller, digit, access, deny, way.isOwners);
                            var status = opened(way, access, deny);
                            if (status != (may ? Nfs4Status.OK : refusal)) {
                                wrong.add(
                                        "%s %o %s %d %d: %s"
                                                .formatted(
                                                        way.name, digit, caller, access, deny,
                                                        status));
                            }
                        }
                    }
                }
            }
        }
        assertEquals(List.of(), wrong);
    }

    /** Opens the file, closes it, and returns the status of OPEN. */
    private Nfs4Status opened(Way way, int access, int deny) throws Exception {
        if (way.isOwners) {
            // The verifier is kept in these. Java opens a file to set its times.
            var mode = Files.getPosixFilePermissions(file);
            setMode(file, 6);
            Files.setAttribute(file, "lastAccessTime", FileTime.from(0x1111_1111L, SECONDS));
            Files.setLastModifiedTime(file, FileTime.from(0x2222_2222L, SECONDS));
            Files.setPosixFilePermissions(file, mode);
        }
        var open = open("owner", access, deny, way.creation, way.claim);
        boolean isByHandle = way.claim instanceof OpenClaim.Handle;
        var reply = client.compound(at(isByHandle ? FILE : "", open));
        if (reply.status() == Nfs4Status.OK) {
            var stateId = ((StateResult.Open) reply.results().getLast()).open();
            client.last(at(FILE, close(stateId)));
        }
        return reply.status();
    }
}
