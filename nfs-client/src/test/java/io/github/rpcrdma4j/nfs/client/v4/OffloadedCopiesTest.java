package io.github.rpcrdma4j.nfs.client.v4;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.copy.Copier;
import io.github.rpcrdma4j.nfs.client.copy.CopyListener;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.OpenFile;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import io.github.rpcrdma4j.nfs.client.service.Status;
import io.github.rpcrdma4j.nfs.client.service.Written;
import io.github.rpcrdma4j.nfs.client.v4.state.CopyLengths;
import io.github.rpcrdma4j.nfs.server.Nfs4Options;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CopyArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CopyResult;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.nfs.v4.operation.Result;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a copy that the server makes after its reply ends for the client as it has ended there, and
 * a server that lies about it, or says nothing, keeps no client. Method: the project's server, and
 * one by hand, over RDMA.
 */
@Timeout(120)
class OffloadedCopiesTest {
    private static final int LENGTH = 40 << 20;
    private static final int ASKED = 1000;
    private static final StateId NAME = new StateId(1, 2, 77);
    private static final FileHandle FILE = new FileHandle(new byte[] {1, 2, 3, 4});
    private static final Duration SHORT = Duration.ofSeconds(2);

    @TempDir private Path directory;
    private final List<Long> progress = new ArrayList<>();

    /** Who copies at a server by hand. */
    private Thread thread;

    /** What happens at the project's server, which copies after its replies. */
    private interface Use {
        void of(Nfs4Service service) throws Exception;
    }

    private byte[] served(Use use) throws Exception {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
        var bytes = new byte[LENGTH];
        new Random(LENGTH).nextBytes(bytes);
        Files.write(directory.resolve("source"), bytes);
        Files.createFile(directory.resolve("target"));
        Files.setPosixFilePermissions(
                directory.resolve("target"), PosixFilePermissions.fromString("rw-rw-rw-"));
        var options =
                new Nfs4Options(Duration.ofSeconds(10), Duration.ofSeconds(1), Optional.empty(), "")
                        .withAsyncCopies(true);
        try (var server = new WatchedServer(directory, options);
                var service = server.connect()) {
            use.of(service);
        }
        return bytes;
    }

    @Test
    void theEndIsToldByACallback() throws Exception {
        var bytes =
                served(
                        service -> {
                            var root = service.mount(PathName.of("/data"));
                            try (var from = open(service, root, "source", OpenFile.Mode.READ);
                                    var to = open(service, root, "target", OpenFile.Mode.WRITE)) {
                                var copied = service.copy(from, to, 0, LENGTH, "no", progress::add);
                                assertEquals(LENGTH, copied.orElseThrow().count());
                            }
                        });
        assertArrayEquals(bytes, Files.readAllBytes(directory.resolve("target")));
    }

    /** As {@code rpcrdma cp} does, if the file system does not share the storage of both. */
    @Test
    void aFileIsCopiedOnTheServer() throws Exception {
        var told = new AtomicLong();
        var listener =
                new CopyListener() {
                    @Override
                    public void copied(long bytes) {
                        told.addAndGet(bytes);
                    }

                    @Override
                    public void lost(long bytes) {
                        told.addAndGet(-bytes);
                    }
                };
        var bytes =
                served(
                        service -> {
                            var mount = NfsMount.of(service, "/data");
                            new Copier(mount, WatchedServer.OPTIONS, listener)
                                    .copy(
                                            mount.resolve("/data/source"),
                                            "source",
                                            mount.place("/data/copy"),
                                            "copy");
                        });
        assertArrayEquals(bytes, Files.readAllBytes(directory.resolve("copy")));
        assertEquals(LENGTH, told.get());
    }

    private static OpenFile open(
            Nfs4Service service, FileHandle root, String name, OpenFile.Mode mode)
            throws Exception {
        var found = service.lookup(new RemotePlace(root, name), "no");
        return service.open(found.handle(), mode, "no");
    }

    /** What happens at a server by hand, while a client copies. */
    private interface Script {
        void run(ServerByHand server, Future<Optional<Written>> copying) throws Exception;
    }

