package io.github.rpcrdma4j.nfs.server;

import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.at;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.getFh;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.open;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.read;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.remove;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.rename;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.saveFh;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.setAttr;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.write;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.lock.NlmProcedure;
import io.github.rpcrdma4j.nfs.lock.NlmStatus;
import io.github.rpcrdma4j.nfs.server.export.Delegations;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.CreateMode;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.DirOpArgs;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.nfs.v3.Timestamp;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.SetAttributes;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.CopyArguments;
import io.github.rpcrdma4j.nfs.v4.operation.DataArguments;
import io.github.rpcrdma4j.nfs.v4.operation.HandleArguments;
import io.github.rpcrdma4j.nfs.v4.operation.HandleResult;
import io.github.rpcrdma4j.nfs.v4.operation.NameArguments;
import io.github.rpcrdma4j.nfs.v4.operation.OpenClaim;
import io.github.rpcrdma4j.nfs.v4.operation.OpenCreation;
import io.github.rpcrdma4j.nfs.v4.operation.OpenDelegation;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments.Open;
import io.github.rpcrdma4j.nfs.v4.operation.StateResult;
import io.github.rpcrdma4j.nfs.v4.operation.XattrArguments;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Goal: a delegation gives no rights, and who has none neither sees nor recalls it. */
class DelegationRightsTest {
    private static final int OWNER = 1000;
    private static final int STRANGER = 1001;
    private static final List<StateId> SPECIAL = List.of(StateId.ANONYMOUS, StateId.READ_BYPASS);

    private TestDirectory testDirectory;
    private TestServer server;
    private CallbackPeer calls;
    private CompoundClient holder;
    private CompoundClient other;
    private FileHandle root;

    @BeforeEach
    void serve() throws Exception {
        assumeTrue(LocalCalls.user() == 0, "only root can act for users");
        testDirectory = TestDirectory.of(TestDirectory.Kind.LOCAL);
        Files.setAttribute(testDirectory.root(), "unix:mode", 0777);
        makeDirectory("hidden", OWNER, 0700);
        makeFile("hidden/diary", OWNER, 0600);
        makeFile("shared", STRANGER, 0666);
        var export = new Export(TestServer.EXPORT, testDirectory.root(), false);
        server = TestServer.of(List.of(export.with(Delegations.EXCLUSIVE)));
        root = server.root();
        other = CompoundClient.of(server, "other", STRANGER);
        calls = new CallbackPeer();
        server.connect(calls);
        holder = CompoundClient.of(server, "holder", OWNER);
    }

    @AfterEach
    void stop() throws Exception {
        if (server != null) {
            server.close();
            testDirectory.close();
        }
    }

    private void makeFile(String name, int owner, int mode) throws Exception {
        own(Files.writeString(testDirectory.root().resolve(name), "text"), owner, mode);
    }

    private void makeDirectory(String name, int owner, int mode) throws Exception {
        own(Files.createDirectory(testDirectory.root().resolve(name)), owner, mode);
    }

    private static void own(Path path, int owner, int mode) throws Exception {
        Files.setAttribute(path, "unix:uid", owner);
        Files.setAttribute(path, "unix:gid", owner);
        Files.setAttribute(path, "unix:mode", mode);
    }

    private OpenDelegation delegated(String directory, String name, int access) throws Exception {
        var result = holder.last(at(directory, open(name, access, 0)));
        return assertInstanceOf(StateResult.Open.class, result).delegation();
    }

    /** Returns the operation that makes a file the current one, without a search. */
    private Arguments putFh(String path) throws Exception {
        return new HandleArguments.PutFh(
                ((HandleResult.GetFh) holder.last(at(path, getFh()))).handle());
    }

    private void assertNobodyWasCalled() {
        assertTrue(calls.received.isEmpty(), () -> "the holder was called: " + calls.received);
    }

    /** Changes of version 3 that need rights to the file or to its directory. */
    private List<Nfs3Call<?, ?>> changes(FileHandle directory, String name, FileHandle file) {
        var where = new DirOpArgs(directory, name);
        var shared = new DirOpArgs(root, "shared");
        return List.of(
                new Nfs3Call.Remove(where),
                new Nfs3Call.Rename(where, new DirOpArgs(root, "elsewhere")),
                new Nfs3Call.Rename(shared, where),
                new Nfs3Call.Link(file, new DirOpArgs(directory, "second")),
                new Nfs3Call.Create(
                        where,
                        new CreateMode.Unchecked(
                                io.github.rpcrdma4j.nfs.v3.SetAttributes.ofSize(0))));
    }

    private static List<Nfs3Call<?, ?>> uses(FileHandle file) {
        return List.of(
                new Nfs3Call.Read(file, 0, 4),
                TestServer.write(file, 0, Stability.UNSTABLE, "x"),
                new Nfs3Call.ChangeAttributes(
                        file, io.github.rpcrdma4j.nfs.v3.SetAttributes.ofSize(0), Optional.empty()),
                new Nfs3Call.ChangeAttributes(
                        file,
                        io.github.rpcrdma4j.nfs.v3.SetAttributes.ofMode(0666),
                        Optional.empty()));
    }

