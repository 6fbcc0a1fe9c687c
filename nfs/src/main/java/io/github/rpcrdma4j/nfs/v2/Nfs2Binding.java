package io.github.rpcrdma4j.nfs.v2;

import io.github.rpcrdma4j.nfs.BindingRow;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import java.util.EnumMap;
import java.util.Map;

/**
 * The Upper-Layer Binding of NFS version 2 (RFC 8267-4-3), with a row for each procedure. A failure
 * consists of its status word (RFC 1094, Section 2.3), so no failure is longer than success.
 */
public final class Nfs2Binding implements UpperLayerBinding {
    public static final int PROGRAM = 100003;
    public static final int VERSION = 2;

    /** The only instance; immutable. */
    public static final Nfs2Binding BINDING = new Nfs2Binding();

    /** The procedures, in the order of their numbers (RFC 1094, Section 2.2). */
    public enum Procedure {
        NULL,
        GETATTR,
        SETATTR,
        /** Obsolete, without results. */
        ROOT,
        LOOKUP,
        READLINK,
        READ,
        /** Never specified, without results. */
        WRITECACHE,
        WRITE,
        CREATE,
        REMOVE,
        RENAME,
        LINK,
        SYMLINK,
        MKDIR,
        RMDIR,
        READDIR,
        STATFS;

        private static final Procedure[] BY_NUMBER = values();

        /** Returns whether a procedure has this number. */
        public static boolean exists(int number) {
            return number >= 0 && number < BY_NUMBER.length;
        }

        /** Returns the procedure of a number that {@link #exists}. */
        public static Procedure of(int number) {
            return BY_NUMBER[number];
        }

        public int number() {
            return ordinal();
        }
    }

    private static final int STATUS = 4;
    private static final int WORD = 4;
    private static final int HANDLE = 32;
    private static final int ATTRIBUTES = 17 * WORD;

    private static final Map<Procedure, BindingRow> ROWS = new EnumMap<>(Procedure.class);

    static {
        //                        eligible    fixed bytes of the results    repeatable
        row(Procedure.NULL, /*         */ 0, 0, 0, true);
        row(Procedure.GETATTR, /*      */ 0, 0, STATUS + ATTRIBUTES, true);
        row(Procedure.SETATTR, /*      */ 0, 0, STATUS + ATTRIBUTES, true);
        row(Procedure.ROOT, /*         */ 0, 0, 0, true);
        row(Procedure.LOOKUP, /*       */ 0, 0, STATUS + HANDLE + ATTRIBUTES, true);
        row(Procedure.READLINK, /*     */ 0, 1, STATUS + WORD, true);
        row(Procedure.READ, /*         */ 0, 1, STATUS + ATTRIBUTES + WORD, true);
        row(Procedure.WRITECACHE, /*   */ 0, 0, 0, true);
        row(Procedure.WRITE, /*        */ 1, 0, STATUS + ATTRIBUTES, true);
        row(Procedure.CREATE, /*       */ 0, 0, STATUS + HANDLE + ATTRIBUTES, false);
        row(Procedure.REMOVE, /*       */ 0, 0, STATUS, false);
        row(Procedure.RENAME, /*       */ 0, 0, STATUS, false);
        row(Procedure.LINK, /*         */ 0, 0, STATUS, false);
        row(Procedure.SYMLINK, /*      */ 1, 0, STATUS, false);
        row(Procedure.MKDIR, /*        */ 0, 0, STATUS + HANDLE + ATTRIBUTES, false);
        row(Procedure.RMDIR, /*        */ 0, 0, STATUS, false);
        // The count bounds the entries; the end of their list and eof are extra.
        ROWS.put(Procedure.READDIR, BindingRow.counted(STATUS, STATUS + 2 * WORD));
        row(Procedure.STATFS, /*       */ 0, 0, STATUS + 5 * WORD, true);
    }

    private Nfs2Binding() {}

    private static void row(
            Procedure procedure, int arguments, int results, int resultsBytes, boolean repeatable) {
        ROWS.put(procedure, BindingRow.fixed(arguments, results, resultsBytes, repeatable));
    }

    @Override
    public int program() {
        return PROGRAM;
    }

    @Override
    public int version() {
        return VERSION;
    }

    /** Returns the row of a procedure. */
    public static BindingRow row(Procedure procedure) {
        return ROWS.get(procedure);
    }

    @Override
    public Eligibility eligibility(int procedure) {
        return Procedure.exists(procedure)
                ? row(Procedure.of(procedure)).eligibility()
                : Eligibility.NONE;
    }
}