    private void copying(Script script) throws Exception {
        try (var server = new ServerByHand();
                var service = server.connect(SHORT)) {
            var opening = server.calling(() -> service.open(FILE, OpenFile.Mode.BOTH, "no"));
            server.next(Opcode.SEQUENCE, Opcode.PUTFH, Opcode.OPEN).answerAsServer();
            var file = opening.get();
            var copying =
                    new FutureTask<>(
                            () -> service.copy(file, file, 0, ASKED, "no copy", progress::add));
            thread = Thread.startVirtualThread(copying);
            script.run(server, copying);
        }
    }

    private static HandedCall nextCopy(ServerByHand server, boolean isSynchronous)
            throws Exception {
        var call =
                server.next(
                        Opcode.SEQUENCE, Opcode.PUTFH, Opcode.SAVEFH, Opcode.PUTFH, Opcode.COPY);
        var asked = (CopyArguments.Copy) call.operations().getLast();
        assertEquals(isSynchronous, asked.isSynchronous());
        assertEquals(ASKED, asked.count());
        return call;
    }

    private static void answer(HandedCall call, Result result) {
        call.answer(
                Result.done(Opcode.PUTFH),
                Result.done(Opcode.SAVEFH),
                Result.done(Opcode.PUTFH),
                result);
    }

    private static void begin(ServerByHand server) throws Exception {
        answer(
                nextCopy(server, false),
                new CopyResult.Copy(Optional.of(NAME), 0, Stability.UNSTABLE, 5, true, false));
    }

    private static HandedCall nextStatus(ServerByHand server) throws Exception {
        var call = server.next(Opcode.SEQUENCE, Opcode.PUTFH, Opcode.OFFLOAD_STATUS);
        var asked = (CopyArguments.OffloadStatus) call.operations().getLast();
        assertEquals(NAME, asked.copy());
        return call;
    }

    private static void tell(ServerByHand server, long count, Optional<Nfs4Status> outcome)
            throws Exception {
        nextStatus(server)
                .answer(Result.done(Opcode.PUTFH), new CopyResult.OffloadStatus(count, outcome));
    }

    private static void requireCancelled(ServerByHand server) throws Exception {
        var call = server.next(Opcode.SEQUENCE, Opcode.PUTFH, Opcode.OFFLOAD_CANCEL);
        assertEquals(NAME, ((CopyArguments.OffloadCancel) call.operations().getLast()).copy());
        call.answerAsServer();
    }

    private static Throwable failure(Future<?> copying) {
        var ended = assertThrows(ExecutionException.class, () -> copying.get(20, TimeUnit.SECONDS));
        return ended.getCause();
    }

    private static CallbackArguments.Offload end(StateId name, long count) {
        var end =
                new CallbackArguments.Offload.Copied(
                        Optional.empty(), count, Stability.FILE_SYNC, 8);
        return new CallbackArguments.Offload(Nfs4Values.handle(FILE), name, end);
    }

    /** A callback may come in front of the reply to COPY, and among others that nobody knows. */
    @Test
    void theCallbackCountsAlsoIfItOvertakesTheReply() throws Exception {
        copying(
                (server, copying) -> {
                    var call = nextCopy(server, false);
                    var others = IntStream.range(0, 5).mapToObj(i -> end(new StateId(1, 9, i), 5));
                    server.callBack(
                            call.end(),
                            Stream.concat(others, Stream.of(end(NAME, 999)))
                                    .toArray(CallbackArguments[]::new));
                    answer(
                            call,
                            new CopyResult.Copy(
                                    Optional.of(NAME), 0, Stability.UNSTABLE, 5, true, false));
                    requireWritten(server, copying, new Written(999, Stability.FILE_SYNC, 8));
                });
    }

    /** Whether the client asks meanwhile does not matter: the copy goes on, as it is told then. */
    private static void requireWritten(
            ServerByHand server, Future<Optional<Written>> copying, Written wanted)
            throws Exception {
        var asking =
                server.calling(
                        () -> {
                            while (true) {
                                tell(server, 1, Optional.empty());
                            }
                        });
        assertEquals(Optional.of(wanted), copying.get(20, TimeUnit.SECONDS));
        asking.cancel(true);
    }

