package io.github.rpcrdma4j.interop.access;

import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundResult;
import io.github.rpcrdma4j.nfs.v4.operation.HandleArguments;
import io.github.rpcrdma4j.nfs.v4.operation.HandleResult;
import io.github.rpcrdma4j.nfs.v4.operation.LockResult;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.nfs.v4.operation.OpenDelegation;
import io.github.rpcrdma4j.nfs.v4.operation.Result;
import io.github.rpcrdma4j.nfs.v4.operation.StateResult;
import io.github.rpcrdma4j.nfs.v4.type.FileHandle;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The handles and stateids that one case has got so far, and the sequences of its owners. Not
 * thread-safe.
 */
final class Holding {
    /** Operations that count the sequences of owners (RFC 7530, Section 9.1.7). */
    private static final Set<Opcode> COUNTED =
            EnumSet.of(
                    Opcode.OPEN,
                    Opcode.OPEN_CONFIRM,
                    Opcode.OPEN_DOWNGRADE,
                    Opcode.CLOSE,
                    Opcode.LOCK,
                    Opcode.LOCKU);

    /** Failures that leave the sequence of an owner alone (RFC 7530, Section 9.1.7). */
    private static final Set<Nfs4Status> UNCOUNTED =
            EnumSet.of(
                    Nfs4Status.STALE_CLIENTID,
                    Nfs4Status.STALE_STATEID,
                    Nfs4Status.BAD_STATEID,
                    Nfs4Status.BAD_SEQID,
                    Nfs4Status.BADXDR,
                    Nfs4Status.RESOURCE,
                    Nfs4Status.NOFILEHANDLE,
                    Nfs4Status.MOVED);

    /** A stateid, and the name of the open or lock owner that got it. */
    private record Kept(StateId stateId, String owner) {}

    private final String id;
    private final long clientId;
    private final ByteOrder verifiers;
    private final Map<String, FileHandle> handles;
    private final Map<Held, Kept> kept = new EnumMap<>(Held.class);
    private final Map<String, Integer> sequences = new HashMap<>();
    private final Set<String> counting = new HashSet<>();
    private String owner = "";

    /**
     * @param id the case, whose owners are owners of no other case
     * @param verifiers as in {@link TableServer}
     * @param handles the handles of the files, by path; copied
     */
    Holding(String id, long clientId, ByteOrder verifiers, Map<String, FileHandle> handles) {
        this.id = id;
        this.clientId = clientId;
        this.verifiers = verifiers;
        this.handles = new HashMap<>(handles);
        kept.put(Held.ANONYMOUS, new Kept(StateId.ANONYMOUS, ""));
        kept.put(Held.BYPASS, new Kept(StateId.READ_BYPASS, ""));
    }

    /**
     * @throws IllegalArgumentException if the case has no such file
     */
    HandleArguments.PutFh put(String path) {
        var handle = handles.get(path);
        if (handle == null) {
            throw new IllegalArgumentException(id + " has no " + path);
        }
        return new HandleArguments.PutFh(handle);
    }

    /** Returns the verifier of exclusive creation that is the times of an untouched file. */
    long oldTimes() {
        int seconds = (int) Preparation.OLD_SECONDS;
        int word = verifiers == ByteOrder.BIG_ENDIAN ? seconds : Integer.reverseBytes(seconds);
        return (long) word << Integer.SIZE | Integer.toUnsignedLong(word);
    }

    StateId stateId(Held held) {
        return kept(held).stateId;
    }

    boolean hasDelegation() {
        return kept.containsKey(Held.DELEGATION);
    }

    String ownerOf(Held held) {
        return kept(held).owner;
    }

    private Kept kept(Held held) {
        var found = kept.get(held);
        if (found == null) {
            throw new IllegalArgumentException(id + " has no stateid of " + held.words());
        }
        return found;
    }

    StateOwner owner(String name) {
        var bytes = (id + " " + name).getBytes(StandardCharsets.UTF_8);
        return new StateOwner(clientId, OpaqueName.of(bytes));
    }

    /** Returns the next sequence of an owner, and lets the next reply count for it. */
    int count(String name) {
        owner = name;
        counting.add(name);
        return sequences.getOrDefault(name, 0);
    }

    /** Takes what a reply gives. */
    void take(Step step, CompoundResult reply) {
        for (var result : reply.results()) {
            take(step, result);
        }
        counting.clear();
    }

    private void take(Step step, Result result) {
        if (COUNTED.contains(result.opcode()) && !UNCOUNTED.contains(result.status())) {
            counting.forEach(each -> sequences.merge(each, 1, Integer::sum));
        }
        switch (result) {
            case HandleResult.GetFh(var handle) -> handles.put(step.path(), handle);
            case StateResult.Open(var open, _, _, _, var delegation) -> {
                keep(step.keeps(), open);
                if (step.needs() == Step.Needs.DELEGATION) {
                    take(delegation);
                }
            }
            case StateResult.OpenConfirm(var open) -> keep(step.keeps(), open);
            case StateResult.OpenDowngrade(var open) -> keep(step.keeps(), open);
            case LockResult.Lock(var lock) -> keep(Held.LOCK, lock);
            case LockResult.LockU(var lock) -> keep(Held.LOCK, lock);
            case Result _ -> {}
        }
    }

    private void take(OpenDelegation delegation) {
        switch (delegation) {
            case OpenDelegation.Read read -> keep(Held.DELEGATION, read.stateId());
            case OpenDelegation.Write write -> keep(Held.DELEGATION, write.stateId());
            case OpenDelegation.None _, OpenDelegation.Refused _ -> {}
        }
    }

    private void keep(Held held, StateId stateId) {
        kept.put(held, new Kept(stateId, owner));
    }
}
