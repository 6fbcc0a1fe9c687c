package io.github.rpcrdma4j.nfs.directories.linux;

import io.github.rpcrdma4j.linux.Credentials;
import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.nfs.store.Caller;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Changes the file system identity of a thread to that of a caller, and back.
 *
 * <p>A thread with the identity of a caller makes system calls and does nothing else. A new thread
 * inherits the identity of the thread that starts it. So no action is allowed that could start a
 * thread, such as unparking a virtual thread. If a thread cannot return to its own identity, the
 * process ends.
 */
final class Identity {
    private static final int CAPABILITY_VERSION_3 = 0x20080522;
    private static final int QUERY = -1;
    private static final String UMASK = "Umask:";
    private static final int UMASK_USUAL = 022;
    private static final int NOBODY = 65534;

    /**
     * The offsets of the effective capabilities for capget and capset, which have two words of
     * them.
     */
    private static final long EFFECTIVE_LOW = Scratch.CAPABILITIES + 8;

    private static final long EFFECTIVE_HIGH = Scratch.CAPABILITIES + 20;

    private static final int CHOWN = 0;
    private static final int DAC_OVERRIDE = 1;
    private static final int DAC_READ_SEARCH = 2;
    private static final int FOWNER = 3;
    private static final int FSETID = 4;
    private static final int SETGID = 6;
    private static final int SETUID = 7;
    private static final int SYS_RESOURCE = 24;
    private static final int MKNOD = 27;
    private static final int LEASE = 28;

    /** The capabilities that bypass checks of file systems. */
    private static final int FOR_FILES =
            bit(CHOWN)
                    | bit(DAC_OVERRIDE)
                    | bit(DAC_READ_SEARCH)
                    | bit(FOWNER)
                    | bit(FSETID)
                    | bit(MKNOD);

    /** A further one of the server: it takes kernel leases on files of other users. */
    private static final int TO_LEASE = bit(LEASE);

    private static final int TO_SWITCH = bit(SETUID) | bit(SETGID);

    /**
     * A further capability of root: it bypasses quotas and may use space that is reserved for root.
     */
    private static final int PAST_LIMITS = bit(SYS_RESOURCE);

    private final int uid;
    private final int gid;
    private final int[] groups;

    /** The relevant capabilities of this process. */
    private final int permitted;

    /**
     * The umask that applies to its threads. It is 0 if each thread can have its own; a filter of
     * system calls in a container often forbids this.
     */
    private final int umask;

    /**
     * Whether the kernel itself removes capabilities from a thread whose file system user is not
     * root.
     */
    private final boolean kernelLowers;

    private Identity(
            int uid, int gid, int[] groups, int permitted, int umask, boolean kernelLowers) {
        this.uid = uid;
        this.gid = gid;
        this.groups = groups;
        this.permitted = permitted;
        this.umask = umask;
        this.kernelLowers = kernelLowers;
    }

    private static int bit(int capability) {
        return 1 << capability;
    }