    @Test
    void theCallbackCountsBehindTheReply() throws Exception {
        copying(
                (server, copying) -> {
                    var call = nextCopy(server, false);
                    answer(
                            call,
                            new CopyResult.Copy(
                                    Optional.of(NAME), 0, Stability.UNSTABLE, 5, true, false));
                    tell(server, 1, Optional.empty());
                    server.callBack(call.end(), end(NAME, ASKED));
                    requireWritten(server, copying, new Written(ASKED, Stability.FILE_SYNC, 8));
                });
    }

    @Test
    void aCallbackOfMoreThanWasAskedForIsNotBelieved() throws Exception {
        copying(
                (server, copying) -> {
                    var call = nextCopy(server, false);
                    server.callBack(call.end(), end(NAME, ASKED + 1));
                    answer(
                            call,
                            new CopyResult.Copy(
                                    Optional.of(NAME), 0, Stability.UNSTABLE, 5, true, false));
                    requireCancelled(server);
                    assertEquals(
                            "no copy: the server has copied 1001 bytes where 1000 were asked for",
                            failure(copying).getMessage());
                });
    }

    @Test
    void aCopyWhoseCallbackIsLostIsAskedAbout() throws Exception {
        copying(
                (server, copying) -> {
                    begin(server);
                    tell(server, 100, Optional.empty());
                    tell(server, 400, Optional.empty());
                    tell(server, ASKED, Optional.of(Nfs4Status.OK));
                    assertEquals(
                            Optional.of(new Written(ASKED, Stability.UNSTABLE, 5)), copying.get());
                    assertEquals(List.of(100L, 400L), progress.subList(0, 2));
                });
    }

    @Test
    void aCopyThatTheServerHasForgottenBeginsAnew() throws Exception {
        copying(
                (server, copying) -> {
                    begin(server);
                    tell(server, 100, Optional.empty());
                    nextStatus(server)
                            .answer(
                                    Result.done(Opcode.PUTFH),
                                    Result.failed(Opcode.OFFLOAD_STATUS, Nfs4Status.BAD_STATEID));
                    begin(server);
                    tell(server, ASKED, Optional.of(Nfs4Status.OK));
                    assertEquals(ASKED, copying.get().orElseThrow().count());
                });
    }

    /** Then its bytes pass through this machine. */
    @Test
    void aCopyThatTheServerForgetsEachTimeIsLeftToOthers() throws Exception {
        copying(
                (server, copying) -> {
                    for (int i = 0; i < 3; i++) {
                        begin(server);
                        nextStatus(server)
                                .answer(
                                        Result.done(Opcode.PUTFH),
                                        Result.failed(
                                                Opcode.OFFLOAD_STATUS, Nfs4Status.BAD_STATEID));
                    }
                    assertEquals(Optional.empty(), copying.get());
                });
    }

    @Test
    void aServerThatCopiesBeforeItsReplyAloneIsAskedForThat() throws Exception {
        copying(
                (server, copying) -> {
                    answer(nextCopy(server, false), new CopyResult.Requirements(true, true));
                    answer(
                            nextCopy(server, true),
                            new CopyResult.Copy(
                                    Optional.empty(), 9, Stability.FILE_SYNC, 5, true, true));
                    assertEquals(9, copying.get().orElseThrow().count());
                });
    }

    @Test
    void whatWasCopiedBeforeAFailureIsKept() throws Exception {
        copying(
                (server, copying) -> {
                    begin(server);
                    tell(server, 7, Optional.of(Nfs4Status.NOSPC));
                    assertEquals(7, copying.get().orElseThrow().count());
                });
    }

    @Test
    void aFailureOfTheServerIsTold() throws Exception {
        copying(
                (server, copying) -> {
                    begin(server);
                    tell(server, 0, Optional.of(Nfs4Status.NOSPC));
                    assertEquals(Status.NOSPC, ((NfsException) failure(copying)).status());
                });
    }

    @Test
    void aServerThatHasCopiedMoreThanItWasAskedForIsNotBelieved() throws Exception {
        copying(
                (server, copying) -> {
                    begin(server);
                    tell(server, ASKED + 1, Optional.empty());
                    requireCancelled(server);
                    assertEquals(
                            "no copy: the server has copied 1001 bytes where 1000 were asked for",
                            failure(copying).getMessage());
                });
    }