    private static boolean isRefused(Status status) {
        return status == Status.ACCES || status == Status.PERM;
    }

    @Test
    void callsOfVersions2And3WithoutRightsMeetNoDelegation() throws Exception {
        var directory = server.lookup(root, "hidden");
        var file = server.lookup(directory, "diary");
        assertInstanceOf(OpenDelegation.Write.class, delegated("hidden", "diary", Open.BOTH));
        var stranger = CompoundClient.user(STRANGER);
        var all = new ArrayList<Nfs3Call<?, ?>>(changes(directory, "diary", file));
        all.addAll(uses(file));
        for (var call : all) {
            var status = server.status(stranger, call);
            assertTrue(isRefused(status), () -> call + ": " + status);
        }
        for (var name : List.of("diary", "nosuch")) {
            assertEquals(
                    Status.ACCES,
                    server.status(stranger, new Nfs3Call.Remove(new DirOpArgs(directory, name))));
        }
        var lock = LockingHost.of(server, "192.0.2.1", file.bytes());
        for (boolean isExclusive : new boolean[] {false, true}) {
            var call = lock.locking(isExclusive, 0, 1);
            assertEquals(NlmStatus.FAILED, lock.call(stranger, NlmProcedure.LOCK, call).status());
        }
        assertNobodyWasCalled();
        // With rights they wait for it.
        var owner = CompoundClient.user(OWNER);
        for (var call : all) {
            assertEquals(Status.JUKEBOX, server.status(owner, call), call::toString);
        }
        assertNotNull(calls.received.poll(30, TimeUnit.SECONDS), "no call came");
    }

    @Test
    void operationsOfVersion4WithoutRightsMeetNoDelegation() throws Exception {
        var top = putFh("");
        var directory = putFh("hidden");
        var file = putFh("hidden/diary");
        var shared = putFh("shared");
        assertInstanceOf(OpenDelegation.Write.class, delegated("hidden", "diary", Open.BOTH));
        var open = other.open(at("", open("shared", Open.BOTH, 0)));
        var all = new ArrayList<Arguments[]>();
        for (var id : SPECIAL) {
            for (var use :
                    List.of(
                            read(id, 0, 4),
                            write(id, 0, "x"),
                            setAttr(id, SetAttributes.ofSize(0)),
                            new DataArguments.ReadPlus(id, 100, 4),
                            new DataArguments.Seek(id, 0, DataArguments.Seek.DATA),
                            new DataArguments.Allocate(id, 0, 4),
                            new DataArguments.Deallocate(id, 0, 4))) {
                all.add(new Arguments[] {file, use});
            }
            var copying = new CopyArguments.Copy(id, open, 0, 0, 4, true, true, List.of());
            all.add(new Arguments[] {file, saveFh(), shared, copying});
            var copied = new CopyArguments.Copy(open, id, 0, 0, 4, true, true, List.of());
            all.add(new Arguments[] {shared, saveFh(), file, copied});
        }
        var attribute = FileName.of("name");
        for (var use :
                List.of(
                        setAttr(StateId.ANONYMOUS, SetAttributes.ofMode(0666)),
                        new XattrArguments.SetXattr(
                                XattrArguments.SetXattr.Option.EITHER,
                                attribute,
                                MemorySegment.ofArray(new byte[1])),
                        new XattrArguments.RemoveXattr(attribute),
                        open(
                                "owner",
                                Open.READ,
                                0,
                                new OpenCreation.None(),
                                new OpenClaim.Handle()))) {
            all.add(new Arguments[] {file, use});
        }
        all.add(new Arguments[] {directory, remove("diary")});
        all.add(new Arguments[] {directory, saveFh(), rename("diary", "x")});
        all.add(new Arguments[] {top, saveFh(), directory, rename("shared", "diary")});
        all.add(new Arguments[] {file, saveFh(), top, new NameArguments.Link(FileName.of("x"))});
        for (var call : all) {
            var status = other.status(call);
            boolean isRefused = status == Nfs4Status.ACCESS || status == Nfs4Status.PERM;
            assertTrue(isRefused, () -> List.of(call) + ": " + status);
        }
        assertNobodyWasCalled();
        var owner = CompoundClient.of(server, "second", OWNER);
        assertEquals(Nfs4Status.DELAY, owner.status(file, read(StateId.ANONYMOUS, 0, 4)));
        assertNotNull(calls.received.poll(30, TimeUnit.SECONDS), "no call came");
    }

