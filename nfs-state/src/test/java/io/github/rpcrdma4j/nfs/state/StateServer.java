package io.github.rpcrdma4j.nfs.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.ClientName;
import io.github.rpcrdma4j.nfs.state.event.ClientRecord;
import io.github.rpcrdma4j.nfs.state.event.FileKey;
import io.github.rpcrdma4j.nfs.state.event.Outcome;
import io.github.rpcrdma4j.nfs.state.event.Principal;
import io.github.rpcrdma4j.nfs.state.limit.StateLimits;
import io.github.rpcrdma4j.nfs.state.limit.StateSettings;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.oncrpc.KeyedHash;
import io.github.rpcrdma4j.oncrpc.share.Host;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A server for tests: the state, a clock that tests move, and stable storage. */
final class StateServer {
    static final long SECOND = 1_000_000_000L;
    static final long LEASE = 90 * SECOND;

    /** How long a local process waits for a delegated file. */
    static final long LOCAL_TIME = 45 * SECOND;

    /** Known, so that runs are alike. */
    static final KeyedHash KEY = new KeyedHash(1, 2);

    static final Principal ROOT = new Principal("sys:0");
    static final Principal OTHER = new Principal("sys:1111");

    record TestHost(String name) implements Host {}

    /** A file of tests. */
    record TestFile(String name) implements FileKey {
        @Override
        public Object store() {
            return name;
        }
    }

    /** Who uses files unless a test is about users. */
    static final FileKey FILE = new TestFile("file");

    static final FileKey OTHER_FILE = new TestFile("other");

    /** What is on storage, and whether it was written in the present boot. */
    private final Map<ClientName, Stored> storage = new LinkedHashMap<>();

    private record Stored(ClientRecord record, int boot) {}

    /** All actions of this boot, in their order. */
    final List<Action> actions = new ArrayList<>();

    /** Whether no record can be written. */
    boolean isFull;

    /** Whether changes of storage wait, as if it hung. */
    boolean isHanging;

    private final List<Action.Storage> waiting = new ArrayList<>();

    StateLimits limits = StateLimits.DEFAULTS;
    final TestKernel kernel = new TestKernel(this);
    final TestLeases leases = new TestLeases(this);
    ServerState state;
    long now;
    private final Map<Outcome<?>, Boolean> done = new IdentityHashMap<>();
    private long stored;
    private long lastFresh;
    private int boot;

    private StateServer(long now) {
        this.now = now;
    }

    static StateServer start() {
        return with(StateLimits.DEFAULTS);
    }

    static StateServer with(StateLimits limits) {
        // A clock may be anywhere, and even wrap around.
        var server = new StateServer(Long.MAX_VALUE - 1000 * SECOND);
        server.limits = limits;
        server.restart();
        return server;
    }

    /** Starts anew, with what storage has. */
    void restart() {
        boot++;
        stored = 0;
        waiting.clear();
        actions.clear();
        done.clear();
        kernel.restart();
        leases.restart();
        state =
                new ServerState(
                        new StateSettings(boot, KEY, LEASE, LEASE, LOCAL_TIME, limits),
                        records(),
                        now);
    }

    List<ClientRecord> records() {
        return storage.values().stream().map(Stored::record).toList();
    }

    /** Returns whether a client has a record with which it may reclaim. */
    boolean hasRecord(StateClient client) {
        var name = new ClientName(client.name, client.sender().placeOfNames());
        return storage.containsKey(name) && !storage.get(name).record().isRevoked();
    }

    long fresh() {
        return ++lastFresh * 0x9e3779b97f4a7c15L;
    }

    /** Carries the actions of an outcome out, once, and returns it. */
    <T> Outcome<T> run(Outcome<T> outcome) {
        if (done.put(outcome, true) != null) {
            return outcome;
        }
        for (var action : outcome.actions()) {
            actions.add(action);
            if (action instanceof Action.Storage change) {
                assertEquals(stored + 1, change.number(), "the order of changes");
                stored = change.number();
                waiting.add(change);
            }
        }
        if (!isHanging) {
            waiting.forEach(this::store);
            waiting.clear();
        }
        assertTrue(outcome.after() <= stored, "waits for a change that was ordered");
        kernel.addAll(outcome.actions());
        outcome.actions().forEach(leases::add);
        return outcome;
    }

    private void store(Action.Storage change) {
        switch (change) {
            case Action.Persist persist -> {
                if (isFull) {
                    state.recordFailed(persist.number(), false);
                } else {
                    storage.put(persist.client().name(), new Stored(persist.client(), boot));
                    state.recordChanged(persist.number());
                }
            }
            case Action.Forget forget -> {
                storage.remove(forget.client());
                if (forget.revoked() != null) {
                    storage.put(forget.client(), new Stored(forget.revoked(), boot));
                }
                state.recordChanged(forget.number());
            }
            case Action.ForgetEarlier _ -> storage.values().removeIf(each -> each.boot() != boot);
        }
    }

    <T> T ok(Outcome<T> outcome) {
        run(outcome);
        assertEquals(Nfs4Status.OK, outcome.status());
        return outcome.value();
    }

    void refuses(Nfs4Status status, Outcome<?> outcome) {
        assertNotEquals(Nfs4Status.OK, status);
        run(outcome);
        assertEquals(status, outcome.status());
    }

    void pass(long nanos) {
        now += nanos;
        run(state.tick(now));
    }

    /** Returns the actions of one type, in their order. */
    <A extends Action> List<A> actions(Class<A> type) {
        return actions.stream().filter(type::isInstance).map(type::cast).toList();
    }

    /** Returns a client that is not known to the server. */
    StateClient stranger(String name) {
        return new StateClient(this, name);
    }

    /** Returns a client with a session that has completed its recovery. */
    StateClient client(String name) {
        return client(name, "host", "");
    }

    /** Returns such a client of a host. */
    StateClient client(String name, String host) {
        return client(name, host, host);
    }

    /** Returns such a client of a place in a host. */
    StateClient client(String name, String host, String place) {
        var client = stranger(name);
        client.host = new TestHost(host);
        client.place = place;
        client.connect();
        ok(client.reclaimComplete());
        return client;
    }

    static OpaqueName name(String text) {
        return OpaqueName.of(text.getBytes(StandardCharsets.UTF_8));
    }
}
