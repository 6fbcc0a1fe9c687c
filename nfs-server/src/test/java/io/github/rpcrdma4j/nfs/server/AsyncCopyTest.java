package io.github.rpcrdma4j.nfs.server;

import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.at;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.close;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.getFh;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.join;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.open;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.saveFh;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.server.export.Delegations;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackResult;
import io.github.rpcrdma4j.nfs.v4.operation.CopyArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CopyResult;
import io.github.rpcrdma4j.nfs.v4.operation.DataArguments;
import io.github.rpcrdma4j.nfs.v4.operation.DataResult;
import io.github.rpcrdma4j.nfs.v4.operation.HandleResult;
import io.github.rpcrdma4j.nfs.v4.operation.OpenDelegation;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments.Open;
import io.github.rpcrdma4j.nfs.v4.operation.StateResult;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: long copies go on after the reply, and their clients are called at the end. Method: a store
 * that stops before each part, where a test is about the middle of a copy.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AsyncCopyTest {
    private static final int BYTES = 9 << 20;
    private static final String COPY = "Node.copyRange";

    private final HangingStores stores = new HangingStores(TestServer.EXPORT, Set.of(COPY));
    private final byte[] data = new byte[BYTES];
    private TestDirectory testDirectory;
    private TestServer server;
    private CallbackPeer calls;
    private CompoundClient client;

    @BeforeEach
    void serve() throws Exception {
        new Random(1).nextBytes(data);
        testDirectory = TestDirectory.of(TestDirectory.Kind.LOCAL);
        Files.write(path("file"), data);
        Files.createFile(path("target"));
        var export =
                new Export(TestServer.EXPORT, testDirectory.root(), false)
                        .with(Delegations.EXCLUSIVE);
        var options = Nfs4Options.DEFAULT.withAsyncCopies(true);
        server = TestServer.of(List.of(export), stores, options);
        calls = new CallbackPeer();
        server.connect(calls);
        client = CompoundClient.of(server, "client");
    }

    @AfterEach
    void stop() throws Exception {
        stores.goOn();
        server.close();
        testDirectory.close();
    }

    private Path path(String name) {
        return testDirectory.root().resolve(name);
    }

    private static Arguments copy(StateId source, StateId target, boolean isSynchronous) {
        return new CopyArguments.Copy(source, target, 0, 0, 0, true, isSynchronous, List.of());
    }

    private static Arguments[] toTarget(Arguments... copying) {
        return join(at("file", saveFh()), at("target", copying));
    }

    private CopyResult.Copy copied(Arguments... operations) throws Exception {
        return (CopyResult.Copy) client.last(operations);
    }

    private CopyResult.Copy copied() throws Exception {
        return copied(toTarget(copy(StateId.ANONYMOUS, StateId.ANONYMOUS, false)));
    }

    /** Begins a copy that stops behind its first part. */
    private StateId stopped(StateId source, StateId target) throws Exception {
        stores.hang();
        var replied =
                CompletableFuture.supplyAsync(
                        () -> {
                            try {
                                return copied(toTarget(copy(source, target, false)));
                            } catch (Exception failed) {
                                throw new AssertionError(failed);
                            }
                        });
        stores.awaitBlocked();
        stores.step();
        stores.awaitBlocked();
        return replied.get().callbackId().orElseThrow();
    }

    private StateId stopped() throws Exception {
        return stopped(StateId.ANONYMOUS, StateId.ANONYMOUS);
    }

    /** Waits for the call that a copy has ended. */
    private CallbackArguments.Offload.End ended(StateId copy) throws Exception {
        var call = calls.received.poll(30, TimeUnit.SECONDS);
        assertNotNull(call, "no call came");
        var offload = assertInstanceOf(CallbackArguments.Offload.class, call.callbacks().getLast());
        assertEquals(copy, offload.copy());
        var handle = (HandleResult.GetFh) client.last(at("target", getFh()));
        assertEquals(handle.handle(), offload.handle());
        var sequence = (CallbackArguments.Sequence) call.callbacks().getFirst();
        assertEquals(client.session(), sequence.referring().getFirst().session());
        return offload.end();
    }

    private CopyResult.OffloadStatus status(StateId copy) throws Exception {
        return (CopyResult.OffloadStatus)
                client.last(at("target", new CopyArguments.OffloadStatus(copy)));
    }

    private Nfs4Status statusOf(Arguments operation) throws Exception {
        return client.status(at("target", operation));
    }

    @Test
    void aLongCopyGoesOnAfterItsReply() throws Exception {
        var reply = copied();
        assertFalse(reply.isSynchronous());
        assertEquals(0, reply.count());
        var copied =
                assertInstanceOf(
                        CallbackArguments.Offload.Copied.class,
                        ended(reply.callbackId().orElseThrow()));
        assertEquals(BYTES, copied.count());
        var commit = (DataResult.Commit) client.last(at("target", new DataArguments.Commit(0, 0)));
        assertEquals(commit.verifier(), copied.verifier());
        assertEquals(reply.verifier(), copied.verifier());
        assertArrayEquals(data, Files.readAllBytes(path("target")));
    }

    @Test
    void aShortCopyAndASynchronousOneEndBeforeTheirReplies() throws Exception {
        var synchronous = copied(toTarget(copy(StateId.ANONYMOUS, StateId.ANONYMOUS, true)));
        assertTrue(synchronous.isSynchronous());
        assertEquals(4 << 20, synchronous.count());
        assertEquals(Optional.empty(), synchronous.callbackId());
        Files.writeString(path("file"), "text");
        var small = copied();
        assertTrue(small.isSynchronous());
        assertEquals(4, small.count());
    }

    @Test
    void withoutABackChannelACopyIsSynchronous() throws Exception {
        server.disconnect();
        client = CompoundClient.of(server, "no callbacks");
        assertTrue(copied().isSynchronous());
    }

    @Test
    void aClientCanAskHowFarACopyIs() throws Exception {
        var copy = stopped();
        assertEquals(new CopyResult.OffloadStatus(4 << 20, Optional.empty()), status(copy));
        calls.answer(
                operation ->
                        new CallbackResult.Plain(operation.opcode().number(), Nfs4Status.DELAY));
        stores.goOn();
        assertEquals(Nfs4Status.OK, ended(copy).status());
        assertEquals(new CopyResult.OffloadStatus(BYTES, Optional.of(Nfs4Status.OK)), status(copy));
        calls.answer(
                operation -> new CallbackResult.Plain(operation.opcode().number(), Nfs4Status.OK));
        // The server calls again.
        assertEquals(Nfs4Status.OK, ended(copy).status());
    }

    @Test
    void anAdministratorSeesHowFarACopyIs() throws Exception {
        var copy = stopped();
        var running = server.nfs.administration().copies(9).getFirst();
        assertEquals(TestServer.EXPORT, running.file().export());
        assertEquals(
                (Long) Files.getAttribute(path("target"), "unix:ino"),
                running.file().inode().getAsLong());
        assertEquals(server.nfs.administration().clients(9).getFirst().id(), running.client());
        assertEquals(4 << 20, running.bytes());
        assertEquals(BYTES, running.length());
        assertTrue(running.isRunning());
        assertEquals(List.of(), server.nfs.administration().copies(0));
        calls.answer(
                operation ->
                        new CallbackResult.Plain(operation.opcode().number(), Nfs4Status.DELAY));
        stores.goOn();
        ended(copy);
        var ended = server.nfs.administration().copies(9).getFirst();
        assertEquals(BYTES, ended.bytes());
        assertFalse(ended.isRunning());
        assertEquals(Nfs4Status.COMPLETE_ALREADY, statusOf(new CopyArguments.OffloadCancel(copy)));
        assertEquals(List.of(), server.nfs.administration().copies(9));
    }

    @Test
    void aCancelledCopyStops() throws Exception {
        var copy = stopped();
        // The second part may still write, and then the client must not.
        assertEquals(Nfs4Status.DELAY, statusOf(new CopyArguments.OffloadCancel(copy)));
        assertEquals(new CopyResult.OffloadStatus(4 << 20, Optional.empty()), status(copy));
        stores.goOn();
        var cancelled = Nfs4Status.DELAY;
        while (cancelled == Nfs4Status.DELAY) {
            cancelled = statusOf(new CopyArguments.OffloadCancel(copy));
        }
        assertEquals(Nfs4Status.OK, cancelled);
        assertEquals(8 << 20, Files.size(path("target")));
        assertEquals(Nfs4Status.BAD_STATEID, statusOf(new CopyArguments.OffloadStatus(copy)));
        assertEquals(Nfs4Status.BAD_STATEID, statusOf(new CopyArguments.OffloadCancel(copy)));
        var next = copied().callbackId().orElseThrow();
        // The first call is about the next copy.
        assertEquals(Nfs4Status.OK, ended(next).status());
    }

    @Test
    void aCopyEndsWhenItsFileIsClosed() throws Exception {
        var source = client.open(at("", open("file", Open.READ, 0)));
        var target = client.open(at("", open("target", Open.WRITE, 0)));
        var copy = stopped(source, target);
        client.last(at("target", close(target)));
        stores.goOn();
        var failed = assertInstanceOf(CallbackArguments.Offload.Failed.class, ended(copy));
        assertEquals(Nfs4Status.BAD_STATEID, failed.status());
        // The part in progress was checked before.
        assertEquals(8 << 20, failed.count());
    }

    /** The owner opens the file again meanwhile, so its stateid has another sequence. */
    @Test
    void aCopyOutlastsChangesOfItsOpen() throws Exception {
        var target = client.open(at("", open("target", Open.WRITE, 0)));
        var copy = stopped(StateId.ANONYMOUS, target);
        client.last(at("", open("target", Open.BOTH, 0)));
        stores.goOn();
        assertEquals(Nfs4Status.OK, ended(copy).status());
        assertArrayEquals(data, Files.readAllBytes(path("target")));
    }

    @Test
    void delegationsOfOthersAreRecalledForEachPart() throws Exception {
        var copy = stopped();
        var otherCalls = new CallbackPeer();
        server.connect(otherCalls);
        var other = CompoundClient.of(server, "other");
        var open = (StateResult.Open) other.last(at("", open("file", Open.BOTH, 0)));
        var write = assertInstanceOf(OpenDelegation.Write.class, open.delegation());
        stores.goOn();
        var recall = otherCalls.received.poll(30, TimeUnit.SECONDS);
        assertInstanceOf(CallbackArguments.Recall.class, recall.callbacks().getLast());
        assertEquals(Optional.empty(), status(copy).outcome());
        other.last(at("file", new StateArguments.DelegReturn(write.stateId())));
        assertEquals(Nfs4Status.OK, ended(copy).status());
    }

    @Test
    void anErrorIsToldWithWhatWasCopied() throws Exception {
        var copy = stopped();
        Files.delete(path("target"));
        Files.delete(path("file"));
        stores.goOn();
        var call = calls.received.poll(30, TimeUnit.SECONDS);
        var offload = (CallbackArguments.Offload) call.callbacks().getLast();
        assertEquals(copy, offload.copy());
        assertEquals(Nfs4Status.STALE, offload.end().status());
    }

    @Test
    void anInternalErrorEndsACopy() throws Exception {
        var copy = stopped();
        stores.fail(new OutOfMemoryError("test"));
        stores.goOn();
        var failed = assertInstanceOf(CallbackArguments.Offload.Failed.class, ended(copy));
        assertEquals(Nfs4Status.SERVERFAULT, failed.status());
        assertEquals(4 << 20, failed.count());
    }

    /** Whole table: RFC 7862, Section 15.2.3. */
    @Test
    void aCopyInsideAFileDoesNotOverlap() throws Exception {
        for (boolean isSynchronous : new boolean[] {false, true}) {
            long[][] overlapping = {
                {0, 0, 0}, {0, 1, 0}, {0, BYTES, 1L << 62}, {0, 99, 100}, {99, 0, 100}, {7, 7, 1}
            };
            for (long[] range : overlapping) {
                assertEquals(
                        Nfs4Status.INVAL,
                        client.status(inside(range, isSynchronous)),
                        range[1] + "");
            }
            long[][] apart = {{0, 100, 100}, {100, 0, 100}, {BYTES - 4, BYTES, 4}};
            for (long[] range : apart) {
                assertEquals(range[2], copied(inside(range, isSynchronous)).count());
            }
        }
        assertEquals(BYTES + 4, Files.size(path("file")));
    }

    private static Arguments[] inside(long[] range, boolean isSynchronous) {
        var none = StateId.ANONYMOUS;
        return at(
                "file",
                saveFh(),
                new CopyArguments.Copy(
                        none, none, range[0], range[1], range[2], true, isSynchronous, List.of()));
    }
}
