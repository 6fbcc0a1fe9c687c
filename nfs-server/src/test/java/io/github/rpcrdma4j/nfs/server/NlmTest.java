package io.github.rpcrdma4j.nfs.server;

import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.at;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.create;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.lock;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.open;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.testLock;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rpcrdma4j.nfs.directories.ChildProcess;
import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.lock.Nlm;
import io.github.rpcrdma4j.nfs.lock.NlmCall;
import io.github.rpcrdma4j.nfs.lock.NlmHolder;
import io.github.rpcrdma4j.nfs.lock.NlmLock;
import io.github.rpcrdma4j.nfs.lock.NlmProcedure;
import io.github.rpcrdma4j.nfs.lock.NlmShare;
import io.github.rpcrdma4j.nfs.lock.NlmStatus;
import io.github.rpcrdma4j.nfs.lock.Nsm;
import io.github.rpcrdma4j.nfs.lock.NsmCall;
import io.github.rpcrdma4j.nfs.mount.Mount3;
import io.github.rpcrdma4j.nfs.server.export.Clients;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.export.ExportRule;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.LockType;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments.Open;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Goal: locks of NLM follow XNFS, Version 3W, Chapter 10, and exclude all other locks. */
class NlmTest {
    private static final String A = "192.0.2.1";
    private static final String B = "192.0.2.2";

    private TestDirectory testDirectory;
    private TestServer server;
    private FileHandle file;
    private LockingHost a;
    private LockingHost b;

    @BeforeEach
    void serve() throws Exception {
        testDirectory = TestDirectory.of(TestDirectory.Kind.LOCAL);
        server = TestServer.of(testDirectory);
        file = server.create(server.root(), "file");
        a = LockingHost.of(server, A, file.bytes());
        b = LockingHost.of(server, B, file.bytes());
    }

    @AfterEach
    void stop() throws Exception {
        if (testDirectory != null) {
            server.close();
            testDirectory.close();
        }
    }

    private Path path() {
        return testDirectory.root().resolve("file");
    }

    /** RFC 8267, Section 5.1: MOUNT, NLM and NSM are there for transports without RDMA. */
    @Test
    void theServerHasMountNlmAndNsm() throws Exception {
        var served = new ArrayList<>(server.nfs.programs());
        served.addAll(server.nfs.lockPrograms(false));
        for (var id :
                List.of(
                        new ProgramId(Mount3.PROGRAM, Mount3.VERSION),
                        new ProgramId(Nlm.PROGRAM, 4),
                        new ProgramId(Nsm.PROGRAM, 1))) {
            assertTrue(served.stream().anyMatch(each -> each.id().equals(id)), id::toString);
            server.results(id.number(), id.highestVersion(), 0, new Credential.None(), _ -> {})
                    .finish();
        }
    }

    /** Goal: a server waits for no lock, so it takes none that another one grants. */
    @Test
    void takesNoLockThatSomebodyGrants() throws Exception {
        var granted = new NlmCall.Granted(LockingHost.COOKIE, true, a.range(0, 5));
        assertEquals(NlmStatus.DENIED, a.call(NlmProcedure.GRANTED, granted).status());
        assertEquals(NlmStatus.GRANTED, b.lock(true, 0, 5));
    }

    /**
     * Goal: SM_STAT and SM_MON tell that no host is monitored for others, and a number of the start
     * that is odd, as the server is up (XNFS, Version 3W, Chapter 11).
     */
    @Test
    void monitorsNoHostForOthers() throws Exception {
        var host = new NsmCall.Stat(OpaqueName.of("a host".getBytes(StandardCharsets.US_ASCII)));
        var in =
                server.results(
                        Nsm.PROGRAM,
                        1,
                        NsmCall.Procedure.STAT.number(),
                        new Credential.None(),
                        host::encode);
        assertEquals(1, in.uint32(), "STAT_FAIL");
        assertEquals(1, in.uint32() & 1);
        in.finish();
    }

