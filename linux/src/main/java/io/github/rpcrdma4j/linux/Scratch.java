package io.github.rpcrdma4j.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Native memory for the arguments and results of system calls. One operation uses it at a time.
 *
 * <pre>
 *      0  errno(32)
 *     64  struct statx, 256 bytes
 *    320  struct open_how, 24 bytes
 *    384  a name and its NUL, 256 bytes; the other name follows at 640
 *    896  /proc/self/fd/N and its NUL, 64 bytes
 *    960  two struct timespec, 32 bytes
 *   1024  struct file_handle: length(32) type(32) bytes(128)
 *   1216  struct statfs, 120 bytes
 *   1408  struct iovec, 16 bytes
 *   1472  "" and "." and ".."; the name of the attribute of a default ACL follows at 1488
 *   1536  two structs for capset, 8 + 24 bytes
 *   1600  groups, 64 of 32 bits
 *   1856  the name of the attribute of an access control list
 *   1920  struct flock, 32 bytes; struct file_clone_range, 32 bytes; or signals(64), struct
 *         f_owner_ex, 8 bytes; or struct sigaction, 32 bytes
 *   2048  the text of a link and its NUL, 4,097 bytes; siginfo, 128 bytes; or notices of
 *         changes
 *   6208  a long name and its NUL, 992 bytes; another follows at 7200
 * </pre>
 */
public final class Scratch {
    public static final int STATX = 64;
    public static final int OPEN_HOW = 320;
    public static final int NAME = 384;
    public static final int OTHER_NAME = 640;
    public static final int SELF_DESCRIPTOR = 896;
    public static final int TIMES = 960;
    public static final int HANDLE = 1024;
    public static final int STATFS = 1216;
    public static final int IOVEC = 1408;
    public static final int EMPTY_NAME = 1472;
    public static final int DOT = 1474;
    public static final int DOT_DOT = 1478;
    public static final int DEFAULT_ACL = 1488;
    public static final int CAPABILITIES = 1536;
    public static final int KEPT_CAPABILITIES = 1584;
    public static final int GROUPS = 1600;
    public static final int ACCESS_ACL = 1856;
    public static final int RANGE = 1920;
    public static final int TEXT = 2048;
    public static final int LONG_NAME = 6208;
    public static final int OTHER_LONG_NAME = 7200;

    /** The longest usual name, in bytes; Linux's own file systems keep no longer ones. */
    public static final int NAME_MAX = 255;

    /**
     * The longest name of a file system that counts characters, such as those of Windows, in bytes.
     */
    public static final int LONG_NAME_MAX = 991;

    /** The longest text of a link, in bytes. */
    public static final int TEXT_MAX = 4096;

    /** The longest handle of the kernel, in bytes. */
    public static final int HANDLE_MAX = 128;

    /** The most groups that fit. */
    public static final int GROUPS_MAX = 64;

    private static final int BYTES = 8192;
    private static final int ALIGNMENT_BYTES = 64;
    private static final int KEPT_MAX = 256;
    private static final byte[] SELF_PREFIX = "/proc/self/fd/".getBytes();

    /**
     * Free instances, at indexes derived from the number of the thread that is likely to need them
     * next.
     */
    private static final AtomicReferenceArray<Scratch> FREE = new AtomicReferenceArray<>(KEPT_MAX);

    public final MemorySegment memory = Arena.ofAuto().allocate(BYTES, ALIGNMENT_BYTES);
    public final long address = memory.address();

    public Scratch() {
        memory.fill((byte) 0);
        set(DOT, '.');
        set(DOT_DOT, '.');
        set(DOT_DOT + 1, '.');
        text(DEFAULT_ACL, "system.posix_acl_default".getBytes());
        text(ACCESS_ACL, "system.posix_acl_access".getBytes());
    }

    /** Takes a free instance, or allocates one, which may wait for other threads. */
    public static Scratch acquire() {
        int first = slot();
        for (int i = 0; i < KEPT_MAX; i++) {
            int slot = first + i & KEPT_MAX - 1;
            if (FREE.getPlain(slot) != null) {
                var free = FREE.getAndSet(slot, null);
                if (free != null) {
                    return free;
                }
            }
        }
        return new Scratch();
    }

    /** Returns this instance to the free ones. The caller must not use it any more. */
    public void release() {
        int first = slot();
        for (int i = 0; i < KEPT_MAX; i++) {
            if (FREE.compareAndSet(first + i & KEPT_MAX - 1, null, this)) {
                return;
            }
        }
    }

    private static int slot() {
        return (int) Thread.currentThread().threadId() & KEPT_MAX - 1;
    }

    private void set(int at, int value) {
        memory.set(ValueLayout.JAVA_BYTE, at, (byte) value);
    }

    public int word(long at) {
        return memory.get(ValueLayout.JAVA_INT, at);
    }

    public void word(long at, int value) {
        memory.set(ValueLayout.JAVA_INT, at, value);
    }

    public long number(long at) {
        return memory.get(ValueLayout.JAVA_LONG, at);
    }

    public void number(long at, long value) {
        memory.set(ValueLayout.JAVA_LONG, at, value);
    }

    /** Writes bytes and a terminating NUL, and returns the address of the first byte. */
    public long text(int at, byte[] bytes) {
        MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, at, bytes.length);
        set(at + bytes.length, 0);
        return address + at;
    }

    /** Writes a name and a terminating NUL, and returns the address of the first byte. */
    public long name(int at, MemorySegment name) {
        MemorySegment.copy(name, 0, memory, at, name.byteSize());
        set(at + (int) name.byteSize(), 0);
        return address + at;
    }

    /** Writes the {@code /proc/self/fd} path of a descriptor, and returns its address. */
    public long selfDescriptor(int descriptor) {
        MemorySegment.copy(
                SELF_PREFIX, 0, memory, ValueLayout.JAVA_BYTE, SELF_DESCRIPTOR, SELF_PREFIX.length);
        int digits = 1;
        for (int rest = descriptor / 10; rest > 0; rest /= 10) {
            digits++;
        }
        int at = SELF_DESCRIPTOR + SELF_PREFIX.length + digits;
        set(at, 0);
        int rest = descriptor;
        for (int i = 0; i < digits; i++) {
            set(--at, '0' + rest % 10);
            rest /= 10;
        }
        return address + SELF_DESCRIPTOR;
    }
}