    /** Returns the identity of this process, as a newly started thread has it. */
    static Identity ofProcess() {
        var found = new AtomicReference<Identity>();
        var probe =
                Thread.ofPlatform()
                        .daemon()
                        .name("nfs-files-probe")
                        .start(() -> found.set(probe(new Scratch())));
        boolean interrupted = false;
        while (probe.isAlive()) {
            try {
                probe.join();
            } catch (InterruptedException _) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return found.get();
    }

    private static Identity probe(Scratch scratch) {
        int count = Credentials.getgroups(scratch, 0, 0);
        var groups = new int[Math.clamp(count, 0, Scratch.GROUPS_MAX)];
        Credentials.getgroups(scratch, groups.length, scratch.address + Scratch.GROUPS);
        for (int i = 0; i < groups.length; i++) {
            groups[i] = scratch.word(Scratch.GROUPS + (long) i * Integer.BYTES);
        }
        int permitted = effective(scratch) & (FOR_FILES | TO_LEASE | TO_SWITCH | PAST_LIMITS);
        if (count > Scratch.GROUPS_MAX) {
            // The thread could not restore so many groups.
            permitted &= ~TO_SWITCH;
        }
        var process =
                new Identity(
                        Credentials.setfsuid(scratch, QUERY),
                        Credentials.setfsgid(scratch, QUERY),
                        groups,
                        permitted,
                        Credentials.unshareFs(scratch) == 0 ? 0 : umaskOfProcess(),
                        true);
        return process.mayAct() ? process.asTheKernelSwitches(scratch) : process;
    }

    /**
     * Checks whether the kernel lowers capabilities. It uses this thread, which ends afterwards.
     */
    private Identity asTheKernelSwitches(Scratch scratch) {
        boolean assumed = assume(scratch, new Caller.User(NOBODY, NOBODY), true);
        boolean lowered = (effective(scratch) & FOR_FILES) == 0;
        int usable = assumed ? permitted : permitted & ~TO_SWITCH;
        return new Identity(uid, gid, groups, usable, umask, lowered);
    }

    /** Returns the umask of the process from /proc, since umask(2) would change it. */
    private static int umaskOfProcess() {
        try (var lines = Files.lines(Path.of("/proc/self/status"))) {
            return lines.filter(line -> line.startsWith(UMASK))
                    .mapToInt(line -> Integer.parseInt(line.substring(UMASK.length()).trim(), 8))
                    .findFirst()
                    .orElse(UMASK_USUAL);
        } catch (IOException | UncheckedIOException unreadable) {
            return UMASK_USUAL;
        }
    }

    private static int effective(Scratch scratch) {
        long header = capabilityHeader(scratch);
        return Credentials.capget(scratch, header, header + 8) < 0
                ? 0
                : scratch.word(EFFECTIVE_LOW);
    }

    private static long capabilityHeader(Scratch scratch) {
        scratch.word(Scratch.CAPABILITIES, CAPABILITY_VERSION_3);
        scratch.word(Scratch.CAPABILITIES + 4, 0);
        return scratch.address + Scratch.CAPABILITIES;
    }

    /** Returns the umask of new files. */
    int umask() {
        return umask;
    }

    /** Returns the user id of the process. */
    int uid() {
        return uid;
    }

    /** Returns whether threads may assume the identity of a caller. */
    boolean mayAct() {
        return (permitted & TO_SWITCH) == TO_SWITCH && (permitted & bit(CHOWN)) != 0;
    }

    /**
     * Returns whether this process cannot act for others, but has rights that ordinary users lack:
     * those of root or of its capabilities. All callers would get these rights.
     */
    boolean grantsOwnRightsToCallers() {
        return !mayAct() && (uid == 0 || (permitted & FOR_FILES) != 0);
    }

    /** Returns whether this process may open files by their handles. */
    boolean mayOpenHandles() {
        return (permitted & bit(DAC_READ_SEARCH)) != 0;
    }

    /**
     * Permanently drops the capabilities that files do not need from the calling thread.
     * CAP_SYS_RESOURCE stays permitted for callers who are root, but is not effective: the kernel
     * does not remove it when a thread changes its file system user, and every caller would bypass
     * its quota.
     *
     * @return 0 or an error
     */
    int restrict(Scratch scratch) {
        return setCapabilities(scratch, withinLimits());
    }

    private int withinLimits() {
        return permitted & ~PAST_LIMITS;
    }

    private boolean mayPassLimits() {
        return permitted != withinLimits();
    }

    /**
     * Saves the capabilities of the calling thread until {@link #restore}.
     *
     * @return 0 or an error
     */
    int keepCapabilities(Scratch scratch) {
        long header = capabilityHeader(scratch);
        int result = Credentials.capget(scratch, header, header + 8);
        scratch.word(Scratch.KEPT_CAPABILITIES, scratch.word(EFFECTIVE_LOW));
        scratch.word(Scratch.KEPT_CAPABILITIES + 4, scratch.word(EFFECTIVE_HIGH));
        return result;
    }

    /**
     * Sets the effective capabilities of a thread that has saved its own, and leaves the other sets
     * unchanged.
     */
    private static int setEffective(Scratch scratch, int low, int high) {
        long header = capabilityHeader(scratch);
        scratch.word(EFFECTIVE_LOW, low);
        scratch.word(EFFECTIVE_HIGH, high);
        return Credentials.capset(scratch, header, header + 8);
    }

    private int setCapabilities(Scratch scratch, int effective) {
        long header = capabilityHeader(scratch);
        scratch.word(EFFECTIVE_LOW, effective);
        scratch.word(Scratch.CAPABILITIES + 12, permitted);
        scratch.word(Scratch.CAPABILITIES + 16, 0);
        scratch.word(EFFECTIVE_HIGH, 0);
        scratch.word(Scratch.CAPABILITIES + 24, 0);
        scratch.word(Scratch.CAPABILITIES + 28, 0);
        return Credentials.capset(scratch, header, header + 8);
    }

    /**
     * Gives the calling thread the identity of a caller.
     *
     * @param restricted whether the thread called {@link #restrict}; otherwise it called {@link
     *     #keepCapabilities}
     * @return whether the thread has the identity; in both cases it must call {@link #restore}
     */
    boolean assume(Scratch scratch, Caller.User caller, boolean restricted) {
        boolean assumed =
                setGroups(scratch, caller)
                        && set(caller.gid(), scratch, Credentials::setfsgid)
                        && set(caller.uid(), scratch, Credentials::setfsuid);
        if (!assumed) {
            return false;
        }
        boolean isRoot = caller.uid() == 0;
        int left = isRoot ? permitted : withinLimits() & ~(FOR_FILES | TO_LEASE);
        if (!restricted) {
            return setEffective(scratch, left, 0) == 0;
        }
        boolean isSoAlready = kernelLowers && !(isRoot && mayPassLimits());
        return isSoAlready || setCapabilities(scratch, left) == 0;
    }

    private static boolean setGroups(Scratch scratch, Caller.User caller) {
        int count = caller.groupCount();
        if (count <= Scratch.GROUPS_MAX) {
            return setGroups(scratch, caller, scratch.memory.asSlice(Scratch.GROUPS));
        }
        try (var arena = Arena.ofConfined()) {
            var memory = arena.allocate((long) count * Integer.BYTES, Integer.BYTES);
            return setGroups(scratch, caller, memory);
        }
    }

    private static boolean setGroups(Scratch scratch, Caller.User caller, MemorySegment groups) {
        for (int i = 0; i < caller.groupCount(); i++) {
            groups.setAtIndex(ValueLayout.JAVA_INT, i, caller.group(i));
        }
        return Credentials.setgroups(scratch, caller.groupCount(), groups.address()) == 0;
    }

    private interface Setting {
        int set(Scratch scratch, int id);
    }

    /** Sets an id and reads it back, because setfsuid(2) and setfsgid(2) report no failure. */
    private static boolean set(int id, Scratch scratch, Setting setting) {
        setting.set(scratch, id);
        return setting.set(scratch, QUERY) == id;
    }

    /** Restores the calling thread's own identity, or ends the process. */
    void restore(Scratch scratch, boolean restricted) {
        boolean back = false;
        try {
            back = isRestored(scratch, restricted);
        } finally {
            if (!back) {
                // The thread could perform any further action as the wrong user.
                Runtime.getRuntime().halt(LinuxStores.EXIT_IDENTITY);
            }
        }
    }

    private boolean isRestored(Scratch scratch, boolean restricted) {
        boolean back = set(uid, scratch, Credentials::setfsuid);
        if (!restricted) {
            int low = scratch.word(Scratch.KEPT_CAPABILITIES);
            int high = scratch.word(Scratch.KEPT_CAPABILITIES + 4);
            back &= setEffective(scratch, low, high) == 0;
        } else if (!kernelLowers || mayPassLimits()) {
            back &= setCapabilities(scratch, withinLimits()) == 0;
        }
        back &= set(gid, scratch, Credentials::setfsgid);
        for (int i = 0; i < groups.length; i++) {
            scratch.word(Scratch.GROUPS + (long) i * Integer.BYTES, groups[i]);
        }
        back &=
                Credentials.setgroups(scratch, groups.length, scratch.address + Scratch.GROUPS)
                        == 0;
        return back;
    }
}