    /** It changes nothing for those with rights, either, and the guard tells what GETATTR tells. */
    @Test
    void whoSetsNoAttributeMeetsNoDelegation() throws Exception {
        var file = server.lookup(server.lookup(root, "hidden"), "diary");
        assertInstanceOf(OpenDelegation.Write.class, delegated("hidden", "diary", Open.BOTH));
        var changed = server.ok(new Nfs3Call.GetAttributes(file)).changed();
        for (int user : new int[] {STRANGER, OWNER}) {
            var caller = CompoundClient.user(user);
            assertEquals(Status.OK, server.status(caller, settingNothing(file, Optional.empty())));
            assertEquals(
                    Status.OK, server.status(caller, settingNothing(file, Optional.of(changed))));
            assertEquals(
                    Status.NOT_SYNC,
                    server.status(caller, settingNothing(file, Optional.of(new Timestamp(1, 1)))));
            other.become(caller);
            for (var id : List.of(StateId.ANONYMOUS, StateId.READ_BYPASS)) {
                assertEquals(
                        Nfs4Status.OK,
                        other.status(putFh("hidden/diary"), setAttr(id, SetAttributes.NONE)));
            }
        }
        assertNobodyWasCalled();
    }

    private static Nfs3Call<?, ?> settingNothing(FileHandle file, Optional<Timestamp> guard) {
        return new Nfs3Call.ChangeAttributes(
                file, io.github.rpcrdma4j.nfs.v3.SetAttributes.NONE, guard);
    }

    /** In a directory with the sticky bit only owners take names from files. */
    @Test
    void aStickyDirectoryKeepsOthersFromRecalls() throws Exception {
        makeDirectory("sticky", 0, 01777);
        makeFile("sticky/file", OWNER, 0666);
        makeFile("sticky/own", STRANGER, 0666);
        var directory = server.lookup(root, "sticky");
        var where = new DirOpArgs(directory, "file");
        assertInstanceOf(OpenDelegation.Write.class, delegated("sticky", "file", Open.BOTH));
        var stranger = CompoundClient.user(STRANGER);
        for (var call :
                List.<Nfs3Call<?, ?>>of(
                        new Nfs3Call.Remove(where),
                        new Nfs3Call.Rename(where, new DirOpArgs(directory, "x")),
                        new Nfs3Call.Rename(new DirOpArgs(directory, "own"), where))) {
            assertTrue(isRefused(server.status(stranger, call)), call::toString);
        }
        assertNobodyWasCalled();
        assertEquals(
                Status.JUKEBOX,
                server.status(stranger, uses(server.lookup(directory, "file")).get(1)));
    }

    @Test
    void aWriteDelegationDoesNotReadWhatItsUserMayOnlyWrite() throws Exception {
        makeFile("letters", 0, 0222);
        var granted = delegated("", "letters", Open.WRITE);
        var id = assertInstanceOf(OpenDelegation.Write.class, granted).stateId();
        assertEquals(Nfs4Status.ACCESS, holder.status(at("letters", read(id, 0, 4))));
        var seek = new DataArguments.Seek(id, 0, DataArguments.Seek.DATA);
        assertEquals(Nfs4Status.ACCESS, holder.status(at("letters", seek)));
        assertEquals(Nfs4Status.OK, holder.status(at("letters", write(id, 0, "more"))));
        // The delegation is of the client, the rights are of each of its users.
        Files.setAttribute(testDirectory.root().resolve("letters"), "unix:mode", 0200);
        assertEquals(Nfs4Status.ACCESS, holder.status(at("letters", write(id, 0, "x"))));
        holder.become(CompoundClient.ROOT);
        assertEquals(Nfs4Status.OK, holder.status(at("letters", read(id, 0, 4))));
    }

    /** A file that its owner may not open by its mode is opened as the delegation allowed it. */
    @Test
    void theOwnerTurnsADelegationIntoAnOpenAgainstTheMode() throws Exception {
        makeFile("mine", OWNER, 0600);
        var granted = delegated("", "mine", Open.BOTH);
        var id = assertInstanceOf(OpenDelegation.Write.class, granted).stateId();
        Files.setAttribute(testDirectory.root().resolve("mine"), "unix:mode", 0400);
        var none = new OpenCreation.None();
        var again = open("later", Open.BOTH, 0, none, new OpenClaim.DelegatedHandle(id));
        var named =
                open(
                        "later",
                        Open.BOTH,
                        0,
                        none,
                        new OpenClaim.DelegatedName(id, FileName.of("mine")));
        var anew = open("later", Open.BOTH, 0, none, new OpenClaim.Handle());
        assertEquals(Nfs4Status.OK, holder.status(at("mine", again)));
        assertEquals(Nfs4Status.OK, holder.status(at("", named)));
        assertEquals(Nfs4Status.ACCESS, holder.status(at("mine", anew)));
        holder.become(CompoundClient.user(STRANGER));
        assertEquals(Nfs4Status.ACCESS, holder.status(at("mine", again)));
        assertEquals(Nfs4Status.ACCESS, holder.status(at("", named)));
        assertEquals(Nfs4Status.OK, holder.status(at("", open("shared", Open.READ, 0))));
    }
}