    @Test
    void hostsExcludeEachOther() throws Exception {
        assertEquals(NlmStatus.GRANTED, a.lock(true, 10, 5));
        assertEquals(NlmStatus.GRANTED, a.lock(true, 10, 5), "its own lock is not in the way");
        assertEquals(NlmStatus.DENIED, b.lock(false, 14, 1));
        assertEquals(NlmStatus.GRANTED, b.lock(true, 15, 0));
        assertEquals(NlmStatus.DENIED, a.lock(false, 1L << 40, 1));
        assertEquals(NlmStatus.GRANTED, a.unlock(0, 0));
        assertEquals(NlmStatus.GRANTED, b.lock(true, 0, 0));
    }

    @Test
    void processesAndHostsOfOneAddressAreDifferentOwners() throws Exception {
        assertEquals(NlmStatus.GRANTED, a.lock(true, 0, 10));
        assertEquals(NlmStatus.DENIED, a.withProcess(8).lock(true, 0, 10));
        assertEquals(NlmStatus.DENIED, a.withName("other").lock(true, 0, 10));
        assertEquals(NlmStatus.GRANTED, a.withProcess(8).unlock(0, 10));
        assertEquals(NlmStatus.GRANTED, a.withName("other").unlock(0, 10));
        assertEquals(NlmStatus.DENIED, b.lock(true, 0, 10), "they have unlocked nothing");
    }

    @Test
    void aTestTellsTheHolder() throws Exception {
        assertEquals(Optional.empty(), b.test(true, 0, 0).holder());
        a.lock(false, 10, 5);
        assertEquals(NlmStatus.GRANTED, b.test(false, 0, 0).status());
        var owner = a.range(0, 0).owner();
        assertEquals(
                Optional.of(new NlmHolder(false, 7, owner, 10, 5)), b.test(true, 0, 0).holder());
        assertEquals(NlmStatus.GRANTED, a.test(true, 0, 0).status());
        a.lock(true, 20, 0);
        assertEquals(
                Optional.of(new NlmHolder(true, 7, owner, 20, 0)), b.test(false, 30, 1).holder());
        assertEquals(LockingHost.COOKIE, b.test(false, 30, 1).cookie());
    }

    @Test
    void locksOfVersion4AndOfHostsExcludeEachOther() throws Exception {
        var client = CompoundClient.of(server, "client");
        var open = client.open(at("", create("file")));
        client.last(at("file", lock(open, "us", LockType.WRITE, 0, 10)));
        assertEquals(NlmStatus.DENIED, a.lock(false, 9, 1));
        assertEquals(
                Optional.of(new NlmHolder(true, 0, Nfs4Calls.name("us"), 0, 10)),
                a.test(false, 0, 0).holder());
        assertEquals(NlmStatus.GRANTED, a.lock(true, 10, 10));
        assertEquals(
                Nfs4Status.DENIED, client.status(at("file", testLock("us", LockType.READ, 0, 11))));
        assertEquals(
                Nfs4Status.DENIED,
                client.status(at("file", lock(open, "us", LockType.READ, 19, 1))));
    }

    @Test
    void localProcessesAndHostsExcludeEachOther() throws Exception {
        assertEquals(NlmStatus.GRANTED, a.lock(true, 0, 10));
        ChildProcess.run(List.of(), LockTest.Locked.class, path().toString());
        assertEquals(NlmStatus.GRANTED, a.unlock(0, 0));
        ChildProcess.run(List.of(), LockTest.Unlocked.class, path().toString());
    }

    /**
     * Each lock of this process ends when the server, which is in this process, closes the file.
     */
    @Test
    void hostsSeeTheLocksOfLocalProcesses() throws Exception {
        try (var channel = FileChannel.open(path(), StandardOpenOption.WRITE)) {
            channel.lock(5, 10, false);
            assertEquals(NlmStatus.DENIED, a.lock(false, 0, 6));
        }
    }

