package io.github.rpcrdma4j.nfs.client.v4;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.attribute.EncodedAttributes;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeArguments;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeResult;
import io.github.rpcrdma4j.nfs.v4.operation.HandleArguments;
import io.github.rpcrdma4j.nfs.v4.operation.HandleResult;
import io.github.rpcrdma4j.nfs.v4.operation.Result;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: no COMPOUND has more operations than the session allows, however long a path is. Method: a
 * server that the test operates by hand, whose files are numbers: that of a name is one more than
 * that of its directory, and a file system begins at each third one.
 */
@Timeout(120)
class FewOperationsTest {
    private static final int SECONDS = 20;

    private ServerByHand server;
    private Nfs4Service service;

    @AfterEach
    void close() {
        service.close();
        server.close();
    }

    private void connect(int operations) throws Exception {
        server = new ServerByHand(Integer.MAX_VALUE, Integer.MAX_VALUE, operations);
        service = server.connect();
    }

    private static PathName path(int names) {
        return PathName.of(names == 0 ? "/" : "/x".repeat(names));
    }

    /** Answers the calls of a walk, which are so many. */
    private <T> T walked(int calls, int operations, Callable<T> walk) throws Exception {
        var walking = server.calling(walk);
        for (int i = 0; i < calls; i++) {
            var call = server.next();
            assertTrue(call.operations().size() <= operations, call.opcodes()::toString);
            call.answer(results(call.operations()));
        }
        var found = walking.get(SECONDS, TimeUnit.SECONDS);
        assertEquals(0, server.waiting());
        return found;
    }

    private static Result[] results(List<Arguments> operations) {
        var results = new ArrayList<Result>();
        int file = 0;
        for (var each : operations.subList(1, operations.size())) {
            switch (each) {
                case HandleArguments.PutRootFh _ -> file = 0;
                case HandleArguments.PutFh(var handle) ->
                        file = ByteBuffer.wrap(handle.bytes()).getInt();
                case HandleArguments.Lookup _ -> file++;
                default -> {}
            }
            results.add(
                    switch (each) {
                        case HandleArguments.GetFh _ ->
                                new HandleResult.GetFh(Nfs4Values.handle(handle(file)));
                        case AttributeArguments.GetAttr _ -> fileSystem(file / 3);
                        case AttributeArguments.SetAttr _ ->
                                new AttributeResult.SetAttr(Nfs4Status.OK, AttributeSet.NONE);
                        default -> Result.done(each.opcode());
                    });
        }
        return results.toArray(Result[]::new);
    }

    private static FileHandle handle(int file) {
        return new FileHandle(ByteBuffer.allocate(Integer.BYTES).putInt(file).array());
    }

    /** Returns the attributes of a directory. */
    private static Result fileSystem(int number) {
        return new AttributeResult.GetAttr(
                EncodedAttributes.of(
                        AttributeSet.of(Attribute.TYPE, Attribute.SIZE, Attribute.FSID),
                        ByteBuffer.allocate(Integer.BYTES + 3 * Long.BYTES)
                                .putInt(FileType.DIRECTORY.number())
                                .putLong(4096)
                                .putLong(number)
                                .putLong(0)
                                .array()));
    }

    @ParameterizedTest
    @CsvSource({"8,0,1", "8,1,1", "8,2,2", "8,40,21", "16,40,10", "64,20,1", "64,21,2", "64,61,4"})
    void aPathIsMountedInAsManyCallsAsItNeeds(int operations, int names, int calls)
            throws Exception {
        connect(operations);
        assertEquals(handle(names), walked(calls, operations, () -> service.mount(path(names))));
    }

    @ParameterizedTest
    @CsvSource({"8,0,0", "8,2,1", "8,3,2", "16,40,10", "64,20,1"})
    void aPathIsWalkedInAsManyCallsAsItNeeds(int operations, int names, int calls)
            throws Exception {
        connect(operations);
        var walked =
                walked(calls, operations, () -> service.walk(handle(0), path(names).names(), "no"));
        assertEquals(Optional.empty(), walked.failure());
        assertEquals(names, walked.files().size());
        for (int i = 0; i < names; i++) {
            assertEquals(handle(i + 1), walked.files().get(i).handle());
        }
    }

    /** What was walked before the delay is walked again, and counts once. */
    @Test
    void aWalkThatTheServerDelaysIsMadeAgain() throws Exception {
        connect(16);
        var walking = server.calling(() -> service.exports(path(8)));
        for (int step = 0; step < 2; step++) {
            var delayed = server.next();
            var results = results(delayed.operations());
            int last = step == 0 ? 10 : 3;
            results[last] = Result.failed(results[last].opcode(), Nfs4Status.DELAY);
            delayed.answer(Arrays.copyOf(results, last + 1));
            var again = server.next();
            again.answer(results(again.operations()));
        }
        assertEquals(
                List.of(PathName.of("/"), path(3), path(6)),
                walking.get(SECONDS, TimeUnit.SECONDS));
    }

    @ParameterizedTest
    @CsvSource({"8,0,1", "8,2,2", "8,16,9", "16,7,2", "64,16,1"})
    void theFileSystemsOnAPathAreFoundInAsManyCallsAsTheyNeed(int operations, int names, int calls)
            throws Exception {
        connect(operations);
        var begun = new ArrayList<PathName>();
        for (int i = 0; i <= names; i += 3) {
            begun.add(i == 0 ? PathName.of("/") : path(i));
        }
        assertEquals(begun, walked(calls, operations, () -> service.exports(path(names))));
    }

    /** The way to an export tells the rest of the path, too: once, as it may change afterwards. */
    @Test
    void aPathBelowItsExportIsToldByTheWayToTheExport() throws Exception {
        connect(64);
        var mounted = walked(1, 64, () -> service.mountFor(path(8)));
        assertEquals(handle(6), mounted.root().handle());
        var names = path(8).names().subList(6, 8);
        var first = walked(0, 64, () -> service.walk(handle(6), names, "no"));
        var second = walked(1, 64, () -> service.walk(handle(6), names, "no"));
        assertEquals(second, first);
        walked(1, 64, () -> service.mountFor(path(8)));
        walked(1, 64, () -> service.walk(handle(6), path(8).names().subList(6, 7), "no"));
    }

    private Void change() throws Exception {
        service.change(handle(8), AttributeChanges.ofMode(0700), "no");
        return null;
    }

    private void requireWalk(int calls) throws Exception {
        var names = path(8).names().subList(6, 8);
        walked(calls, 64, () -> service.walk(handle(6), names, "no"));
    }

    /** It may have changed what the way to the export has told. */
    @Test
    void aPathIsWalkedBehindAChange() throws Exception {
        connect(64);
        walked(1, 64, () -> service.mountFor(path(8)));
        walked(1, 64, this::change);
        requireWalk(1);
    }

    /** Nobody knows whether the way was told before the change, or behind it. */
    @Test
    void aPathIsWalkedBehindTheEndOfAChange() throws Exception {
        connect(64);
        var changing = server.calling(this::change);
        var call = server.next();
        walked(1, 64, () -> service.mountFor(path(8)));
        call.answer(results(call.operations()));
        changing.get(SECONDS, TimeUnit.SECONDS);
        requireWalk(1);
    }

    @Test
    void aPathIsNotWalkedBehindAQuestion() throws Exception {
        connect(64);
        walked(1, 64, () -> service.mountFor(path(8)));
        walked(1, 64, () -> service.attributes(handle(8), "no"));
        requireWalk(0);
    }
}
