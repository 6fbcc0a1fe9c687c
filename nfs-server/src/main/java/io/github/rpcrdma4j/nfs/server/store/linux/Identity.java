package io.github.rpcrdma4j.nfs.server.store.linux;

import io.github.rpcrdma4j.linux.Credentials;
import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.nfs.server.store.Caller;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Changes the identity of a thread towards file systems to that of a caller, and back.
 *
 * <p>A thread with the identity of a caller makes system calls and does nothing else. A thread that
 * is started inherits the identity of the one that starts it, so nothing may be done that could
 * start one: a virtual thread that is woken can. A thread that cannot be set back ends the process.
 */
final class Identity {
    private static final int CAPABILITY_VERSION_3 = 0x20080522;
    private static final int ASK = -1;
    private static final String UMASK = "Umask:";
    private static final int UMASK_USUAL = 022;
    private static final int NOBODY = 65534;

    /** Where capget and capset have the effective capabilities, those of two words. */
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

    /** What lets a thread pass the checks of file systems. */
    private static final int FOR_FILES =
            bit(CHOWN)
                    | bit(DAC_OVERRIDE)
                    | bit(DAC_READ_SEARCH)
                    | bit(FOWNER)
                    | bit(FSETID)
                    | bit(MKNOD);

    private static final int TO_SWITCH = bit(SETUID) | bit(SETGID);

    /** What root has in addition: quotas do not count, and the space kept for root is there. */
    private static final int PAST_LIMITS = bit(SYS_RESOURCE);

    private final int uid;
    private final int gid;
    private final int[] groups;

    /** The capabilities that this process has, of those that are of use here. */
    private final int permitted;

    /**
     * The umask that its threads cannot get rid of: 0 where each can have its own, which a filter
     * of system calls in a container often forbids.
     */
    private final int umask;

    /** Whether the kernel itself takes capabilities from a thread that is not root to files. */
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

    /** The identity of this process, as a thread that is started now has it. */
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
        int permitted = effective(scratch) & (FOR_FILES | TO_SWITCH | PAST_LIMITS);
        if (count > Scratch.GROUPS_MAX) {
            // They could not be given back.
            permitted &= ~TO_SWITCH;
        }
        var process =
                new Identity(
                        Credentials.setfsuid(scratch, ASK),
                        Credentials.setfsgid(scratch, ASK),
                        groups,
                        permitted,
                        Credentials.unshareFs(scratch) == 0 ? 0 : umaskOfProcess(),
                        true);
        return process.mayAct() ? process.asTheKernelSwitches(scratch) : process;
    }

    /** Finds out whether the kernel lowers capabilities, on this thread, which ends then. */
    private Identity asTheKernelSwitches(Scratch scratch) {
        boolean taken = take(scratch, new Caller.User(NOBODY, NOBODY), true);
        boolean lowered = (effective(scratch) & FOR_FILES) == 0;
        int usable = taken ? permitted : permitted & ~TO_SWITCH;
        return new Identity(uid, gid, groups, usable, umask, lowered);
    }

    /** Reads it from /proc, since umask(2) would set it. */
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

    /** The umask under which files are made. */
    int umask() {
        return umask;
    }

    /** The user of the process. */
    int uid() {
        return uid;
    }

    /** Whether threads may take the identity of a caller. */
    boolean mayAct() {
        return (permitted & TO_SWITCH) == TO_SWITCH && (permitted & bit(CHOWN)) != 0;
    }

    /**
     * Whether callers, all of whom this process serves with its own rights, would have rights that
     * no user has: those of root, or of its capabilities.
     */
    boolean wouldLendItsRights() {
        return !mayAct() && (uid == 0 || (permitted & FOR_FILES) != 0);
    }

    /** Whether files may be opened by their handles. */
    boolean mayOpenHandles() {
        return (permitted & bit(DAC_READ_SEARCH)) != 0;
    }

    /**
     * Gives up, for the calling thread and for good, the capabilities that files do not need. One
     * is kept in reserve for callers who are root: the kernel does not take CAP_SYS_RESOURCE from a
     * thread that becomes another user to files, and with it every caller would pass its quota.
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
     * Keeps the capabilities that the calling thread has, until they are given back.
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

    /** Sets the effective ones of a thread that has kept its own, and leaves the others alone. */
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
     * Makes the calling thread the caller.
     *
     * @param restricted whether the thread has given up what files do not need; else it has kept
     *     its capabilities
     * @return whether the thread is the caller; it is to be set back in either case
     */
    boolean take(Scratch scratch, Caller.User caller, boolean restricted) {
        boolean taken =
                setGroups(scratch, caller)
                        && set(caller.gid(), scratch, Credentials::setfsgid)
                        && set(caller.uid(), scratch, Credentials::setfsuid);
        if (!taken) {
            return false;
        }
        boolean isRoot = caller.uid() == 0;
        int left = isRoot ? permitted : withinLimits() & ~FOR_FILES;
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

    /** Sets an id, and asks for it: setfsuid(2) and setfsgid(2) report no failure. */
    private static boolean set(int id, Scratch scratch, Setting setting) {
        setting.set(scratch, id);
        return setting.set(scratch, ASK) == id;
    }

    /** Makes the calling thread the process again. */
    void giveBack(Scratch scratch, boolean restricted) {
        boolean back = false;
        try {
            back = isGivenBack(scratch, restricted);
        } finally {
            if (!back) {
                // Anything done from here on could be done as the wrong user.
                Runtime.getRuntime().halt(LinuxStores.EXIT_IDENTITY);
            }
        }
    }

    private boolean isGivenBack(Scratch scratch, boolean restricted) {
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
