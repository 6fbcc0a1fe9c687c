package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundResult;
import io.github.rpcrdma4j.nfs.v4.operation.HandleResult;
import io.github.rpcrdma4j.nfs.v4.operation.LockResult;
import io.github.rpcrdma4j.nfs.v4.operation.StateResult;
import io.github.rpcrdma4j.sim.Seeds;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: no COMPOUND makes the server fail. Method: random operations on few files, some of them
 * with flipped bits; the reply can always be decoded, a repetition gets equal bytes, and no
 * internal error is logged.
 */
@ParameterizedClass
@MethodSource("io.github.rpcrdma4j.nfs.directories.TestDirectory#kinds")
class HostileCompoundsTest {
    private static final int COMPOUNDS = Seeds.rounds(2000);

    private static final int CLIENTS = 1000;

    @Parameter TestDirectory.Kind kind;
    private TestDirectory testDirectory;
    private TestServer server;
    private CompoundClient client;
    private Random random;
    private RandomCompounds compounds;
    private int clients;
    private LoggedFailures failures;

    @BeforeEach
    void serve() throws Exception {
        random = new Random(Seeds.one());
        compounds = new RandomCompounds(random, kind == TestDirectory.Kind.LOCAL);
        testDirectory = TestDirectory.of(kind);
        server = TestServer.of(testDirectory);
        connect();
        failures = new LoggedFailures();
    }

    @AfterEach
    void stop() throws Exception {
        failures.close();
        server.close();
        testDirectory.close();
    }

    private void connect() throws Exception {
        if (++clients % CLIENTS == 0) {
            // The leases of all clients are alive, and at a bound there is no room for more.
            server.close();
            server = TestServer.of(testDirectory);
        }
        client = CompoundClient.of(server, "client" + clients);
    }

    /** Finds out which sequence is next, or makes a new session. */
    private void goOn() throws Exception {
        if (client.status() == Nfs4Status.SEQ_FALSE_RETRY) {
            // The server took the damaged call for a new one.
            client.advance();
        }
        if (client.status() != Nfs4Status.OK) {
            connect();
        }
    }

    @Test
    void randomCompoundsAreAnsweredAndRepeatedByteForByte() throws Exception {
        for (int i = 0; i < COMPOUNDS; i++) {
            boolean isCached = random.nextInt(4) == 0;
            var operations = compounds.operations(client);
            var call = client.nextCall(isCached, operations);
            byte[] reply = client.bytes(call::encode);
            var results = CompoundClient.decode(reply);
            String what = call + " -> " + results;
            check(results, what);
            if (results.results().getFirst().status() == Nfs4Status.OK) {
                if (isCached) {
                    assertArrayEquals(reply, client.bytes(call::encode), what);
                }
                client.advance();
                remember(results);
            }
            goOn();
        }
    }

    private void check(CompoundResult results, String what) {
        assertNotEquals(Nfs4Status.SERVERFAULT, results.status(), what);
        failures.assertNone(what);
        assertEquals(0, server.pool.leased(), what);
    }

    private void remember(CompoundResult results) {
        for (var each : results.results()) {
            switch (each) {
                case HandleResult.GetFh(var handle) ->
                        compounds.remember(compounds.handles, handle);
                case StateResult.Open opened ->
                        compounds.remember(compounds.stateIds, opened.open());
                case LockResult.Lock(var stateId) ->
                        compounds.remember(compounds.stateIds, stateId);
                default -> {}
            }
        }
    }

    @Test
    void damagedCompoundsAreAnswered() throws Exception {
        for (int i = 0; i < COMPOUNDS; i++) {
            var call = client.nextCall(random.nextBoolean(), compounds.operations(client));
            byte[] damaged = damage(encoded(call::encode));
            if (!hasHeader(damaged)) {
                var garbled =
                        assertThrows(
                                AssertionError.class,
                                () -> client.bytes(out -> out.fixedOpaque(damaged)));
                assertTrue(garbled.getMessage().contains("GARBAGE_ARGS"), garbled::getMessage);
                continue;
            }
            byte[] reply = client.bytes(out -> out.fixedOpaque(damaged));
            var results = CompoundClient.decode(reply);
            check(results, call + " -> " + results);
            remember(results);
            goOn();
        }
    }

    private static boolean hasHeader(byte[] call) {
        try {
            CompoundArguments.Header.decode(new XdrReader(MemorySegment.ofArray(call)));
            return true;
        } catch (XdrException _) {
            return false;
        }
    }

    private byte[] encoded(Consumer<XdrWriter> call) {
        try (var out = new XdrWriter(server.pool)) {
            call.accept(out);
            out.inlineBulkItems();
            return out.reducedStream().toArray(ValueLayout.JAVA_BYTE);
        }
    }

    /** Flips bits, or cuts off the end, behind SEQUENCE most of the time. */
    private byte[] damage(byte[] call) {
        var damaged =
                random.nextInt(4) == 0
                        ? Arrays.copyOf(call, random.nextInt(call.length) & ~3)
                        : call.clone();
        int first = random.nextInt(8) == 0 || damaged.length < 60 ? 0 : 48;
        int flips = 1 + random.nextInt(3);
        for (int i = 0; i < flips && first < damaged.length; i++) {
            int at = first + random.nextInt(damaged.length - first);
            damaged[at] ^= (byte) (1 << random.nextInt(8));
        }
        return damaged;
    }
}
