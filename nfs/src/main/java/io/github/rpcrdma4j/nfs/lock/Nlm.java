package io.github.rpcrdma4j.nfs.lock;

import io.github.rpcrdma4j.nfs.shape.ProgramShapes;
import io.github.rpcrdma4j.nfs.shape.ShapeNotation;
import io.github.rpcrdma4j.nfs.shape.ShapedBinding;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import java.util.Set;

/** The Upper-Layer Bindings of the Network Lock Manager (RFC 8267, Section 5.1). */
public final class Nlm {
    /** The program number. */
    public static final int PROGRAM = 100021;

    /** The version whose offsets and lengths have 64 bits. */
    static final int WIDE = 4;

    /** The types of all versions; their offsets and lengths have 32 or 64 bits. */
    private static final String TYPES =
            """
            netobj        opaque<1024>
            caller_name   opaque<1024>
            nlm_holder    bool word netobj uint uint
            nlm_testrply  union
            . DENIED=1: nlm_holder
            . else:
            nlm_res       netobj word
            nlm_testres   netobj nlm_testrply
            nlm_lock      caller_name netobj netobj word uint uint
            nlm_lockargs  netobj bool bool nlm_lock bool word
            nlm_cancargs  netobj bool bool nlm_lock
            nlm_testargs  netobj bool nlm_lock
            nlm_unlockargs netobj nlm_lock
            nlm_shareargs netobj caller_name netobj netobj word word bool
            nlm_shareres  netobj word word
            """;

    private static final String LOCKS =
            """
             0 NULL        again =>
             1 TEST        again nlm_testargs => nlm_testres
             2 LOCK        once  nlm_lockargs => nlm_res
             3 CANCEL      once  nlm_cancargs => nlm_res
             4 UNLOCK      once  nlm_unlockargs => nlm_res
             5 GRANTED     once  nlm_testargs => nlm_res
             6 TEST_MSG    again nlm_testargs =>
             7 LOCK_MSG    once  nlm_lockargs =>
             8 CANCEL_MSG  once  nlm_cancargs =>
             9 UNLOCK_MSG  once  nlm_unlockargs =>
            10 GRANTED_MSG once  nlm_testargs =>
            11 TEST_RES    again nlm_testres =>
            12 LOCK_RES    once  nlm_res =>
            13 CANCEL_RES  once  nlm_res =>
            14 UNLOCK_RES  once  nlm_res =>
            15 GRANTED_RES once  nlm_res =>
            """;

    private static final String SHARES =
            """
            20 SHARE       once  nlm_shareargs => nlm_shareres
            21 UNSHARE     once  nlm_shareargs => nlm_shareres
            22 NM_LOCK     once  nlm_lockargs => nlm_res
            23 FREE_ALL    again caller_name word =>
            """;

    /** The binding of version 1. */
    public static final UpperLayerBinding VERSION_1 = binding(1, "word", LOCKS);

    /** The binding of version 3, which adds shares for PCs. */
    public static final UpperLayerBinding VERSION_3 = binding(3, "word", LOCKS + SHARES);

    /** The binding of version 4, beside NFS version 3 (RFC 1813, Appendix II). */
    public static final UpperLayerBinding VERSION_4 = binding(4, "hyper", LOCKS + SHARES);

    private Nlm() {}

    private static UpperLayerBinding binding(int version, String offsets, String rows) {
        var types = new ShapeNotation("uint " + offsets + "\n" + TYPES);
        return new ShapedBinding(new ProgramShapes(PROGRAM, version, types, rows), Set.of());
    }
}
