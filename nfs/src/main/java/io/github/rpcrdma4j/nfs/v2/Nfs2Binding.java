package io.github.rpcrdma4j.nfs.v2;

import io.github.rpcrdma4j.nfs.BindingRow;
import io.github.rpcrdma4j.nfs.shape.ProgramShapes;
import io.github.rpcrdma4j.nfs.shape.ShapeNotation;
import io.github.rpcrdma4j.nfs.shape.ShapedBinding;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import java.util.Set;

/**
 * The Upper-Layer Binding of NFS version 2 (RFC 8267-4-3). A failure consists of its status word
 * (RFC 1094, Section 2.3), so no failure is longer than success.
 */
public final class Nfs2Binding {
    public static final int PROGRAM = 100003;
    public static final int VERSION = 2;

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

    /** The types, named as in RFC 1094. */
    private static final ShapeNotation TYPES =
            new ShapeNotation(
                    """
            fhandle    fixed[32]
            fattr      fixed[68]
            sattr      fixed[32]
            filename   opaque<>
            diropargs  fhandle filename
            diropres   fhandle fattr
            nfscookie  fixed[4]
            entry      word filename nfscookie
            """);

    /** The count of READDIR bounds the entries; the end of their list and eof are extra. */
    private static final ProgramShapes SHAPES =
            new ProgramShapes(
                    PROGRAM,
                    VERSION,
                    TYPES,
                    """
             0 NULL       again =>
             1 GETATTR    again fhandle -> fattr
             2 SETATTR    again fhandle sattr -> fattr
             3 ROOT       again =>
             4 LOOKUP     again diropargs -> diropres
             5 READLINK   again fhandle -> bulk<1024>
             6 READ       again fhandle word count=word word -> fattr bulk<count>
             7 WRITECACHE again =>
             8 WRITE      again fhandle word word word bulk<> -> fattr
             9 CREATE     once  diropargs sattr -> diropres
            10 REMOVE     once  diropargs ->
            11 RENAME     once  diropargs diropargs ->
            12 LINK       once  fhandle diropargs ->
            13 SYMLINK    once  diropargs bulk<> sattr ->
            14 MKDIR      once  diropargs sattr -> diropres
            15 RMDIR      once  diropargs ->
            16 READDIR    again fhandle nfscookie count=word -> entry<bytes:count>* bool
            17 STATFS     again fhandle -> fixed[20]
            """);

    /** A requester tries no procedure again with a longer Reply chunk (RFC 8267-4.1-1). */
    private static final ShapedBinding SHAPED = new ShapedBinding(SHAPES, Set.of());

    /** The binding. */
    public static final UpperLayerBinding BINDING = SHAPED;

    private Nfs2Binding() {}

    /** Returns the row of a procedure. */
    public static BindingRow row(Procedure procedure) {
        return SHAPED.row(procedure.number());
    }
}