    @Test
    void aTestSeesTheLocksOfLocalProcesses() throws Exception {
        try (var channel = FileChannel.open(path(), StandardOpenOption.WRITE)) {
            channel.lock(5, 10, false);
            var holder = b.test(true, 0, 0).holder().orElseThrow();
            assertEquals(5, holder.offset());
            assertEquals(10, holder.length());
        }
    }

    @Test
    void olderVersionsLockByTheHandlesOfVersion2() throws Exception {
        var client = new Nfs2Client(server, LockingHost.ROOT);
        byte[] handle = client.lookup(client.root(), "file").bytes();
        for (int version : new int[] {1, 3}) {
            var old = a.withVersion(version, handle);
            assertEquals(NlmStatus.GRANTED, old.lock(true, 0xffff_fff0L, 0));
            var holder = b.test(true, 0, 0).holder().orElseThrow();
            assertEquals(0xffff_fff0L, holder.offset());
            assertEquals(0, holder.length());
            assertEquals(NlmStatus.GRANTED, old.unlock(0, 0));
            assertEquals(
                    NlmStatus.DENIED_NOLOCKS,
                    old.withFile(file.bytes()).lock(true, 0, 1),
                    "it has no number for a stale handle");
        }
    }

    @Test
    void rangesBeyondTheEndOfNumbersAreTooBig() throws Exception {
        assertEquals(NlmStatus.FBIG, a.lock(true, 2, -2));
        assertEquals(NlmStatus.FBIG, a.unlock(-1, 2));
        assertEquals(NlmStatus.GRANTED, a.lock(true, -2, 1));
        assertEquals(NlmStatus.DENIED, b.lock(false, Long.MIN_VALUE, 0));
        assertEquals(NlmStatus.GRANTED, a.unlock(Long.MIN_VALUE, -1));
        assertEquals(NlmStatus.GRANTED, b.lock(false, Long.MIN_VALUE, 0));
    }

    @Test
    void foreignHandlesAreStale() throws Exception {
        byte[] forged = file.bytes();
        forged[forged.length - 1] ^= 1;
        for (var handle : List.of(forged, new byte[0], new byte[65], new byte[1024])) {
            assertEquals(NlmStatus.STALE_FH, a.withFile(handle).lock(true, 0, 1));
            assertEquals(NlmStatus.STALE_FH, a.withFile(handle).test(true, 0, 1).status());
            assertEquals(NlmStatus.STALE_FH, a.withFile(handle).unlock(0, 1));
        }
        assertEquals(NlmStatus.FAILED, a.withFile(server.root().bytes()).lock(true, 0, 1));
    }

    @Test
    void namesThatAreTooLongGetNoLocks() throws Exception {
        assertEquals(NlmStatus.DENIED_NOLOCKS, a.withName("x".repeat(256)).lock(true, 0, 1));
        assertEquals(NlmStatus.GRANTED, a.withName("x".repeat(255)).lock(true, 0, 1));
        var range = a.range(0, 1);
        var longOwner =
                new NlmLock(
                        range.host(),
                        range.file(),
                        LockingHost.name("x".repeat(513)),
                        range.process(),
                        range.offset(),
                        range.length());
        var call = new NlmCall.Lock(LockingHost.COOKIE, false, true, longOwner, false, 1);
        assertEquals(NlmStatus.DENIED_NOLOCKS, a.call(NlmProcedure.LOCK, call).status());
    }

    @Test
    void aHostLosesItsLocksWhenItTellsThatItHasRestarted() throws Exception {
        a.lock(true, 0, 10);
        a.restarted("host", 3);
        assertEquals(NlmStatus.GRANTED, b.lock(true, 0, 10));
    }

    /** A notice may arrive again, when the host has already locked something anew. */
    @Test
    void aLateNoticeOfARestartTakesNothing() throws Exception {
        a.lock(true, 0, 10);
        a.restarted("host", 3);
        a.withState(3).lock(true, 0, 10);
        a.restarted("host", 3);
        assertEquals(NlmStatus.DENIED, b.lock(true, 0, 10));
    }

