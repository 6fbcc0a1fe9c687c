package io.github.rpcrdma4j.nfs.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.github.rpcrdma4j.nfs.state.RandomWorld.WorldFile;
import io.github.rpcrdma4j.nfs.state.event.Action;
import io.github.rpcrdma4j.nfs.state.event.KernelAnswer;
import io.github.rpcrdma4j.nfs.state.event.LockStatus;
import io.github.rpcrdma4j.nfs.state.range.ByteRange;
import io.github.rpcrdma4j.nfs.state.range.LockMode;
import io.github.rpcrdma4j.nfs.state.range.RangeLocks;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** The kernel below a {@link RandomWorld}: it takes its time, and has a local process. */
final class RandomKernel {
    private static final StateOwner SERVER = new StateOwner(0, StateServer.name("server"));
    private static final StateOwner LOCAL = new StateOwner(0, StateServer.name("local"));

    private static final class LockedFile {
        final RangeLocks<StateOwner> locks = new RangeLocks<>();
        final ArrayDeque<Action.KernelLock> waiting = new ArrayDeque<>();
    }

    private final RandomWorld world;
    private final List<LockedFile> files = new ArrayList<>();

    RandomKernel(RandomWorld world) {
        this.world = world;
    }

    /** The server has ended, with its locks. The local process lets it reclaim. */
    void restart() {
        files.clear();
        for (int i = 0; i < RandomWorld.FILES; i++) {
            files.add(new LockedFile());
        }
    }

    void add(Action.KernelLock change) {
        files.get(((WorldFile) change.file()).number()).waiting.add(change);
    }

    /** Carries out one change of some file. */
    void step() {
        carryOut(anyFile());
    }

    private LockedFile anyFile() {
        return files.get(world.random.nextInt(RandomWorld.FILES));
    }

    void finish() {
        for (var each : files) {
            while (!each.waiting.isEmpty()) {
                carryOut(each);
            }
        }
    }

    private void carryOut(LockedFile file) {
        switch (file.waiting.poll()) {
            case null -> {}
            case Action.AskLock ask -> world.answer(ask.number(), answer(file.locks, ask));
            case Action.ReduceLock(_, var left) -> {
                if (left.type().isPresent()) {
                    // Fails if the local process is in the way.
                    file.locks.lock(SERVER, left.type().get(), left.range(), 0);
                } else {
                    file.locks.unlock(SERVER, left.range());
                }
            }
            case Action.ContinueReduction more -> world.continueReduction(more.file());
            case Action.CloseLocks _ ->
                    assertFalse(file.locks.isOwner(SERVER), "something is still locked");
        }
    }

    private KernelAnswer answer(RangeLocks<StateOwner> locks, Action.AskLock ask) {
        if (world.random.nextInt(50) == 0) {
            return new KernelAnswer.Failed(Nfs4Status.DELAY);
        }
        var conflict = locks.conflict(SERVER, ask.type(), ask.range());
        if (conflict.isPresent()) {
            world.counts.conflicts++;
            return new KernelAnswer.Conflict(conflict.get());
        }
        locks.lock(SERVER, ask.type(), ask.range(), 0);
        return new KernelAnswer.Locked();
    }

    /**
     * The local process locks something, or unlocks all.
     *
     * @param isGrace whether it must not take what clients have yet to reclaim
     */
    void stepOfLocalProcess(boolean isGrace) {
        var locks = anyFile().locks;
        if (locks.isOwner(LOCAL)) {
            locks.unlock(LOCAL, ByteRange.ALL);
            return;
        }
        var type = world.random.nextBoolean() ? LockMode.READ : LockMode.WRITE;
        long first = world.random.nextInt(HeldFile.BYTES);
        var range = new ByteRange(first, first + world.random.nextInt(2));
        if (!isGrace && locks.conflict(LOCAL, type, range).isEmpty()) {
            locks.lock(LOCAL, type, range, 0);
        }
    }

    /** The kernel has the union of the locks of all clients, wherever it has done all its work. */
    void compare(List<LockStatus> locks) {
        for (int i = 0; i < RandomWorld.FILES; i++) {
            var file = files.get(i);
            if (!file.waiting.isEmpty()) {
                continue;
            }
            var union = new RangeLocks<StateOwner>();
            for (var each : locks) {
                if (each.file().equals(new WorldFile(i))) {
                    union.lock(each.lock().owner(), each.lock().type(), each.lock().range(), 0);
                }
            }
            var server = new RangeLocks<StateOwner>();
            file.locks
                    .of(SERVER)
                    .forEach(each -> server.lock(SERVER, each.type(), each.range(), 0));
            assertEquals(
                    union.union(ByteRange.ALL).toString(), server.union(ByteRange.ALL).toString());
        }
    }
}
