package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.nfs.lock.Nlm;
import io.github.rpcrdma4j.nfs.lock.NlmCall;
import io.github.rpcrdma4j.nfs.lock.NlmHolder;
import io.github.rpcrdma4j.nfs.lock.NlmLock;
import io.github.rpcrdma4j.nfs.lock.NlmProcedure;
import io.github.rpcrdma4j.nfs.lock.NlmReply;
import io.github.rpcrdma4j.nfs.lock.NlmShare;
import io.github.rpcrdma4j.nfs.lock.NlmStatus;
import io.github.rpcrdma4j.nfs.lock.Nsm;
import io.github.rpcrdma4j.nfs.lock.NsmCall;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;

/**
 * A host that sends every call of NLM and NSM, well-formed and damaged, under many names: also
 * those of others.
 */
final class HostileHost {
    private static final int[] VERSIONS = {1, 3, 4, 4};
    private static final String[] NAMES = {"evil", "evil.a", "evil.b", "honest", "victim", "host"};
    private static final long[] EDGES = {0, 1, -1, Long.MIN_VALUE, 0xffff_ffffL, 1L << 31};

    /** The bytes that each host name and cookie has at most. */
    private static final int BYTES_MAX = 1024;

    private final TestServer server;
    private final RawCalls calls;
    private final Random random;
    private final String address;

    /** The handles of the files that it may use, of version 2 and of version 3. */
    private final List<byte[]> shortHandles;

    private final List<byte[]> handles;

    /** How often each status was the answer. */
    final Map<NlmStatus, Integer> answers = new TreeMap<>();

    HostileHost(
            TestServer server,
            RawCalls calls,
            Random random,
            String address,
            List<byte[]> shortHandles,
            List<byte[]> handles) {
        this.server = server;
        this.calls = calls;
        this.random = random;
        this.address = address;
        this.shortHandles = shortHandles;
        this.handles = handles;
    }

    /** Sends a call. */
    void step() throws Exception {
        server.moveTo(address, random.nextBoolean() ? 1023 : 1024);
        if (random.nextInt(10) == 0) {
            monitor();
        } else {
            lock();
        }
    }

    private OpaqueName bytes(int length) {
        var bytes = new byte[length];
        random.nextBytes(bytes);
        return OpaqueName.of(bytes);
    }

    private OpaqueName name() {
        return switch (random.nextInt(12)) {
            case 0 -> bytes(random.nextInt(BYTES_MAX + 1));
            case 1 -> LockingHost.name("x".repeat(254 + random.nextInt(3)));
            case 2, 3, 4 -> LockingHost.name("evil" + random.nextInt(2000));
            case 5 -> LockingHost.name(address);
            default -> LockingHost.name(NAMES[random.nextInt(NAMES.length)]);
        };
    }

    private OpaqueName owner() {
        return switch (random.nextInt(20)) {
            case 0 -> bytes(random.nextInt(BYTES_MAX + 1));
            case 1, 2, 3, 4, 5 -> LockingHost.name("owner" + random.nextInt());
            default -> LockingHost.name("owner" + random.nextInt(10));
        };
    }

    private OpaqueName handle(int version) {
        if (random.nextInt(20) == 0) {
            return bytes(random.nextInt(BYTES_MAX + 1));
        }
        var known = version == 4 ? handles : shortHandles;
        return OpaqueName.of(known.get(random.nextInt(known.size())));
    }

    private long offset() {
        return switch (random.nextInt(10)) {
            case 0 -> EDGES[random.nextInt(EDGES.length)];
            case 1 -> random.nextLong();
            case 2, 3, 4 -> random.nextInt(1 << 20);
            default -> random.nextInt(100);
        };
    }

    private int number() {
        return random.nextInt(4) == 0 ? random.nextInt() : random.nextInt(8);
    }

    private NlmLock range(int version) {
        long length = random.nextInt(5) == 0 ? offset() : 1 + random.nextInt(20);
        return new NlmLock(name(), handle(version), owner(), number(), offset(), length);
    }

    private NlmShare use(int version) {
        int deny = random.nextInt(4) == 0 ? random.nextInt(4) : 0;
        return new NlmShare(name(), handle(version), owner(), deny, random.nextInt(4));
    }