    /** Its first LOCK may come before its notice, and another user there may send such a LOCK. */
    @Test
    void aRestartedHostLosesWhatItHadBeforeEvenIfItHasLockedAnew() throws Exception {
        a.lock(true, 0, 10);
        a.withState(3).lock(true, 20, 10);
        a.restarted("host", 3);
        assertEquals(NlmStatus.GRANTED, b.lock(true, 0, 10));
        assertEquals(NlmStatus.DENIED, b.lock(true, 20, 10));
    }

    @Test
    void hostsAreKnownWithAndWithoutTheirDomain() throws Exception {
        for (var told : List.of("host.example.org", "HOST", A)) {
            assertEquals(NlmStatus.GRANTED, a.lock(true, 0, 10));
            a.restarted("else", 5);
            assertEquals(NlmStatus.DENIED, b.lock(true, 0, 10));
            a.restarted(told, 5);
            assertEquals(NlmStatus.GRANTED, b.lock(true, 0, 10));
            b.unlock(0, 0);
        }
    }

    @Test
    void noHostTakesTheLocksOfAnotherAddress() throws Exception {
        a.lock(true, 0, 10);
        b.restarted("host", 3);
        b.restarted(A, 3);
        b.tell(NlmProcedure.FREE_ALL, new NlmCall.FreeAll(LockingHost.name("host"), 3));
        assertEquals(NlmStatus.DENIED, b.cancel(true, 0, 10));
        assertEquals(NlmStatus.GRANTED, b.unlock(0, 0));
        assertEquals(NlmStatus.DENIED, b.lock(true, 0, 10));
        a.tell(NlmProcedure.FREE_ALL, new NlmCall.FreeAll(LockingHost.name("host"), 3));
        assertEquals(NlmStatus.GRANTED, b.lock(true, 0, 10));
    }

