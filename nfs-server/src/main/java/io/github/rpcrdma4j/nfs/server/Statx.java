package io.github.rpcrdma4j.nfs.server;

import io.github.rpcrdma4j.nfs.v3.Timestamp;
import io.github.rpcrdma4j.xdr.SegmentPool;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Asks Linux for all that it knows of a file in one call, {@code statx}: the attributes of a file
 * are needed twice in nearly every procedure, and {@code java.nio.file} gives the owner, the inode
 * and the links of a file only as a map of boxed values. Links are not followed. Thread-safe.
 *
 * <p>It gives no reasons: for what it cannot do, whatever that is, {@code java.nio.file} is asked.
 */
final class Statx {
    /** This process' working folder, which an absolute path does not start from. */
    private static final int CURRENT_FOLDER = -100;

    /** Neither following a link at the end nor mounting what would be mounted there, as lstat. */
    private static final int AS_IT_IS = 0x100 | 0x800;

    private static final int BASIC = 0x7ff;
    private static final int BIRTH = 0x800;

    /** The structure is as long on every architecture, with room for what is to come. */
    private static final int STRUCTURE_BYTES = 256;

    private static final int PATH_MAX = 4096;
    private static final long KEPT_BYTES = 64 << 10;

    private final SegmentPool pool = new SegmentPool(KEPT_BYTES);

    private Statx() {}

    /**
     * Finds it.
     *
     * @param system whose files are asked for
     * @return empty where there is none, where this module may not call native code, and for file
     *     systems other than the operating system's
     */
    static Optional<Statx> of(FileSystem system) {
        if (!system.equals(FileSystems.getDefault())
                || !"Linux".equals(System.getProperty("os.name"))
                || !Statx.class.getModule().isNativeAccessEnabled()) {
            return Optional.empty();
        }
        return Native.STATX == null ? Optional.empty() : Optional.of(new Statx());
    }

    /** A constant, so that calls are compiled to what C does. */
    private static final class Native {
        static final MethodHandle STATX = find().orElse(null);
    }

    @SuppressWarnings("restricted")
    private static Optional<MethodHandle> find() {
        // int statx(int dirfd, const char *path, int flags, unsigned mask, struct statx *buffer)
        var signature =
                FunctionDescriptor.of(
                        ValueLayout.JAVA_INT,
                        ValueLayout.JAVA_INT,
                        ValueLayout.ADDRESS,
                        ValueLayout.JAVA_INT,
                        ValueLayout.JAVA_INT,
                        ValueLayout.ADDRESS);
        var linker = Linker.nativeLinker();
        return linker.defaultLookup()
                .find("statx")
                .map(address -> linker.downcallHandle(address, signature));
    }

    /** Asks for a file; empty if it is not there, or anything else is in the way. */
    Optional<Attributes> read(Path path, AttributeReader reader) {
        var name = path.toString();
        if (name.length() >= PATH_MAX) {
            return Optional.empty();
        }
        try (var lease = pool.lease(STRUCTURE_BYTES + name.length() + 1)) {
            var memory = lease.whole();
            if (!put(memory, name)) {
                return Optional.empty();
            }
            int result =
                    (int)
                            Native.STATX.invokeExact(
                                    CURRENT_FOLDER,
                                    memory.asSlice(STRUCTURE_BYTES),
                                    AS_IT_IS,
                                    BASIC | BIRTH,
                                    memory);
            var file = new Answer(memory);
            boolean whole = result == 0 && (file.given() & BASIC) == BASIC;
            return whole ? Optional.of(reader.attributes(file)) : Optional.empty();
        } catch (RuntimeException | Error failure) {
            throw failure;
        } catch (Throwable impossible) {
            throw new AssertionError("native code throws nothing", impossible);
        }
    }

    /** Writes a path as C wants it; false if it is not one that every encoding has alike. */
    private static boolean put(MemorySegment memory, String name) {
        for (int i = 0; i < name.length(); i++) {
            char letter = name.charAt(i);
            if (letter == 0 || letter > 0x7f) {
                return false;
            }
            memory.set(ValueLayout.JAVA_BYTE, STRUCTURE_BYTES + i, (byte) letter);
        }
        memory.set(ValueLayout.JAVA_BYTE, STRUCTURE_BYTES + name.length(), (byte) 0);
        return true;
    }

    /**
     * {@code struct statx}, in the order of octets of this machine.
     *
     * <pre>
     *     0  mask  4  block size  8  attributes(64)  16  links  20  uid  24  gid  28  mode(16)
     *    32  inode(64)  40  size(64)  48  blocks(64)  56  attributes mask(64)
     *    64  accessed  80  made  96  changed  112  modified: seconds(64) nanoseconds(32) 0(32) each
     *   128  device of the file: major, minor  136  device it is on: major, minor
     * </pre>
     */
    private record Answer(MemorySegment memory) implements UnixFile {
        private static final int FORMAT_MASK = 0170000;
        private static final int MADE = 80;
        private static final int MODIFIED = 112;

        private int word(long offset) {
            return memory.get(ValueLayout.JAVA_INT, offset);
        }

        private long number(long offset) {
            return memory.get(ValueLayout.JAVA_LONG, offset);
        }

        private Timestamp time(long offset) {
            return new Timestamp((int) number(offset), word(offset + Long.BYTES));
        }

        int given() {
            return word(0);
        }

        @Override
        public int mode() {
            return Short.toUnsignedInt(memory.get(ValueLayout.JAVA_SHORT, 28));
        }

        @Override
        public boolean isDirectory() {
            return (mode() & FORMAT_MASK) == 0040000;
        }

        @Override
        public boolean isSymbolicLink() {
            return (mode() & FORMAT_MASK) == 0120000;
        }

        @Override
        public long inode() {
            return number(32);
        }

        @Override
        public long device() {
            return packed(136);
        }

        /** Two words in one number, as {@code makedev} of the C library does. */
        private long packed(long offset) {
            long major = Integer.toUnsignedLong(word(offset));
            long minor = Integer.toUnsignedLong(word(offset + Integer.BYTES));
            return (major & 0xfffff000L) << 32
                    | (major & 0xfff) << 8
                    | (minor & 0xffffff00L) << 12
                    | minor & 0xff;
        }

        @Override
        public int links() {
            return word(16);
        }

        @Override
        public int uid() {
            return word(20);
        }

        @Override
        public int gid() {
            return word(24);
        }

        @Override
        public long node() {
            return packed(128);
        }

        @Override
        public long size() {
            return number(40);
        }

        @Override
        public Timestamp accessed() {
            return time(64);
        }

        @Override
        public Timestamp modified() {
            return time(MODIFIED);
        }

        @Override
        public Timestamp changed() {
            return time(96);
        }

        @Override
        public int birth() {
            int made = (given() & BIRTH) != 0 ? MADE : MODIFIED;
            return UnixFile.birth(number(made), word(made + Long.BYTES));
        }
    }
}
