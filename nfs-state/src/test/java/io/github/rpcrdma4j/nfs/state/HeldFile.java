package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.state.range.LockMode;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.util.Arrays;

/** A file that a {@link RandomClient} believes to have open, with the locks of one owner. */
final class HeldFile {
    /** The files of the world are short. */
    static final int BYTES = 8;

    final int file;
    final int owner;
    StateId open;
    int access;
    int deny;

    /** Null while the owner has no stateid. */
    StateId lock;

    LockMode[] bytes = new LockMode[BYTES];
    boolean isReclaimed;

    HeldFile(int file, int owner) {
        this.file = file;
        this.owner = owner;
    }

    boolean conflictsWith(HeldFile other) {
        if (file != other.file) {
            return false;
        }
        boolean conflicts = (access & other.deny) != 0 || (deny & other.access) != 0;
        for (int at = 0; at < BYTES; at++) {
            conflicts |=
                    bytes[at] != null
                            && other.bytes[at] != null
                            && bytes[at].conflictsWith(other.bytes[at]);
        }
        return conflicts;
    }

    void set(LockMode type, int from, int length) {
        Arrays.fill(bytes, from, from + length, type);
    }

    /** Makes READ locks of WRITE locks. */
    void weaken(int from, int length) {
        for (int at = from; at < from + length; at++) {
            bytes[at] = bytes[at] == null ? null : LockMode.READ;
        }
    }
}
