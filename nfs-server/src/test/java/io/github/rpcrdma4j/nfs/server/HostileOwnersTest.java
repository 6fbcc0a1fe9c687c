package io.github.rpcrdma4j.nfs.server;

import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.at;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.SetAttributes;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundResult;
import io.github.rpcrdma4j.nfs.v4.operation.LeaseArguments;
import io.github.rpcrdma4j.nfs.v4.operation.LeaseResult;
import io.github.rpcrdma4j.nfs.v4.operation.LockArguments;
import io.github.rpcrdma4j.nfs.v4.operation.LockResult;
import io.github.rpcrdma4j.nfs.v4.operation.LockType;
import io.github.rpcrdma4j.nfs.v4.operation.OpenClaim;
import io.github.rpcrdma4j.nfs.v4.operation.OpenCreation;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments.Open;
import io.github.rpcrdma4j.nfs.v4.operation.StateResult;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import io.github.rpcrdma4j.sim.Seeds;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: an operation in the sequence of an owner of version 4.0 has one effect, however often it is
 * sent, and no call makes the server fail. Method: random operations with sequences and stateids
 * that are right, near or invented; each call is sent twice.
 */
class HostileOwnersTest {
    private static final int CALLS = Seeds.rounds(4000);
    private static final String[] NAMES = {"a", "b"};

    /** The last sequence of each owner, and the owner of each stateid by its end. */
    private final Map<String, Integer> sequences = new HashMap<>();

    private final Map<Integer, String> owners = new HashMap<>();
    private final List<StateId> stateIds = new ArrayList<>(List.of(StateId.ANONYMOUS));
    private final Map<Nfs4Status, Integer> statuses = new EnumMap<>(Nfs4Status.class);
    private TestDirectory testDirectory;
    private TestServer server;
    private LoggedFailures failures;
    private Random random;
    private LeasedClient[] clients;

    @BeforeEach
    void serve() throws Exception {
        random = new Random(Seeds.one());
        testDirectory = TestDirectory.of(TestDirectory.Kind.BASIC);
        for (var each : NAMES) {
            Files.writeString(testDirectory.root().resolve(each), "text");
        }
        server = TestServer.of(testDirectory);
        clients =
                new LeasedClient[] {LeasedClient.of(server, "one"), LeasedClient.of(server, "two")};
        failures = new LoggedFailures();
    }

    @AfterEach
    void stop() throws Exception {
        failures.close();
        server.close();
        testDirectory.close();
    }

    /** Returns the next sequence of an owner, or another one. */
    private int sequence(String owner) {
        int next = sequences.getOrDefault(owner, 0) + 1;
        return random.nextInt(8) == 0 ? next + random.nextInt(4) - 2 : next;
    }

    private int sequence(StateId id) {
        return sequence(owner(id));
    }

    /** Returns the owner of a stateid. */
    private String owner(StateId id) {
        return owners.getOrDefault(id.lower(), "");
    }

    private static String key(StateOwner owner) {
        return owner.clientId() + " " + owner.name();
    }

    private StateId stateId() {
        var one = stateIds.get(random.nextInt(stateIds.size()));
        return switch (random.nextInt(12)) {
            case 0 -> one.withSequence(random.nextInt(3));
            case 1 -> new StateId(1, one.upper() + random.nextInt(3), one.lower());
            case 2 -> new StateId(1, one.upper(), random.nextInt());
            default -> one;
        };
    }

    private StateOwner owner(LeasedClient client, String kind) {
        var owner = client.owner(kind + random.nextInt(2));
        return random.nextInt(30) == 0 ? new StateOwner(random.nextLong(), owner.name()) : owner;
    }

    private Arguments operation(LeasedClient client, String name) {
        long offset = random.nextInt(20);
        long length = random.nextInt(5) == 0 ? -1 : 1 + random.nextInt(10);
        var id = stateId();
        return switch (random.nextInt(12)) {
            case 0, 1, 2 -> open(client, name);
            case 3, 4 -> new StateArguments.OpenConfirm(id, sequence(id));
            case 5 -> {
                int access = 1 + random.nextInt(3);
                yield new StateArguments.OpenDowngrade(id, sequence(id), access, 0);
            }
            case 6 -> random.nextBoolean() ? Nfs4Calls.read(id, 0, 4) : closing(id);
            case 7, 8 -> {
                var owner = owner(client, "locker");
                var locker =
                        new LockArguments.Locker.NewOwner(
                                sequence(id), id, sequence(key(owner)), owner);
                yield new LockArguments.Lock(LockType.WRITE, false, offset, length, locker);
            }
            case 9 -> {
                var locker = new LockArguments.Locker.Existing(id, sequence(id));
                yield new LockArguments.Lock(LockType.READ, false, offset, length, locker);
            }
            case 10 -> new LockArguments.LockU(LockType.READ, sequence(id), id, offset, length);
            default ->
                    random.nextInt(20) == 0
                            ? client.setClientId(random.nextInt(2))
                            : new LeaseArguments.ReleaseLockOwner(owner(client, "locker"));
        };
    }

    private Arguments closing(StateId id) {
        return new StateArguments.Close(sequence(id), id);
    }

