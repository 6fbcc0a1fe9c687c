package io.github.rpcrdma4j.dissect;

import io.github.rpcrdma4j.nfs.mount.Mount3;
import io.github.rpcrdma4j.nfs.v2.Nfs2Binding;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v3.Procedure;
import java.util.List;

/** Returns the names of programs and procedures, or their numbers if they are unknown. */
final class ProgramNames {
    static final int NFS_VERSION_4 = 4;
    static final int COMPOUND = 1;

    /** The first transient program number; an NFSv4 client chooses one for its callbacks. */
    private static final int CALLBACK_FIRST = 0x4000_0000;

    private static final int CALLBACK_LAST = 0x5fff_ffff;

    private static final int NFS_ACL = 100227;
    private static final List<String> NFS_ACL_PROCEDURES =
            List.of("NULL", "GETACL", "SETACL", "GETATTR", "ACCESS", "GETXATTRDIR");
    private static final List<String> COMPOUNDS = List.of("NULL", "COMPOUND");
    private static final List<String> CALLBACKS = List.of("CB_NULL", "CB_COMPOUND");

    private ProgramNames() {}

    /**
     * Returns whether a program may be that of NFSv4 callbacks (RFC 5531, Section 13; RFC 8881,
     * 18.36).
     */
    static boolean isCallback(int program) {
        return program >= CALLBACK_FIRST && program <= CALLBACK_LAST;
    }

    static String of(int program, int version, int procedure) {
        return switch (program) {
            case Nfs3.PROGRAM -> nfs(version, procedure);
            case Mount3.PROGRAM ->
                    "MOUNTv"
                            + Integer.toUnsignedString(version)
                            + " "
                            + name(Mount3.Procedure.values(), procedure);
            case NFS_ACL ->
                    "NFSACLv"
                            + Integer.toUnsignedString(version)
                            + " "
                            + name(NFS_ACL_PROCEDURES, procedure);
            default ->
                    isCallback(program)
                            ? "NFSv4 " + name(CALLBACKS, procedure)
                            : "program "
                                    + Integer.toUnsignedString(program)
                                    + " version "
                                    + Integer.toUnsignedString(version)
                                    + " procedure "
                                    + Integer.toUnsignedString(procedure);
        };
    }

    private static String nfs(int version, int procedure) {
        return "NFSv"
                + Integer.toUnsignedString(version)
                + " "
                + switch (version) {
                    case Nfs2Binding.VERSION -> name(Nfs2Binding.Procedure.values(), procedure);
                    case Nfs3.VERSION -> name(Procedure.values(), procedure);
                    case NFS_VERSION_4 -> name(COMPOUNDS, procedure);
                    default -> number(procedure);
                };
    }

    private static String name(Enum<?>[] names, int procedure) {
        return procedure >= 0 && procedure < names.length
                ? names[procedure].name()
                : number(procedure);
    }

    private static String name(List<String> names, int procedure) {
        return procedure >= 0 && procedure < names.size()
                ? names.get(procedure)
                : number(procedure);
    }

    private static String number(int procedure) {
        return "procedure " + Integer.toUnsignedString(procedure);
    }
}
