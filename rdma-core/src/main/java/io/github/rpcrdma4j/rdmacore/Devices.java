package io.github.rpcrdma4j.rdmacore;

import io.github.rpcrdma4j.rdmacore.library.CommandThread;
import io.github.rpcrdma4j.rdmacore.library.Memory;
import io.github.rpcrdma4j.rdmacore.library.RdmaCm;
import io.github.rpcrdma4j.rdmacore.library.Verbs;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The devices of this machine. The process opens them at the first use that finds one, and never
 * closes them. Thread-safe.
 */
final class Devices {
    private static final SafeLog LOG = new SafeLog(System.getLogger(Devices.class.getName()));

    /** Guarded by the class. */
    private static Found found = new Found(List.of(), Optional.empty());

    /**
     * What was found.
     *
     * @param problem why no device, or another device, cannot be used
     */
    private record Found(List<Device> devices, Optional<String> problem) {}

    private Devices() {}

    /**
     * Returns all devices that can be used.
     *
     * @throws IllegalStateException if the libraries are missing
     */
    static List<Device> all() {
        return find().devices;
    }

    /** Returns why no device can be used, in one line; empty if one can. */
    static Optional<String> unusable() {
        if (Verbs.missing().isPresent()) {
            return Verbs.missing();
        }
        var now = find();
        return now.devices.isEmpty() ? now.problem : Optional.empty();
    }

    private static synchronized Found find() {
        Verbs.missing()
                .ifPresent(
                        why -> {
                            throw new IllegalStateException(why);
                        });
        if (found.devices.isEmpty()) {
            found = CommandThread.call(Devices::open);
        }
        return found;
    }

    private static Found open() {
        var devices = new ArrayList<Device>();
        var problems = new ArrayList<String>();
        try (var arena = Arena.ofConfined()) {
            long contexts = RdmaCm.devices(arena.allocate(Integer.BYTES).address());
            for (long at = contexts; contexts > 0 && Memory.int64(at) != 0; at += Long.BYTES) {
                try {
                    devices.add(new Device(Memory.int64(at)));
                } catch (IllegalStateException unusable) {
                    LOG.line(System.Logger.Level.WARNING, unusable.getMessage());
                    problems.add(unusable.getMessage());
                }
            }
            if (contexts > 0) {
                RdmaCm.freeDevices(contexts);
            }
            if (devices.isEmpty() && problems.isEmpty()) {
                problems.add(Absence.OF_THIS_MACHINE.reason((int) -Math.min(0, contexts)));
            }
        }
        return new Found(List.copyOf(devices), problems.stream().findFirst());
    }
}
