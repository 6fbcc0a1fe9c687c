package io.github.rpcrdma4j.nfs.server;

import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.at;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.github.rpcrdma4j.nfs.v4.Nfs4Binding;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundResult;
import io.github.rpcrdma4j.nfs.v4.operation.LeaseArguments;
import io.github.rpcrdma4j.nfs.v4.operation.LeaseResult;
import io.github.rpcrdma4j.nfs.v4.operation.LockArguments;
import io.github.rpcrdma4j.nfs.v4.operation.LockResult;
import io.github.rpcrdma4j.nfs.v4.operation.LockType;
import io.github.rpcrdma4j.nfs.v4.operation.OpenCreation;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
import io.github.rpcrdma4j.nfs.v4.operation.StateResult;
import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import io.github.rpcrdma4j.oncrpc.Credential;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;

/**
 * A host that takes what it gets of clients, opens and locks of version 4.0, and gives little back.
 * It also names the client and the owners of others, and half of its calls are damaged.
 */
final class HostileLeaseholder {
    private static final Credential USER = CompoundClient.user(4711);

    /** It remembers so many of its clients and opens; the others vanish without a word. */
    private static final int REMEMBERED = 64;

    private static final int FILES = 4;

    /** An open, and the last operation of its owner. */
    private static final class Opener {
        private final long clientId;
        private final String file;
        private StateId id;
        private int sequence;

        Opener(long clientId, String file, StateId id, int sequence) {
            this.clientId = clientId;
            this.file = file;
            this.id = id;
            this.sequence = sequence;
        }
    }

    private final TestServer server;
    private final RawCalls calls;
    private final Random random;
    private final String address;
    private final LeasedClient victim;
    private final String victimsLocker;
    private final List<Long> clients = new ArrayList<>();
    private final List<Opener> openers = new ArrayList<>();
    private long names;

    /** How often each status was the answer. */
    final Map<Nfs4Status, Integer> answers = new TreeMap<>();

    HostileLeaseholder(
            TestServer server,
            RawCalls calls,
            Random random,
            String address,
            LeasedClient victim,
            String victimsLocker) {
        this.server = server;
        this.calls = calls;
        this.random = random;
        this.address = address;
        this.victim = victim;
        this.victimsLocker = victimsLocker;
    }

    /** Sends a call or a few. */
    void step() throws Exception {
        server.moveTo(address, 1023 + random.nextInt(2));
        switch (random.nextInt(12)) {
            case 0, 1 -> arrive();
            case 2 -> nameTheVictim();
            case 3 -> confirmOthers();
            case 4 -> renew();
            case 5 -> release();
            case 6 -> confirmOpen();
            case 7, 8, 9 -> open();
            default -> lock();
        }
    }

    private Optional<CompoundResult> send(Arguments... operations) throws Exception {
        var call = new CompoundArguments(OpaqueName.of(new byte[0]), 0, List.of(operations));
        var target =
                new RawCalls.Target(Nfs4Binding.PROGRAM, Nfs4Binding.VERSION, Nfs4Binding.COMPOUND);
        var results = calls.send(target, USER, call::encode, 0, CompoundArguments.Header::decode);
        if (results.isEmpty()) {
            return Optional.empty();
        }
        var reply = CompoundResult.decode(results.get());
        answers.merge(reply.status(), 1, Integer::sum);
        assertNotEquals(Nfs4Status.SERVERFAULT, reply.status(), call::toString);
        return Optional.of(reply);
    }

    private <T> void remember(List<T> all, T one) {
        if (all.size() == REMEMBERED) {
            all.remove(random.nextInt(REMEMBERED));
        }
        all.add(one);
    }

    private <T> Optional<T> any(List<T> all) {
        return all.isEmpty() ? Optional.empty() : Optional.of(all.get(random.nextInt(all.size())));
    }

    private OpaqueName newName() {
        var name = new StringBuilder(address).append(' ').append(++names);
        if (random.nextInt(4) == 0) {
            name.append("x".repeat(OpaqueName.BYTES_MAX - name.length()));
        }
        return Nfs4Calls.name(name.toString());
    }

    /** Names a port of its own, of the victim or of no host, and any program. */
    private LeaseArguments.CallbackPlace place() {
        var places = List.of(address + ".8.1", "198.51.100.1.8.1", "127.0.0.1.0.111", "");
        int program = random.nextBoolean() ? CallbackListener.PROGRAM : 100_000 + names();
        return new LeaseArguments.CallbackPlace(
                program,
                Nfs4Calls.name(random.nextBoolean() ? "tcp" : "udp"),
                Nfs4Calls.name(places.get(random.nextInt(places.size()))));
    }

    private int names() {
        return random.nextInt(30);
    }

