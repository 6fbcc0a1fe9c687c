package io.github.rpcrdma4j.nfs.server;

import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.at;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.claim;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.encoded;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.join;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.open;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.read;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.saveFh;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.setAttr;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.write;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.SetAttributes;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.CopyArguments;
import io.github.rpcrdma4j.nfs.v4.operation.DataArguments;
import io.github.rpcrdma4j.nfs.v4.operation.OpenCreation;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments.Open;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.nio.file.Files;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: sizes and offsets that no file has are refused with a status that the operation may have.
 * Method: every operation with every pair of huge values, on every kind of store.
 */
class HugeRangesTest {
    private static final StateId NONE = StateId.ANONYMOUS;
    private static final Set<Nfs4Status> TOO_MUCH =
            EnumSet.of(Nfs4Status.FBIG, Nfs4Status.INVAL, Nfs4Status.NOSPC);

    /** What operations do that copy less, are not supported, or have units. */
    private static final Set<Nfs4Status> TOO_MUCH_OR_LESS =
            EnumSet.of(
                    Nfs4Status.FBIG,
                    Nfs4Status.INVAL,
                    Nfs4Status.NOSPC,
                    Nfs4Status.NOTSUPP,
                    Nfs4Status.OK);

    private static final Set<Nfs4Status> EMPTY =
            EnumSet.of(Nfs4Status.OK, Nfs4Status.NXIO, Nfs4Status.INVAL);

    private static final long[] HUGE = {
        -1, Long.MIN_VALUE, Long.MAX_VALUE, Long.MAX_VALUE - 1, Long.MAX_VALUE - 4095, 1L << 62
    };

    private TestDirectory testDirectory;
    private TestServer server;
    private CompoundClient client;

    static List<TestDirectory.Kind> kinds() throws Exception {
        return TestDirectory.kinds();
    }

    private void serve(TestDirectory.Kind kind) throws Exception {
        testDirectory = TestDirectory.of(kind);
        Files.writeString(testDirectory.root().resolve("file"), "text");
        Files.writeString(testDirectory.root().resolve("other"), "");
        server = TestServer.of(testDirectory);
        client = CompoundClient.of(server, "client");
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        testDirectory.close();
    }

    private static Map<String, Arguments[]> growing(long huge) {
        var calls = new LinkedHashMap<String, Arguments[]>();
        var size = SetAttributes.ofSize(huge);
        calls.put("SETATTR", at("file", setAttr(NONE, size)));
        var unchecked = new OpenCreation.Unchecked(encoded(size));
        calls.put("OPEN", at("", open("owner", Open.BOTH, 0, unchecked, claim("new"))));
        calls.put("WRITE", at("file", write(NONE, huge, "x")));
        return calls;
    }

    private static Map<String, Arguments[]> ranges(long offset, long length) {
        var calls = new LinkedHashMap<String, Arguments[]>();
        var range = " of " + length + " bytes at " + offset;
        var allocate = new DataArguments.Allocate(NONE, offset, length);
        calls.put("ALLOCATE" + range, at("file", allocate));
        var deallocate = new DataArguments.Deallocate(NONE, offset, length);
        calls.put("DEALLOCATE" + range, at("file", deallocate));
        for (long from : new long[] {0, offset}) {
            for (long to : new long[] {0, offset}) {
                var copy =
                        new CopyArguments.Copy(
                                NONE, NONE, from, to, length, false, true, List.of());
                var copied = join(at("file", saveFh()), at("other", copy));
                calls.put("COPY" + range + ", " + from + " to " + to, copied);
                var clone = new CopyArguments.Clone(NONE, NONE, from, to, length);
                var cloned = join(at("file", saveFh()), at("other", clone));
                calls.put("CLONE" + range + ", " + from + " to " + to, cloned);
            }
        }
        return calls;
    }

    private static Map<String, Arguments[]> reads(long offset, int length) {
        var calls = new LinkedHashMap<String, Arguments[]>();
        var range = " of " + length + " bytes at " + offset;
        calls.put("SEEK" + range, at("file", new DataArguments.Seek(NONE, offset, 0)));
        calls.put(
                "READ_PLUS" + range, at("file", new DataArguments.ReadPlus(NONE, offset, length)));
        calls.put("READ" + range, at("file", read(NONE, offset, length)));
        calls.put("COMMIT" + range, at("file", new DataArguments.Commit(offset, length)));
        return calls;
    }

    /** A file system without a limit of its own may make such a file. */
    @ParameterizedTest
    @MethodSource("kinds")
    void noFileBecomesHuge(TestDirectory.Kind kind) throws Exception {
        serve(kind);
        for (long huge : HUGE) {
            for (var call : growing(huge).entrySet()) {
                var status = client.status(call.getValue());
                assertTrue(
                        TOO_MUCH.contains(status) || status == Nfs4Status.OK && hasHugeFile(),
                        () -> call.getKey() + " of " + huge + ": " + status);
            }
            Files.deleteIfExists(testDirectory.root().resolve("new"));
        }
    }

    private boolean hasHugeFile() throws Exception {
        for (var name : List.of("file", "new")) {
            var file = testDirectory.root().resolve(name);
            if (Files.exists(file) && Files.size(file) > 1L << 61) {
                return true;
            }
        }
        return false;
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void rangesThatNoFileHasAreRefusedOrEmpty(TestDirectory.Kind kind) throws Exception {
        serve(kind);
        for (long huge : HUGE) {
            for (long length : new long[] {1, 4096, -1, Long.MAX_VALUE, 1L << 62}) {
                refuses(TOO_MUCH_OR_LESS, ranges(huge, length));
                refuses(EMPTY, reads(huge, (int) length));
            }
            refuses(TOO_MUCH_OR_LESS, ranges(0, huge));
        }
        assertEquals("text", Files.readString(testDirectory.root().resolve("file")));
        assertTrue(Files.size(testDirectory.root().resolve("other")) <= 4);
    }

    private void refuses(Set<Nfs4Status> statuses, Map<String, Arguments[]> calls)
            throws Exception {
        for (var call : calls.entrySet()) {
            var status = client.status(call.getValue());
            assertTrue(statuses.contains(status), () -> call.getKey() + ": " + status);
        }
    }
}
