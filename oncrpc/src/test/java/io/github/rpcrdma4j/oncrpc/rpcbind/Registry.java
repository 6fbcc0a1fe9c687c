package io.github.rpcrdma4j.oncrpc.rpcbind;

import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** A small rpcbind, with one table for {@link Rpcb} and one for {@link Mapping}. */
public final class Registry implements RpcProgram {
    private final int lowest;
    private final int highest;
    private final Map<String, Rpcb> registrations = new ConcurrentHashMap<>();
    private final Map<Mapping, Integer> ports = new ConcurrentHashMap<>();

    /** What it calls the user of each caller; null: what the caller says. */
    private volatile String caller;

    private volatile boolean hasUnreadableList;
    private volatile List<Rpcb> rivals = List.of();
    private final AtomicInteger rivalTries = new AtomicInteger();

    /**
     * @param lowest the lowest version that it serves, 2 to 4
     * @param highest the highest version that it serves
     */
    public Registry(int lowest, int highest) {
        this.lowest = lowest;
        this.highest = highest;
    }

    /** Returns the registrations of versions 3 and 4, in any order. */
    public List<Rpcb> registrations() {
        return List.copyOf(registrations.values());
    }

    /** Returns the registrations of version 2, in any order. */
    public List<Mapping> mappings() {
        return ports.entrySet().stream()
                .map(
                        each ->
                                new Mapping(
                                        each.getKey().program(),
                                        each.getKey().version(),
                                        each.getKey().protocol(),
                                        each.getValue()))
                .toList();
    }

    /** Adds a registration. Returns false if there already is another one. */
    public boolean add(Rpcb rpcb) {
        var there = registrations.putIfAbsent(key(rpcb), rpcb);
        return there == null || there.address().equals(rpcb.address());
    }

    /**
     * From now on knows the user of its callers, as over a local socket: root may remove all
     * registrations, and others their own.
     */
    public void knowCaller(String user) {
        caller = user;
    }

    /** Has others register themselves in turns when that place becomes free, some times. */
    public void addRivals(List<Rpcb> again, int times) {
        rivals = again;
        rivalTries.set(times);
        add(again.getFirst());
    }

    /** From now on answers DUMP with a list that cannot be decoded. */
    public void garbleList() {
        hasUnreadableList = true;
    }

    private boolean set(Rpcb rpcb) {
        var owner = caller == null ? rpcb.owner() : caller;
        return add(new Rpcb(rpcb.program(), rpcb.version(), rpcb.netid(), rpcb.address(), owner));
    }

    private boolean unset(Rpcb rpcb) {
        var there = registrations.get(key(rpcb));
        if (there == null
                || caller != null
                        && !caller.equals(Registration.SUPERUSER)
                        && !caller.equals(there.owner())) {
            return false;
        }
        registrations.remove(key(rpcb));
        if (!rivals.isEmpty() && key(rivals.getFirst()).equals(key(rpcb))) {
            int turn = rivalTries.getAndDecrement();
            if (turn > 0) {
                add(rivals.get(turn % rivals.size()));
            }
        }
        return true;
    }

    private static String key(Rpcb rpcb) {
        return rpcb.program() + "/" + rpcb.version() + "/" + rpcb.netid();
    }

    @Override
    public ProgramId id() {
        return new ProgramId(RpcbindClient.PROGRAM, lowest, highest);
    }

    @Override
    public AcceptStatus call(RpcRequest request, XdrWriter results) throws XdrException {
        var in = request.arguments();
        if (request.version() == RpcbindClient.VERSION_2) {
            var mapping = Mapping.decode(in);
            in.finish();
            var key = new Mapping(mapping.program(), mapping.version(), mapping.protocol(), 0);
            switch (request.procedure()) {
                case RpcbindClient.SET ->
                        results.bool(ports.putIfAbsent(key, mapping.port()) == null);
                case RpcbindClient.UNSET -> results.bool(ports.remove(key) != null);
                default -> results.uint32(ports.getOrDefault(key, 0));
            }
        } else if (request.procedure() == RpcbindClient.DUMP) {
            in.finish();
            for (var rpcb : registrations.values()) {
                results.bool(true);
                rpcb.encode(results);
            }
            if (!hasUnreadableList) {
                results.bool(false);
            }
        } else {
            var rpcb = Rpcb.decode(in);
            in.finish();
            var there = registrations.get(key(rpcb));
            switch (request.procedure()) {
                case RpcbindClient.SET -> results.bool(set(rpcb));
                case RpcbindClient.UNSET -> results.bool(unset(rpcb));
                default -> results.string(there == null ? "" : there.address());
            }
        }
        return AcceptStatus.SUCCESS;
    }
}