    /** Otherwise the files are used with the rights of the server. */
    private static void assumeServerActsForCallers() throws Exception {
        assumeTrue(
                Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0),
                "only root acts for others");
    }

    @Test
    void whoMayNotReadAFileMayNotLockIt() throws Exception {
        assumeServerActsForCallers();
        Files.setAttribute(path(), "unix:mode", 0600);
        var stranger = new Credential.Sys(0, "test", 4711, 4711, List.of());
        assertEquals(
                NlmStatus.FAILED,
                a.call(stranger, NlmProcedure.LOCK, a.locking(false, 0, 1)).status());
        assertEquals(NlmStatus.GRANTED, a.lock(false, 0, 1));
    }

    /** A lock of the kernel against all others needs a descriptor for writing. */
    @Test
    void whoMayOnlyReadAFileLocksItAgainstWritersOnly() throws Exception {
        assumeServerActsForCallers();
        Files.setAttribute(path(), "unix:mode", 0644);
        var reader = new Credential.Sys(0, "test", 4711, 4711, List.of());
        assertEquals(
                NlmStatus.FAILED,
                a.call(reader, NlmProcedure.LOCK, a.locking(true, 0, 1)).status());
        assertEquals(
                NlmStatus.GRANTED,
                a.call(reader, NlmProcedure.LOCK, a.locking(false, 0, 1)).status());
        assertEquals(NlmStatus.GRANTED, a.lock(true, 0, 1));
    }

    @Test
    void readOnlyExportsHaveNoExclusiveLocks() throws Exception {
        try (var other = TestServer.of(List.of(new Export("/export", path().getParent(), true)))) {
            var reader = a.on(other).withFile(other.lookup(other.root(), "file").bytes());
            assertEquals(NlmStatus.ROFS, reader.lock(true, 0, 1));
            assertEquals(NlmStatus.GRANTED, reader.lock(false, 0, 1));
        }
    }

    @Test
    void aHostSharesAFileAsItsUserMayUseItOnly() throws Exception {
        assumeServerActsForCallers();
        Files.setAttribute(path(), "unix:mode", 0644);
        var reader = new Credential.Sys(0, "test", 4711, 4711, List.of());
        var procedure = NlmProcedure.SHARE;
        assertEquals(
                NlmStatus.FAILED, a.call(reader, procedure, a.sharing(NlmShare.WRITE, 0)).status());
        assertEquals(NlmStatus.DENIED, a.call(reader, procedure, a.sharing(0, 3)).status());
        assertEquals(
                NlmStatus.GRANTED, a.call(reader, procedure, a.sharing(NlmShare.READ, 0)).status());
        try (var other = TestServer.of(List.of(new Export("/export", path().getParent(), true)))) {
            var host = a.on(other).withFile(other.lookup(other.root(), "file").bytes());
            assertEquals(NlmStatus.ROFS, host.share(NlmShare.WRITE, 0));
            assertEquals(NlmStatus.ROFS, host.share(NlmShare.READ, NlmShare.READ));
            assertEquals(NlmStatus.GRANTED, host.share(NlmShare.READ, NlmShare.WRITE));
            assertEquals(NlmStatus.GRANTED, host.share(NlmShare.READ, 0));
        }
    }

    @Test
    void sharesExcludeOpensOfVersion4() throws Exception {
        var client = CompoundClient.of(server, "client");
        assertEquals(NlmStatus.GRANTED, a.share(1, 2));
        assertEquals(NlmStatus.DENIED, b.share(2, 0));
        assertEquals(Nfs4Status.SHARE_DENIED, client.status(at("", open("file", Open.BOTH, 0))));
        assertEquals(NlmStatus.GRANTED, a.share(1, 0), "it takes the place of the first");
        assertEquals(NlmStatus.GRANTED, b.share(2, 0));
        assertEquals(NlmStatus.GRANTED, b.unshare());
        client.open(at("", open("file", Open.READ, 2)));
        assertEquals(NlmStatus.DENIED, b.share(2, 0));
    }

    @Test
    void administratorsSeeHostsAndEndThem() throws Exception {
        a.lock(true, 5, 10);
        var shown = server.nfs.administration().clients(10).getFirst();
        assertEquals("NLM host 192.0.2.1 host", shown.name());
        assertEquals(1, shown.ranges());
        var lock = server.nfs.administration().locks(10).getFirst();
        assertEquals("7:7@host", lock.owner());
        assertEquals(List.of(), server.nfs.administration().opens(10));
        assertTrue(server.nfs.administration().end(shown.id()).isPresent());
        assertEquals(List.of(), server.nfs.administration().clients(10));
        assertEquals(NlmStatus.GRANTED, b.lock(true, 0, 0));
    }

    @Test
    void hostsThatNoExportHasARuleForAreDenied() throws Exception {
        var rules = List.of(ExportRule.of(Clients.parse(A)));
        try (var other = TestServer.of(testDirectory, rules, SecurityFlavor.SYS)) {
            other.moveTo(B);
            assertTrue(
                    other.isTooWeak(
                            LockingHost.ROOT,
                            Nlm.PROGRAM,
                            4,
                            NlmProcedure.LOCK.number(),
                            out -> b.locking(true, 0, 1).encode(4, out)));
        }
    }

    /** Another host may remove the file, or put another one in its place. */
    @Test
    void aHostGivesUpWhatItHasOfAFileThatIsGone() throws Exception {
        assertEquals(NlmStatus.GRANTED, a.lock(true, 0, 10));
        assertEquals(NlmStatus.BLOCKED, b.await(true, 0, 10));
        assertEquals(NlmStatus.GRANTED, a.share(1, 0));
        assertEquals(4, heldStates());
        Files.delete(path());
        assertEquals(NlmStatus.STALE_FH, a.lock(true, 20, 10));
        assertEquals(NlmStatus.GRANTED, b.cancel(true, 0, 10));
        assertEquals(NlmStatus.GRANTED, a.unlock(0, 0));
        assertEquals(NlmStatus.GRANTED, a.unshare());
        assertEquals(List.of(), server.nfs.administration().locks(10));
        assertEquals(0, heldStates());
    }

    private int heldStates() {
        return server.nfs.administration().clients(10).stream().mapToInt(each -> each.held()).sum();
    }
}
