package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.v2.FileHandle;
import io.github.rpcrdma4j.nfs.v2.Nfs2Binding;
import io.github.rpcrdma4j.nfs.v2.Nfs2Binding.Procedure;
import io.github.rpcrdma4j.nfs.v2.Nfs2Call;
import io.github.rpcrdma4j.nfs.v2.Nfs2Call.Place;
import io.github.rpcrdma4j.nfs.v2.Nfs2Reply;
import io.github.rpcrdma4j.nfs.v2.Nfs2Results.Found;
import io.github.rpcrdma4j.nfs.v2.SetAttributes;
import io.github.rpcrdma4j.nfs.v2.Timestamp;
import io.github.rpcrdma4j.sim.Seeds;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
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
@MethodSource("io.github.rpcrdma4j.nfs.server.TestDirectory#kinds")
class HostileNfs2Test {
    private static final int CALLS = Seeds.rounds(3000);
    private static final int HANDLES_MAX = 30;
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

    private byte[] encoded(Nfs2Call<?> call) {
        try (var out = new XdrWriter(server.pool)) {
            call.encode(out);
            out.inlineBulkItems();
            return out.reducedStream().toArray(ValueLayout.JAVA_BYTE);
        }
    }

    private byte[] damaged(byte[] call) {
        if (random.nextInt(4) == 0) {
            return Arrays.copyOf(call, random.nextInt(call.length + 8));
        }
        byte[] damaged = call.clone();
        for (int flips = 1 + random.nextInt(3); flips > 0; flips--) {
            // Handles are sealed, so what follows them is more often worth a flip.
            int from = random.nextInt(3) == 0 || damaged.length == 32 ? 0 : 32;
            damaged[from + random.nextInt(damaged.length - from)] ^=
                    (byte) (1 << random.nextInt(8));
        }
        return damaged;
    }

    private static boolean isWellFormed(Procedure procedure, byte[] call) {
        try {
            Nfs2Call.decode(procedure, new XdrReader(MemorySegment.ofArray(call)));
            return true;
        } catch (XdrException _) {
            return false;
        }
    }

    private XdrReader results(Procedure procedure, byte[] call) throws Exception {
        return server.results(
                Nfs2Binding.PROGRAM,
                Nfs2Binding.VERSION,
                procedure.number(),
                client.caller(),
                out -> out.fixedOpaque(call));
    }

    @Test
    void damagedCallsAreAnswered() throws Exception {
        int garbage = 0;
        int answered = 0;
        for (int i = 0; i < CALLS; i++) {
            var call = any();
            var procedure = call.procedure();
            byte[] bytes = random.nextBoolean() ? encoded(call) : damaged(encoded(call));
            // XDR is a stream of words.
            byte[] sent = Arrays.copyOf(bytes, (bytes.length + 3) / 4 * 4);
            if (isWellFormed(procedure, sent)) {
                remember(call.replyFormat().decode(results(procedure, sent)));
                answered++;
            } else {
                var refused = assertThrows(AssertionError.class, () -> results(procedure, sent));
                assertTrue(refused.getMessage().contains("GARBAGE_ARGS"), refused::getMessage);
                garbage++;
            }
            failures.assertNone(call.toString());
            assertEquals(0, server.pool.leased(), call::toString);
        }
        assertTrue(garbage > CALLS / 50 && answered > CALLS / 3, garbage + " of " + CALLS);
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
