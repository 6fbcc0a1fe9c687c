package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.v2.FileHandle;
import io.github.rpcrdma4j.nfs.v2.Nfs2Binding;
import io.github.rpcrdma4j.nfs.v2.Nfs2Call;
import io.github.rpcrdma4j.nfs.v2.Nfs2Call.Place;
import io.github.rpcrdma4j.nfs.v2.Nfs2Reply;
import io.github.rpcrdma4j.nfs.v2.Nfs2Results.Found;
import io.github.rpcrdma4j.nfs.v2.SetAttributes;
import io.github.rpcrdma4j.nfs.v2.Timestamp;
import io.github.rpcrdma4j.sim.Seeds;
import java.lang.foreign.MemorySegment;
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
 * Goal: no call of version 2 makes the server fail. Method: random calls on few files, half of them
 * with flipped bits or cut off; the reply can always be decoded, no memory stays leased, and no
 * internal error is logged.
 */
@ParameterizedClass
@MethodSource("io.github.rpcrdma4j.nfs.directories.TestDirectory#kinds")
class HostileNfs2Test {
    private static final int CALLS = Seeds.rounds(3000);
    private static final int HANDLES_MAX = 30;
    private static final int HANDLE_BYTES = 32;
    private static final String[] NAMES = {"a", "b", "c", "d", ".", "..", "", "a/b", "x\0"};
    private static final int[] WORDS = {0, 1, -1, 7, 20, 100, 8192, 8193, Integer.MIN_VALUE};

    @Parameter TestDirectory.Kind kind;
    private TestDirectory testDirectory;
    private TestServer server;
    private Nfs2Client client;
    private Random random;
    private LoggedFailures failures;
    private final List<FileHandle> handles = new ArrayList<>();

    @BeforeEach
    void serve() throws Exception {
        random = new Random(Seeds.one());
        testDirectory = TestDirectory.of(kind);
        server = TestServer.of(testDirectory);
        client = Nfs2Client.of(server);
        handles.add(client.root());
        failures = new LoggedFailures();
    }

    @AfterEach
    void stop() throws Exception {
        failures.close();
        server.close();
        testDirectory.close();
    }

    private int word() {
        int usual = WORDS[random.nextInt(WORDS.length)];
        return random.nextInt(4) == 0 ? random.nextInt() : usual;
    }

    private FileHandle handle() {
        return handles.get(random.nextInt(handles.size()));
    }

    private Place place() {
        var name = random.nextInt(50) == 0 ? "x".repeat(300) : NAMES[random.nextInt(NAMES.length)];
        return new Place(handle(), FileName.of(name));
    }

    private SetAttributes attributes() {
        // A file of gigabytes would fill the file system in memory.
        int size = random.nextInt(3) == 0 ? random.nextInt(10_000) : SetAttributes.KEEP;
        int mode = random.nextInt(5) == 0 ? word() | 0700 : 0755;
        return new SetAttributes(mode, -1, -1, size, time(), time());
    }

    private Timestamp time() {
        return new Timestamp(word(), random.nextBoolean() ? word() : 1_000_000);
    }

    private Nfs2Call<?> any() {
        return switch (random.nextInt(15)) {
            case 0 -> new Nfs2Call.GetAttributes(handle());
            case 1 -> new Nfs2Call.ChangeAttributes(handle(), attributes());
            case 2 -> new Nfs2Call.Lookup(place());
            case 3 -> new Nfs2Call.ReadLink(handle());
            case 4 -> new Nfs2Call.Read(handle(), word(), word());
            case 5 ->
                    new Nfs2Call.Write(
                            handle(),
                            random.nextInt(20_000),
                            MemorySegment.ofArray(new byte[random.nextInt(8200)]));
            case 6 -> new Nfs2Call.Create(place(), attributes());
            case 7 -> new Nfs2Call.Remove(place());
            case 8 -> new Nfs2Call.Rename(place(), place());
            case 9 -> new Nfs2Call.Link(handle(), place());
            case 10 ->
                    new Nfs2Call.MakeSymbolicLink(
                            place(), PathName.of("t".repeat(random.nextInt(1025))), attributes());
            case 11 -> new Nfs2Call.MakeDirectory(place(), attributes());
            case 12 -> new Nfs2Call.RemoveDirectory(place());
            case 13 -> new Nfs2Call.ReadDirectory(handle(), word(), word());
            default -> new Nfs2Call.FileSystem(handle());
        };
    }

    @Test
    void damagedCallsAreAnswered() throws Exception {
        var calls = new RawCalls(server, random, failures);
        for (int i = 0; i < CALLS; i++) {
            var call = any();
            var procedure = call.procedure();
            var target =
                    new RawCalls.Target(
                            Nfs2Binding.PROGRAM, Nfs2Binding.VERSION, procedure.number());
            var results =
                    calls.send(
                            target,
                            client.caller(),
                            call::encode,
                            HANDLE_BYTES,
                            in -> Nfs2Call.decode(procedure, in));
            if (results.isPresent()) {
                remember(call.replyFormat().decode(results.get()));
            }
        }
        assertEquals(0, calls.postponed);
        assertTrue(calls.garbage > CALLS / 50 && calls.answered > CALLS / 3);
    }

    private void remember(Nfs2Reply<?> reply) {
        if (reply instanceof Nfs2Reply.Ok<?>(Found(var handle, _))) {
            if (handles.size() == HANDLES_MAX) {
                handles.remove(1 + random.nextInt(HANDLES_MAX - 1));
            }
            handles.add(handle);
        }
    }
}