    private NlmCall call(int version, NlmProcedure procedure, OpaqueName cookie) {
        boolean isExclusive = random.nextBoolean();
        return switch (procedure) {
            case TEST, TEST_MSG -> new NlmCall.Test(cookie, isExclusive, range(version));
            case LOCK, LOCK_MSG, NM_LOCK ->
                    new NlmCall.Lock(
                            cookie,
                            random.nextInt(4) == 0,
                            isExclusive,
                            range(version),
                            random.nextInt(10) == 0,
                            number());
            case CANCEL, CANCEL_MSG ->
                    new NlmCall.Cancel(cookie, random.nextBoolean(), isExclusive, range(version));
            case UNLOCK, UNLOCK_MSG -> new NlmCall.Unlock(cookie, range(version));
            case GRANTED, GRANTED_MSG -> new NlmCall.Granted(cookie, isExclusive, range(version));
            case SHARE -> new NlmCall.Share(cookie, use(version), random.nextInt(10) == 0);
            case UNSHARE -> new NlmCall.Unshare(cookie, use(version), random.nextInt(10) == 0);
            case FREE_ALL -> new NlmCall.FreeAll(name(), number());
            case NULL, TEST_RES, LOCK_RES, CANCEL_RES, UNLOCK_RES, GRANTED_RES ->
                    throw new IllegalArgumentException("no arguments of a call");
        };
    }

    private NlmReply results(NlmProcedure procedure, OpaqueName cookie) {
        var status = NlmStatus.values()[random.nextInt(NlmStatus.values().length)];
        if (procedure != NlmProcedure.TEST_RES) {
            return new NlmReply.Plain(cookie, status);
        }
        return new NlmReply.Tested(
                cookie,
                status,
                status == NlmStatus.DENIED
                        ? Optional.of(new NlmHolder(true, number(), owner(), offset(), offset()))
                        : Optional.empty());
    }

    private Credential caller() {
        int user = random.nextInt(4) == 0 ? 0 : 4711;
        return random.nextInt(20) == 0
                ? new Credential.None()
                : new Credential.Sys(0, "evil", user, user, List.of());
    }

    private void lock() throws Exception {
        int version = VERSIONS[random.nextInt(VERSIONS.length)];
        var all = NlmProcedure.values();
        // Half of the calls lock.
        var procedure =
                random.nextBoolean() ? NlmProcedure.LOCK : all[1 + random.nextInt(all.length - 1)];
        if (NlmProcedure.of(version, procedure.number()).isEmpty()) {
            return;
        }
        var cookie = bytes(random.nextInt(20) == 0 ? random.nextInt(BYTES_MAX + 1) : 4);
        var target = new RawCalls.Target(Nlm.PROGRAM, version, procedure.number());
        switch (procedure) {
            case TEST_RES, LOCK_RES, CANCEL_RES, UNLOCK_RES, GRANTED_RES -> {
                var sent = results(procedure, cookie);
                calls.send(
                                target,
                                caller(),
                                out -> sent.encode(version, out),
                                0,
                                in -> NlmReply.decode(version, procedure, in))
                        .ifPresent(HostileHost::requireNothing);
            }
            default -> {
                var sent = call(version, procedure, cookie);
                var results =
                        calls.send(
                                target,
                                caller(),
                                out -> sent.encode(version, out),
                                0,
                                in -> NlmCall.decode(version, procedure, in));
                if (results.isPresent()) {
                    learn(version, procedure, results.get());
                }
            }
        }
    }

    private static void requireNothing(XdrReader results) {
        assertEquals(0, results.remaining());
    }

    private void learn(int version, NlmProcedure procedure, XdrReader results) throws Exception {
        switch (procedure) {
            case TEST, LOCK, CANCEL, UNLOCK, GRANTED, SHARE, UNSHARE, NM_LOCK ->
                    answers.merge(
                            NlmReply.decode(version, procedure, results).status(), 1, Integer::sum);
            default -> requireNothing(results);
        }
    }

    private void monitor() throws Exception {
        var listener = new NsmCall.Listener(name(), number(), number(), number());
        var all = NsmCall.Procedure.values();
        var procedure = all[1 + random.nextInt(all.length - 1)];
        NsmCall call =
                switch (procedure) {
                    case STAT -> new NsmCall.Stat(name());
                    case MON -> new NsmCall.Mon(name(), listener, bytes(16));
                    case UNMON -> new NsmCall.Unmon(name(), listener);
                    case UNMON_ALL -> new NsmCall.UnmonAll(listener);
                    case NOTIFY -> new NsmCall.Notify(name(), number());
                    case NULL, SIMU_CRASH -> null;
                };
        var results =
                calls.send(
                        new RawCalls.Target(Nsm.PROGRAM, 1, procedure.number()),
                        caller(),
                        out -> {
                            if (call != null) {
                                call.encode(out);
                            }
                        },
                        0,
                        in -> {
                            if (call != null) {
                                NsmCall.decode(procedure, in);
                            } else {
                                in.finish();
                            }
                        });
        if (results.isPresent()) {
            int words =
                    switch (procedure) {
                        case STAT, MON -> 2;
                        case UNMON, UNMON_ALL -> 1;
                        case NOTIFY, NULL, SIMU_CRASH -> 0;
                    };
            assertEquals(4L * words, results.get().remaining());
        }
    }
}
