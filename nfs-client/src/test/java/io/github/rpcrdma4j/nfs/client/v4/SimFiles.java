package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.state.event.FileKey;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.attribute.FileFacts;
import io.github.rpcrdma4j.nfs.v4.attribute.FileSystemId;
import io.github.rpcrdma4j.nfs.v4.type.FileHandle;
import io.github.rpcrdma4j.nfs.v4.type.Timestamp;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/** The files of a simulated server: one directory. What is not stable goes with a restart. */
final class SimFiles {
    /** The directory. */
    static final long ROOT = 1;

    private static final AttributeSet PRESENT =
            Nfs4Values.STATUS.with(Attribute.LEASE_TIME).with(Attribute.FILEHANDLE);

    private final Map<Long, SimFile> files = new HashMap<>();

    /** The names of the directory; those of tests are text. */
    final Map<String, SimFile> names = new TreeMap<>();

    private long last = ROOT;

    /** A file, and its identity. */
    static final class SimFile {
        final long id;
        byte[] content = {};
        private byte[] stable = {};

        /** Of the exclusive creation; the times keep it until they are set. */
        OptionalLong verifier = OptionalLong.empty();

        SimFile(long id) {
            this.id = id;
        }

        void write(long offset, byte[] data) {
            int end = (int) offset + data.length;
            // A copy: what is stable stays.
            content = Arrays.copyOf(content, Math.max(content.length, end));
            System.arraycopy(data, 0, content, (int) offset, data.length);
        }

        boolean isMadeBy(long by) {
            return verifier.equals(OptionalLong.of(by)) && content.length == 0;
        }

        void commit() {
            stable = content.clone();
        }
    }

    /** What the state calls a file. */
    record Key(long id) implements FileKey {
        @Override
        public Object store() {
            return "store";
        }
    }

    static FileHandle handle(long id) {
        return FileHandle.of(ByteBuffer.allocate(Long.BYTES).putLong(id).array());
    }

    static long id(FileHandle handle) {
        return ByteBuffer.wrap(handle.bytes()).getLong();
    }

    static String text(FileName name) {
        return new String(name.bytes(), StandardCharsets.UTF_8);
    }

    /** Returns a file; null if it is gone. */
    SimFile file(long id) {
        return files.get(id);
    }

    SimFile make(String name) {
        var made = new SimFile(++last);
        files.put(made.id, made);
        names.put(name, made);
        return made;
    }

    /** Takes a name away. Returns its file; null if there is none. */
    SimFile remove(String name) {
        var removed = names.remove(name);
        if (removed != null) {
            files.remove(removed.id);
        }
        return removed;
    }

    /** Renames a file. Returns false if there is none. */
    boolean rename(String from, String to) {
        var moved = names.remove(from);
        if (moved == null) {
            return false;
        }
        var replaced = names.put(to, moved);
        if (replaced != null) {
            files.remove(replaced.id);
        }
        return true;
    }

    /** Loses what is not stable. */
    void restart() {
        files.values().forEach(each -> each.content = each.stable);
    }

    /** Returns the attributes of a file, or of the directory. */
    FileFacts facts(long id, int leaseSeconds) {
        return new Facts(id, file(id), leaseSeconds);
    }

    private record Facts(long id, SimFile file, int leaseSeconds) implements FileFacts {
        @Override
        public AttributeSet present() {
            return PRESENT;
        }

        @Override
        public int word(Attribute attribute) {
            return switch (attribute) {
                case TYPE -> (file == null ? FileType.DIRECTORY : FileType.REGULAR).number();
                case MODE -> 0600;
                case LEASE_TIME -> leaseSeconds;
                default -> 1;
            };
        }

        @Override
        public long hyper(Attribute attribute) {
            return attribute == Attribute.FILEID ? id : file == null ? 0 : file.content.length;
        }

        @Override
        public byte[] bytes(Attribute attribute) {
            return attribute == Attribute.FILEHANDLE
                    ? handle(id).bytes()
                    : "0".getBytes(StandardCharsets.US_ASCII);
        }

        @Override
        public Timestamp time(Attribute attribute) {
            boolean hasVerifier =
                    file != null
                            && file.verifier.isPresent()
                            && attribute != Attribute.TIME_METADATA;
            return new Timestamp(
                    hasVerifier ? (int) file.verifier.getAsLong() & Integer.MAX_VALUE : 1, 0);
        }

        @Override
        public FileSystemId fileSystem() {
            return new FileSystemId(1, 1);
        }
    }
}