    @Test
    void aCopyWithoutProgressEnds() throws Exception {
        copying(
                (server, copying) -> {
                    begin(server);
                    long begun = System.nanoTime();
                    var call = server.next();
                    while (call.has(Opcode.OFFLOAD_STATUS)) {
                        call.answer(
                                Result.done(Opcode.PUTFH),
                                new CopyResult.OffloadStatus(3, Optional.empty()));
                        call = server.next();
                    }
                    assertTrue(call.has(Opcode.OFFLOAD_CANCEL));
                    call.answerAsServer();
                    assertTrue(System.nanoTime() - begun >= SHORT.toNanos());
                    assertEquals(
                            "no copy: the server has copied nothing for 2 seconds",
                            failure(copying).getMessage());
                });
    }

    @Test
    void aCopyThatNobodyWaitsForIsStopped() throws Exception {
        copying(
                (server, copying) -> {
                    begin(server);
                    tell(server, 3, Optional.empty());
                    thread.interrupt();
                    requireCancelled(server);
                    assertEquals(InterruptedException.class, failure(copying).getClass());
                });
    }

    /** A server without OFFLOAD_STATUS tells by the callback alone, which does not come here. */
    @Test
    void aServerThatCannotBeAskedIsNotWaitedForWithoutEnd() throws Exception {
        copying(
                (server, copying) -> {
                    begin(server);
                    var call = server.next();
                    while (call.has(Opcode.OFFLOAD_STATUS)) {
                        call.answer(
                                Result.done(Opcode.PUTFH),
                                Result.failed(Opcode.OFFLOAD_STATUS, Nfs4Status.NOTSUPP));
                        call = server.next();
                    }
                    assertTrue(call.has(Opcode.OFFLOAD_CANCEL));
                    call.answerAsServer();
                    assertEquals(IOException.class, failure(copying).getClass());
                });
    }

    /**
     * Answers a COPY by a copy that goes on after the reply, and returns how much was asked for.
     */
    private static long beginLong(ServerByHand server) throws Exception {
        var call = server.next();
        answer(call, new CopyResult.Copy(Optional.of(NAME), 0, Stability.UNSTABLE, 5, true, false));
        return ((CopyArguments.Copy) call.operations().getLast()).count();
    }

    /** Both copies are of one service: what the server has answered counts for the next one. */
    @Test
    void aServerThatCopiesAfterItsReplyIsAskedForAllAtOnceIfItTellsHowFarItIs() throws Exception {
        long all = 10 * CopyLengths.UNTOLD_MAX;
        try (var server = new ServerByHand();
                var service = server.connect(SHORT)) {
            var opening = server.calling(() -> service.open(FILE, OpenFile.Mode.BOTH, "no"));
            server.next(Opcode.SEQUENCE, Opcode.PUTFH, Opcode.OPEN).answerAsServer();
            var file = opening.get();
            Callable<Optional<Written>> copy =
                    () -> service.copy(file, file, 0, all, "no copy", progress::add);
            var first = server.calling(copy);
            assertEquals(CopyLengths.UNTOLD_MAX, beginLong(server));
            tell(server, CopyLengths.UNTOLD_MAX, Optional.of(Nfs4Status.OK));
            assertEquals(CopyLengths.UNTOLD_MAX, first.get().orElseThrow().count());
            var second = server.calling(copy);
            assertEquals(all, beginLong(server));
            tell(server, all, Optional.of(Nfs4Status.OK));
            assertEquals(all, second.get().orElseThrow().count());
            var third = server.calling(copy);
            assertEquals(all, beginLong(server));
            nextStatus(server)
                    .answer(
                            Result.done(Opcode.PUTFH),
                            Result.failed(Opcode.OFFLOAD_STATUS, Nfs4Status.NOTSUPP));
            requireCancelled(server);
            assertEquals(CopyLengths.UNTOLD_MAX, beginLong(server));
            tell(server, CopyLengths.UNTOLD_MAX, Optional.of(Nfs4Status.OK));
            assertEquals(CopyLengths.UNTOLD_MAX, third.get().orElseThrow().count());
        }
    }
}
