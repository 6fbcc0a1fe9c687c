package io.github.rpcrdma4j.nfs.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.DelegateCall;
import io.github.rpcrdma4j.nfs.state.event.DelegationKind;
import io.github.rpcrdma4j.nfs.state.event.DelegationOutcome;
import io.github.rpcrdma4j.nfs.state.event.DelegationOutcome.Granted;
import io.github.rpcrdma4j.nfs.state.event.FileKey;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.sim.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Goal: clients, other versions of NFS and local processes may do anything, and no delegation is
 * beside a use that conflicts, and none is left in the end. Method: random events, and a model of
 * who holds what.
 */
class RandomDelegationsTest {
    private static final int STEPS = 120;
    private static final List<FileKey> FILES = List.of(StateServer.FILE, StateServer.OTHER_FILE);
    private static final int WRITE = 2;

    /** An open or a delegation of a client, which it has not given back. */
    private record Held(StateClient client, FileKey file, StateId id, int access, boolean isOpen) {}

    /** A delegation that the kernel has not answered about. */
    private record Asked(
            StateClient client, FileKey file, DelegationOutcome.Asked outcome, boolean isLate) {
        Asked late(FileKey used) {
            return new Asked(client, file, outcome, isLate || file.equals(used));
        }
    }

    private Random random;
    private StateServer server;
    private List<StateClient> clients;
    private List<Held> held;
    private List<Asked> asked;
    private long owners;
    private long granted;
    private long grantedLate;
    private long recalled;
    private long lost;
    private long passed;

    @Test
    void noDelegationIsBesideAUseThatConflicts() {
        Seeds.many(300).forEach(this::run);
        System.out.println(
                granted
                        + " granted, "
                        + grantedLate
                        + " of them late, "
                        + recalled
                        + " recalled, "
                        + lost
                        + " lost, "
                        + passed
                        + " uses without an open");
        assertTrue(
                Seeds.isGiven()
                        || granted > 100
                                && grantedLate > 20
                                && recalled > 50
                                && lost > 10
                                && passed > 100);
    }

    private void run(long seed) {
        random = new Random(seed);
        server = StateServer.start();
        clients = new ArrayList<>();
        held = new ArrayList<>();
        asked = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            clients.add(server.client("client" + i, "host" + i).answering());
        }
        for (int i = 0; i < STEPS; i++) {
            step(clients.get(random.nextInt(3)), FILES.get(random.nextInt(2)));
            compare();
        }
        recalled += server.actions(Action.Recall.class).size();
        goOn();
        List.copyOf(held).forEach(this::giveBack);
        assertEquals(List.of(), server.state.snapshots().opens(9));
        FILES.forEach(each -> assertFalse(server.leases.holds(each), "seed " + seed));
    }

    private void step(StateClient client, FileKey file) {
        switch (random.nextInt(12)) {
            case 0, 1, 2, 3 -> open(client, file);
            case 4, 5, 6 -> {
                if (!held.isEmpty()) {
                    giveBack(held.get(random.nextInt(held.size())));
                }
            }
            case 7 -> {
                server.pass(random.nextLong(StateServer.LEASE / 3));
                clients.forEach(StateClient::renew);
            }
            case 8, 9 -> use(file, random.nextBoolean());
            case 10 -> {
                server.ok(server.state.delegations().localConflict(file, server.now));
                asked.replaceAll(each -> each.late(file));
            }
            default -> {
                if (random.nextBoolean()) {
                    server.leases.hang();
                } else {
                    goOn();
                }
            }
        }
    }

    /** The kernel answers. A local process that has come meanwhile goes before. */
    private void goOn() {
        server.leases.goOn();
        for (var each : asked) {
            var told = server.leases.outcome(each.outcome());
            if (told instanceof Granted now) {
                assertFalse(each.isLate(), () -> now + " after a local process");
                grantedLate++;
                granted(each.client(), each.file(), now);
            }
        }
        asked.clear();
    }

    private void granted(StateClient client, FileKey file, Granted told) {
        granted++;
        int use = told.kind() == DelegationKind.WRITE ? 3 : 1;
        held.add(new Held(client, file, told.stateId(), use, false));
    }

    private void open(StateClient client, FileKey file) {
        int access = 1 + random.nextInt(3);
        var owner = "owner" + ++owners;
        var outcome = client.open(file, owner, access, random.nextInt(8) == 0 ? WRITE : 0);
        if (!outcome.isOk()) {
            assertTrue(
                    outcome.status() == Nfs4Status.DELAY
                            || outcome.status() == Nfs4Status.SHARE_DENIED);
            return;
        }
        held.add(new Held(client, file, outcome.value(), access, true));
        var wishes = DelegateCall.Wish.values();
        var told = client.delegate(file, outcome.value(), wishes[random.nextInt(wishes.length)]);
        switch (told) {
            case Granted now -> granted(client, file, now);
            case DelegationOutcome.Asked waiting -> {
                if (random.nextBoolean()) {
                    asked.add(new Asked(client, file, waiting, false));
                } else {
                    server.ok(server.state.delegations().abandon(waiting.number(), server.now));
                }
            }
            case DelegationOutcome.Refused _, DelegationOutcome.Unproven _ -> {}
        }
    }

    private void giveBack(Held each) {
        held.remove(each);
        if (each.isOpen()) {
            server.ok(each.client().close(each.file(), each.id()));
        } else if (each.client().returnDelegation(each.file(), each.id()).status()
                == Nfs4Status.DELEG_REVOKED) {
            server.ok(each.client().free(each.id()));
        }
    }

    /** A call of another version uses a file. */
    private void use(FileKey file, boolean changes) {
        var status =
                server.run(
                        server.state
                                .delegations()
                                .requireUndelegated(null, file, changes, server.now));
        if (status.isOk()) {
            passed++;
            for (var each : held) {
                boolean conflicts = changes || (each.access() & WRITE) != 0;
                assertTrue(each.isOpen() || !each.file().equals(file) || !conflicts);
            }
        }
    }

    /** Compares all that clients hold. */
    private void compare() {
        held.removeIf(
                each -> {
                    boolean isLost = !each.isOpen() && isLost(each);
                    if (isLost) {
                        lost++;
                        server.ok(each.client().free(each.id()));
                    }
                    return isLost;
                });
        for (var delegation : held) {
            for (var each : held) {
                boolean isOther = each.client() != delegation.client();
                if (!delegation.isOpen() && isOther && each.file().equals(delegation.file())) {
                    assertFalse(
                            ((each.access() | delegation.access()) & WRITE) != 0,
                            () -> delegation + " beside " + each);
                }
            }
        }
    }

    private boolean isLost(Held each) {
        var status = each.client().ask(use -> server.state.testStateId(use, each.id()));
        return status == Nfs4Status.DELEG_REVOKED;
    }
}
