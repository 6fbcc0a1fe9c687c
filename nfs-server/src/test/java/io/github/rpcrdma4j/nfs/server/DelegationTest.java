package io.github.rpcrdma4j.nfs.server;

import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.at;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.claim;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.getAttr;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.getFh;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.lock;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.open;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.read;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.remove;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.rename;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.saveFh;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.setAttr;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.testLock;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.write;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.server.export.Delegations;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.DirOpArgs;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.attribute.EncodedAttributes;
import io.github.rpcrdma4j.nfs.v4.attribute.ReadAttributes;
import io.github.rpcrdma4j.nfs.v4.attribute.SetAttributes;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeResult;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackResult;
import io.github.rpcrdma4j.nfs.v4.operation.HandleResult;
import io.github.rpcrdma4j.nfs.v4.operation.LockType;
import io.github.rpcrdma4j.nfs.v4.operation.OpenClaim;
import io.github.rpcrdma4j.nfs.v4.operation.OpenCreation;
import io.github.rpcrdma4j.nfs.v4.operation.OpenDelegation;
import io.github.rpcrdma4j.nfs.v4.operation.SessionResult;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
import io.github.rpcrdma4j.nfs.v4.operation.StateResult;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: all versions of NFS, and local processes, wait for the delegations of clients. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DelegationTest {
    private static final int READ = StateArguments.Open.READ;
    private static final int BOTH = StateArguments.Open.BOTH;

    private TestDirectory testDirectory;
    private TestServer server;
    private CallbackPeer calls;
    private CompoundClient client;
    private CompoundClient other;

    @BeforeEach
    void serve() throws Exception {
        serve(TestDirectory.of(TestDirectory.Kind.BASIC), Delegations.EXCLUSIVE);
    }

    private void serve(TestDirectory directory, Delegations delegations) throws Exception {
        testDirectory = directory;
        Files.writeString(testDirectory.root().resolve("file"), "content");
        var export = new Export(TestServer.EXPORT, testDirectory.root(), false);
        server = TestServer.of(List.of(export.with(delegations)));
        other = CompoundClient.of(server, "other");
        calls = new CallbackPeer();
        server.connect(calls);
        client = CompoundClient.of(server, "client");
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        testDirectory.close();
    }

    private static Arguments opening(int access) {
        return open("file", access, 0);
    }

    private OpenDelegation opened(int access) throws Exception {
        return assertInstanceOf(StateResult.Open.class, client.last(at("", opening(access))))
                .delegation();
    }

    private StateId delegated(int access) throws Exception {
        return id(opened(access));
    }

    private static StateId id(OpenDelegation granted) {
        return switch (granted) {
            case OpenDelegation.Read(var id, _, _, _) -> id;
            case OpenDelegation.Write(var id, _, _, _, _) -> id;
            case OpenDelegation.None _, OpenDelegation.Refused _ ->
                    throw new AssertionError("there is no delegation");
        };
    }

    private void giveBack(StateId delegation) throws Exception {
        client.last(at("file", new StateArguments.DelegReturn(delegation)));
    }

    /** Waits for the call that recalls a delegation. */
    private void awaitRecall(StateId delegation) throws Exception {
        var call = calls.received.poll(30, TimeUnit.SECONDS);
        assertNotNull(call, "no call came");
        var recall = assertInstanceOf(CallbackArguments.Recall.class, call.callbacks().getLast());
        assertEquals(delegation, recall.delegation());
        var handle = (HandleResult.GetFh) client.last(at("file", getFh()));
        assertEquals(handle.handle(), recall.handle());
    }

    /** Its other name may be in another export, by which it would be another file. */
    @Test
    void withoutLeasesAFileWithTwoNamesIsNotDelegated() throws Exception {
        stop();
        serve(TestDirectory.of(TestDirectory.Kind.LOCAL), Delegations.EXCLUSIVE);
        Files.createLink(
                testDirectory.root().resolve("second"), testDirectory.root().resolve("file"));
        assertInstanceOf(OpenDelegation.None.class, opened(BOTH));
        Files.delete(testDirectory.root().resolve("second"));
        assertInstanceOf(OpenDelegation.Write.class, opened(BOTH));
    }

    @Test
    void anOpenComesWithOneAndSaysWhyNot() throws Exception {
        assertInstanceOf(OpenDelegation.Read.class, opened(READ));
        assertEquals(
                new OpenDelegation.Refused(OpenDelegation.Refused.NOT_WANTED, false),
                opened(READ | StateArguments.Open.WANT_NO_DELEG));
        assertEquals(new OpenDelegation.None(), opened(READ));
        assertEquals(
                new OpenDelegation.Refused(OpenDelegation.Refused.RESOURCE, false),
                opened(READ | StateArguments.Open.WANT_READ_DELEG));
        assertEquals(
                new OpenDelegation.Refused(OpenDelegation.Refused.NOT_SUPP_UPGRADE, false),
                opened(BOTH | StateArguments.Open.WANT_WRITE_DELEG));
    }

    @Test
    void anExportWithoutDelegationsGrantsNone() throws Exception {
        stop();
        serve(TestDirectory.of(TestDirectory.Kind.BASIC), Delegations.NONE);
        assertEquals(new OpenDelegation.None(), opened(READ));
        assertEquals(
                new OpenDelegation.Refused(OpenDelegation.Refused.RESOURCE, false),
                opened(READ | StateArguments.Open.WANT_READ_DELEG));
    }

    @Test
    void callsOfVersion3WaitForIt() throws Exception {
        var root = server.root();
        var file = server.lookup(root, "file");
        var delegation = delegated(READ);
        assertEquals("content", server.read(file, 0, 100));
        var where = new DirOpArgs(root, "file");
        var changes =
                List.<Nfs3Call<?, ?>>of(
                        TestServer.write(file, 0, Stability.UNSTABLE, "x"),
                        changeMode(file),
                        new Nfs3Call.Link(file, new DirOpArgs(root, "second")),
                        new Nfs3Call.Rename(where, new DirOpArgs(root, "second")),
                        new Nfs3Call.Create(
                                where,
                                new Nfs3Call.CreateMode.Unchecked(
                                        io.github.rpcrdma4j.nfs.v3.SetAttributes.ofSize(0))),
                        new Nfs3Call.Remove(where));
        for (var change : changes) {
            assertEquals(Status.JUKEBOX, server.status(change), change::toString);
        }
        awaitRecall(delegation);
        giveBack(delegation);
        for (var change : changes) {
            if (!(change instanceof Nfs3Call.Rename)) {
                assertEquals(Status.OK, server.status(change), change::toString);
            }
        }
    }

    private static Nfs3Call<?, ?> changeMode(FileHandle file) {
        return new Nfs3Call.ChangeAttributes(
                file, io.github.rpcrdma4j.nfs.v3.SetAttributes.ofMode(0600), Optional.empty());
    }

    @Test
    void readersOfVersion3WaitForAWriter() throws Exception {
        var file = server.lookup(server.root(), "file");
        var delegation = delegated(BOTH);
        assertEquals(Status.JUKEBOX, server.status(new Nfs3Call.Read(file, 0, 100)));
        awaitRecall(delegation);
        giveBack(delegation);
        assertEquals("content", server.read(file, 0, 100));
    }

    @Test
    void otherClientsWaitForIt() throws Exception {
        var delegation = delegated(READ);
        var changes =
                List.of(
                        at("", opening(BOTH)),
                        at("file", write(StateId.ANONYMOUS, 0, "x")),
                        at("file", setAttr(StateId.ANONYMOUS, SetAttributes.ofMode(0600))),
                        at("", remove("file")));
        for (var change : changes) {
            assertEquals(Nfs4Status.DELAY, other.status(change));
        }
        other.last(at("file", read(StateId.ANONYMOUS, 0, 100)));
        awaitRecall(delegation);
        giveBack(delegation);
        for (var change : changes) {
            assertEquals(Nfs4Status.OK, other.status(change));
        }
    }

    @Test
    void theClientItselfGoesOn() throws Exception {
        var delegation = delegated(BOTH);
        client.last(at("file", write(delegation, 0, "more")));
        client.last(at("file", read(delegation, 0, 100)));
        client.last(at("file", setAttr(StateId.ANONYMOUS, SetAttributes.ofMode(0600))));
        var byName = new OpenClaim.DelegatedName(delegation, claimed());
        client.last(at("", open("second", READ, 0, new OpenCreation.None(), byName)));
        var byHandle = new OpenClaim.DelegatedHandle(delegation);
        client.last(at("file", open("third", READ, 0, new OpenCreation.None(), byHandle)));
        client.last(at("", saveFh(), rename("file", "other")));
        assertEquals(List.of(), List.copyOf(calls.received));
        assertEquals(
                Nfs4Status.BAD_STATEID,
                other.status(at("other", open("x", READ, 0, new OpenCreation.None(), byHandle))));
    }

    private static FileName claimed() {
        return ((OpenClaim.Name) claim("file")).name();
    }

    /** RFC 8881, Section 10.4.3. */
    @Test
    @Tag("8267-6.5.1-3")
    void othersLearnFromTheWriterHowLongTheFileIs() throws Exception {
        var known = attributes(client);
        delegated(BOTH);
        tell(known.hyper(Attribute.CHANGE), 7);
        assertEqual(known, attributes(other));
        tell(known.hyper(Attribute.CHANGE) + 1, 4711);
        var first = attributes(other);
        var second = attributes(other);
        assertEquals(4711, first.hyper(Attribute.SIZE));
        assertNotEquals(known.hyper(Attribute.CHANGE), first.hyper(Attribute.CHANGE));
        assertNotEquals(first.hyper(Attribute.CHANGE), second.hyper(Attribute.CHANGE));
        assertEqual(known, attributes(client));
    }

    private static void assertEqual(ReadAttributes expected, ReadAttributes actual) {
        for (var each : List.of(Attribute.CHANGE, Attribute.SIZE)) {
            assertEquals(expected.hyper(each), actual.hyper(each), each::name);
        }
    }

    private void tell(long change, long size) {
        byte[] values = ByteBuffer.allocate(16).putLong(change).putLong(size).array();
        var told = EncodedAttributes.of(AttributeSet.of(Attribute.CHANGE, Attribute.SIZE), values);
        calls.answer(_ -> new CallbackResult.GetAttr(told));
    }

    private static ReadAttributes attributes(CompoundClient of) throws Exception {
        var result = of.last(at("file", getAttr(Attribute.CHANGE, Attribute.SIZE)));
        return ReadAttributes.decode(((AttributeResult.GetAttr) result).attributes());
    }

    @Test
    void aWriterThatDoesNotTellLosesIt() throws Exception {
        var delegation = delegated(BOTH);
        calls.answer(
                operation ->
                        new CallbackResult.Plain(
                                operation.opcode().number(), Nfs4Status.BADHANDLE));
        var wanted = at("file", getAttr(Attribute.SIZE));
        assertEquals(Nfs4Status.DELAY, other.status(wanted));
        calls.received.take();
        awaitRecall(delegation);
        giveBack(delegation);
        assertEquals(Nfs4Status.OK, other.status(wanted));
    }

    @Test
    void aClientLearnsAtOnceThatItsConnectionForCallsIsGone() throws Exception {
        assertEquals(0, flags());
        calls.cut();
        server.connect(new CallbackPeer());
        int down = SessionResult.Sequence.CB_PATH_DOWN;
        assertEquals(down | SessionResult.Sequence.CB_PATH_DOWN_SESSION, flags());
    }

    private int flags() throws Exception {
        var reply = client.compound(at("file", getFh()));
        return ((SessionResult.Sequence) reply.results().getFirst()).statusFlags();
    }

    @Test
    void aLocalProcessWaitsForIt() throws Exception {
        stop();
        serve(TestDirectory.of(TestDirectory.Kind.LOCAL), Delegations.LEASES);
        var path = testDirectory.root().resolve("file");
        var delegation = delegated(BOTH);
        client.last(at("file", write(delegation, 0, "CONTENT")));
        var reader = new ProcessBuilder("cat", path.toString()).start();
        awaitRecall(delegation);
        assertTrue(reader.isAlive());
        client.last(at("file", write(delegation, 0, "C")));
        giveBack(delegation);
        assertTrue(reader.waitFor(30, TimeUnit.SECONDS));
        assertEquals("CONTENT", new String(reader.getInputStream().readAllBytes()));
    }

    @Test
    void itStaysWithItsExportAndEndsWithIt() throws Exception {
        stop();
        serve(TestDirectory.of(TestDirectory.Kind.LOCAL), Delegations.LEASES);
        var path = testDirectory.root().resolve("file");
        var delegation = delegated(BOTH);
        var changed = new Export(TestServer.EXPORT, testDirectory.root(), true);
        server.nfs.replaceExports(List.of(changed.with(Delegations.LEASES)));
        assertEquals(1, server.nfs.administration().delegations(9).size());
        client.last(at("file", read(delegation, 0, 9)));
        server.nfs.replaceExports(List.of());
        assertEquals(List.of(), server.nfs.administration().delegations(9));
        // No local process waits for it any more.
        var writer = new ProcessBuilder("cp", "/dev/null", path.toString()).start();
        assertTrue(writer.waitFor(30, TimeUnit.SECONDS));
        assertEquals(0, writer.exitValue());
    }

    /** Its lease of the kernel, too, is over when the reply comes. */
    @Test
    void whoWaitedForItNeedNotWaitOnceItIsReturned() throws Exception {
        stop();
        serve(TestDirectory.of(TestDirectory.Kind.LOCAL), Delegations.LEASES);
        for (int i = 0; i < 200; i++) {
            var name = "file" + i;
            Files.writeString(testDirectory.root().resolve(name), "content");
            var opened = (StateResult.Open) client.last(at("", open(name, READ, 0)));
            client.last(at(name, new StateArguments.DelegReturn(id(opened.delegation()))));
            other.last(at(name, setAttr(StateId.ANONYMOUS, SetAttributes.ofSize(1))));
        }
    }

    @Test
    void aLocalChangeOfTheModeRecallsIt() throws Exception {
        stop();
        serve(TestDirectory.of(TestDirectory.Kind.LOCAL), Delegations.LEASES);
        var delegation = delegated(READ);
        Files.setPosixFilePermissions(
                testDirectory.root().resolve("file"), PosixFilePermissions.fromString("rw-------"));
        awaitRecall(delegation);
        giveBack(delegation);
    }

    @Test
    void aLocalRemovalRecallsIt() throws Exception {
        stop();
        serve(TestDirectory.of(TestDirectory.Kind.LOCAL), Delegations.LEASES);
        var delegation = delegated(BOTH);
        var found = (HandleResult.GetFh) client.last(at("file", getFh()));
        Files.delete(testDirectory.root().resolve("file"));
        var call = calls.received.poll(30, TimeUnit.SECONDS);
        assertNotNull(call, "no call came");
        var recall = assertInstanceOf(CallbackArguments.Recall.class, call.callbacks().getLast());
        assertEquals(delegation, recall.delegation());
        assertEquals(found.handle(), recall.handle());
    }

    @Test
    void whatItsOwnClientChangesDoesNotRecallIt() throws Exception {
        stop();
        serve(TestDirectory.of(TestDirectory.Kind.LOCAL), Delegations.LEASES);
        var delegation = delegated(BOTH);
        for (int i = 0; i < 50; i++) {
            client.last(at("file", setAttr(delegation, SetAttributes.ofMode(0600 + i % 2))));
            client.last(at("file", write(delegation, i, "x")));
            client.last(at("", saveFh(), rename("file", "other")));
            client.last(at("", saveFh(), rename("other", "file")));
        }
        assertEquals(List.of(), List.copyOf(calls.received));
        giveBack(delegation);
    }

    /**
     * A client of Linux locks for itself, and tells the server before it returns the delegation.
     */
    @ParameterizedTest
    @ValueSource(ints = {READ, BOTH})
    void itsHolderLocksWhileItIsRecalled(int access) throws Exception {
        stop();
        serve(TestDirectory.of(TestDirectory.Kind.LOCAL), Delegations.LEASES);
        var opened = (StateResult.Open) client.last(at("", opening(access)));
        var delegation = id(opened.delegation());
        var type = access == READ ? LockType.READ : LockType.WRITE;
        client.last(at("file", testLock("us", type, 0, 10)));
        client.last(at("file", lock(opened.open(), "us", type, 0, 10)));
        assertEquals(List.of(), List.copyOf(calls.received), "locks of its client recall nothing");
        var path = testDirectory.root().resolve("file").toString();
        var writer = new ProcessBuilder("dd", "of=" + path, "conv=notrunc", "status=none").start();
        writer.getOutputStream().close();
        awaitRecall(delegation);
        client.last(at("file", lock(opened.open(), "too", type, 20, 10)));
        giveBack(delegation);
        assertTrue(writer.waitFor(30, TimeUnit.SECONDS));
    }
}