    private Optional<LeaseResult.SetClientId> setClientId(OpaqueName name) throws Exception {
        var owner = new ClientOwner(random.nextInt(2), name);
        return send(new LeaseArguments.SetClientId(owner, place(), random.nextInt()))
                .map(reply -> reply.results().isEmpty() ? null : reply.results().getLast())
                .filter(LeaseResult.SetClientId.class::isInstance)
                .map(LeaseResult.SetClientId.class::cast);
    }

    /** Makes a client, and confirms it most of the time. */
    private void arrive() throws Exception {
        var name =
                random.nextInt(4) == 0 ? Nfs4Calls.name(address + random.nextInt(20)) : newName();
        var given = setClientId(name);
        if (given.isPresent() && random.nextInt(3) > 0) {
            confirm(given.get());
        }
    }

    private void confirm(LeaseResult.SetClientId given) throws Exception {
        send(new LeaseArguments.SetClientIdConfirm(given.clientId(), given.verifier()));
        remember(clients, given.clientId());
    }

    /** Another host that names itself as a client does is another client. */
    private void nameTheVictim() throws Exception {
        var given = setClientId(Nfs4Calls.name("honest"));
        if (given.isPresent()) {
            assertNotEquals(victim.id, given.get().clientId());
            confirm(given.get());
        }
    }

    private void confirmOthers() throws Exception {
        long id = random.nextBoolean() ? victim.id : random.nextLong();
        var reply = send(new LeaseArguments.SetClientIdConfirm(id, random.nextLong()));
        if (!calls.isDamaged) {
            assertNotEquals(Nfs4Status.OK, reply.orElseThrow().status());
        }
    }

    private void renew() throws Exception {
        send(
                new LeaseArguments.Renew(
                        switch (random.nextInt(3)) {
                            case 0 -> victim.id;
                            case 1 -> random.nextLong();
                            default -> any(clients).orElse(0L);
                        }));
    }

    private void release() throws Exception {
        boolean isOwn = random.nextBoolean();
        var owner =
                isOwn
                        ? new StateOwner(
                                any(clients).orElse(0L), Nfs4Calls.name("locker" + names()))
                        : victim.owner(victimsLocker);
        var reply = send(new LeaseArguments.ReleaseLockOwner(owner));
        if (!calls.isDamaged && !isOwn) {
            assertNotEquals(Nfs4Status.OK, reply.orElseThrow().status(), "it has locks");
        }
    }

    private void confirmOpen() throws Exception {
        var opener = any(openers);
        if (opener.isPresent()) {
            confirm(opener.get(), random.nextInt(3));
        }
    }

    private void confirm(Opener of, int further) throws Exception {
        var id = random.nextInt(4) == 0 ? new StateId(1, of.id.upper(), random.nextInt()) : of.id;
        int sequence = of.sequence + further;
        var confirm = new StateArguments.OpenConfirm(id, sequence);
        var reply = send(at(of.file, confirm));
        if (reply.isPresent()
                && !reply.get().results().isEmpty()
                && reply.get().results().getLast()
                        instanceof StateResult.OpenConfirm(var confirmed)) {
            of.id = confirmed;
            of.sequence = sequence;
        }
    }

    private void open() throws Exception {
        var client = any(clients);
        if (client.isEmpty()) {
            return;
        }
        var file = "file" + random.nextInt(FILES);
        var name = random.nextBoolean() ? newName() : Nfs4Calls.name("opener" + names());
        var owner = new StateOwner(client.get(), name);
        int sequence = random.nextInt(4);
        var open =
                new StateArguments.Open(
                        sequence,
                        1 + random.nextInt(3),
                        0,
                        owner,
                        new OpenCreation.None(),
                        Nfs4Calls.claim(file));
        var reply = send(at("", open));
        if (reply.isPresent()
                && !reply.get().results().isEmpty()
                && reply.get().results().getLast() instanceof StateResult.Open opened) {
            var opener = new Opener(client.get(), file, opened.open(), sequence);
            remember(openers, opener);
            if (random.nextInt(4) > 0) {
                confirm(opener, 1);
            }
        }
    }

    private void lock() throws Exception {
        var opener = any(openers);
        if (opener.isEmpty()) {
            return;
        }
        var of = opener.get();
        var owner = new StateOwner(of.clientId, Nfs4Calls.name("locker" + names()));
        var locker =
                new LockArguments.Locker.NewOwner(
                        of.sequence + 1 + random.nextInt(2), of.id, random.nextInt(3), owner);
        var lock =
                new LockArguments.Lock(
                        random.nextBoolean() ? LockType.READ : LockType.WRITE,
                        random.nextInt(10) == 0,
                        random.nextInt(1 << 20),
                        1 + random.nextInt(10),
                        locker);
        var reply = send(at(of.file, lock));
        if (reply.isPresent()
                && !reply.get().results().isEmpty()
                && reply.get().results().getLast() instanceof LockResult.Lock) {
            of.sequence = locker.openSequence();
        }
    }
}