    private Arguments open(LeasedClient client, String name) {
        var how =
                random.nextBoolean()
                        ? new OpenCreation.None()
                        : new OpenCreation.Unchecked(Nfs4Calls.encoded(SetAttributes.ofMode(0644)));
        var claim = random.nextInt(8) == 0 ? new OpenClaim.Previous(0) : Nfs4Calls.claim(name);
        var owner = owner(client, "opener");
        int access = random.nextInt(4) == 0 ? Open.READ : Open.BOTH;
        int deny = random.nextInt(10) == 0 ? random.nextInt(4) : 0;
        return new Open(sequence(key(owner)), access, deny, owner, how, claim);
    }

    @Test
    void eachOperationOfAnOwnerHasOneEffect() throws Exception {
        for (int i = 0; i < CALLS; i++) {
            var client = clients[random.nextInt(2)];
            var name = NAMES[random.nextInt(2)];
            var operation = operation(client, name);
            boolean isByName =
                    operation instanceof Open open && open.claim() instanceof OpenClaim.Name;
            var call = at(isByName ? "" : name, operation);
            var reply = client.compound(call);
            String what = operation + " -> " + reply;
            check(reply, what);
            statuses.merge(reply.status(), 1, Integer::sum);
            if (isOfOwner(operation)) {
                int opens = server.nfs.administration().opens(100).size();
                var again = client.compound(call);
                check(again, what);
                if (!isUncounted(reply.status())) {
                    assertEquals(reply, again, what);
                }
                assertEquals(opens, server.nfs.administration().opens(100).size(), what);
            }
            learn(client, operation, reply);
        }
        for (var each :
                List.of(
                        Nfs4Status.OK,
                        Nfs4Status.BAD_SEQID,
                        Nfs4Status.BAD_STATEID,
                        Nfs4Status.OLD_STATEID,
                        Nfs4Status.DENIED)) {
            assertTrue(statuses.containsKey(each), () -> each + " is not among " + statuses);
        }
        System.out.println(statuses);
    }

    private static boolean isOfOwner(Arguments operation) {
        return switch (operation) {
            case StateArguments _ -> true;
            case LockArguments.Lock _, LockArguments.LockU _ -> true;
            default -> false;
        };
    }

    private static boolean isUncounted(Nfs4Status status) {
        return switch (status) {
            case STALE_CLIENTID, STALE_STATEID, BAD_STATEID, BAD_SEQID -> true;
            default -> false;
        };
    }

    private void check(CompoundResult reply, String what) {
        assertNotEquals(Nfs4Status.SERVERFAULT, reply.status(), what);
        failures.assertNone(what);
        assertEquals(0, server.pool.leased(), what);
    }

    private void learn(LeasedClient client, Arguments operation, CompoundResult reply)
            throws Exception {
        boolean isCounted = !isUncounted(reply.status());
        switch (operation) {
            case Open open -> count(key(open.owner()), open.sequence(), isCounted);
            case StateArguments.OpenConfirm(var id, int sequence) ->
                    count(owner(id), sequence, isCounted);
            case StateArguments.OpenDowngrade call ->
                    count(owner(call.open()), call.sequence(), isCounted);
            case StateArguments.Close(int sequence, var id) ->
                    count(owner(id), sequence, isCounted);
            case LockArguments.LockU call -> count(owner(call.lock()), call.sequence(), isCounted);
            case LockArguments.Lock call ->
                    learn(call.locker(), reply.status() == Nfs4Status.OK, isCounted);
            default -> {}
        }
        switch (reply.results().getLast()) {
            case StateResult.Open opened ->
                    remember(opened.open(), key(((Open) operation).owner()));
            case StateResult.OpenConfirm(var open) -> remember(open, owner(open));
            case StateResult.OpenDowngrade(var open) -> remember(open, owner(open));
            case LockResult.Lock(var lock) -> {
                var owner =
                        ((LockArguments.Lock) operation).locker()
                                        instanceof LockArguments.Locker.NewOwner locker
                                ? key(locker.owner())
                                : owner(lock);
                remember(lock, owner);
            }
            case LockResult.LockU(var lock) -> remember(lock, owner(lock));
            case LeaseResult.SetClientId(var id, var verifier) -> {
                client.last(new LeaseArguments.SetClientIdConfirm(id, verifier));
                client.id = id;
            }
            default -> {}
        }
    }

    private void learn(LockArguments.Locker locker, boolean isGranted, boolean isCounted) {
        switch (locker) {
            case LockArguments.Locker.NewOwner(int opening, var open, int locking, var owner) -> {
                count(owner(open), opening, isCounted);
                count(key(owner), locking, isGranted);
            }
            case LockArguments.Locker.Existing(var lock, int sequence) ->
                    count(owner(lock), sequence, isCounted);
        }
    }

    private void count(String owner, int sequence, boolean isCounted) {
        if (isCounted) {
            sequences.put(owner, sequence);
        }
    }

    private void remember(StateId id, String owner) {
        stateIds.removeIf(each -> each.lower() == id.lower() && random.nextInt(4) > 0);
        owners.put(id.lower(), owner);
        stateIds.add(id);
        if (stateIds.size() > 12) {
            stateIds.removeFirst();
        }
    }
}
