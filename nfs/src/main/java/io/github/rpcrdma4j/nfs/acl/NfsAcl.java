package io.github.rpcrdma4j.nfs.acl;

import io.github.rpcrdma4j.nfs.shape.ProgramShapes;
import io.github.rpcrdma4j.nfs.shape.ShapeNotation;
import io.github.rpcrdma4j.nfs.shape.ShapedBinding;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import java.util.Set;

/**
 * The Upper-Layer Bindings of NFSACL, which shares the connection of NFS. None of its items is
 * eligible (RFC 8267-5.2-1).
 *
 * <p>No RFC defines the protocol. Clients and servers of Linux and Solaris limit each of the two
 * lists of an ACL to 1024 entries, and so do the bounds of replies here.
 */
public final class NfsAcl {
    /** The program number. */
    public static final int PROGRAM = 100227;

    /** The numbers of procedures, equal in both versions. */
    static final int NULL = 0;

    static final int GETACL = 1;
    static final int SETACL = 2;

    private static final ShapeNotation TYPES =
            new ShapeNotation(
                    """
            fhandle       fixed[32]
            fattr         fixed[68]
            nfs_fh3       opaque<64>
            fattr3        fixed[84]
            post_op_attr  union
            . TRUE=1: fattr3
            . FALSE=0:
            aclent        word word word
            secattr       word word aclent<1024?> word aclent<1024?>
            """);

    /**
     * The binding of version 2, beside NFS version 2. GETACL may be tried again with a longer Reply
     * chunk (RFC 8267-5.2-3).
     */
    public static final UpperLayerBinding VERSION_2 =
            new ShapedBinding(
                    new ProgramShapes(
                            PROGRAM,
                            2,
                            TYPES,
                            """
             0 NULL        again =>
             1 GETACL      again fhandle word -> fattr secattr
             2 SETACL      once  fhandle secattr -> fattr
             3 GETATTR     again fhandle -> fattr
             4 ACCESS      again fhandle word -> fattr word
             5 GETXATTRDIR once  fhandle bool -> fhandle fattr
            """),
                    Set.of(GETACL));

    /** The binding of version 3, beside NFS version 3. */
    public static final UpperLayerBinding VERSION_3 =
            new ShapedBinding(
                    new ProgramShapes(
                            PROGRAM,
                            3,
                            TYPES,
                            """
             0 NULL        again =>
             1 GETACL      again nfs_fh3 word -> post_op_attr secattr | else: post_op_attr
             2 SETACL      once  nfs_fh3 secattr -> post_op_attr | else: post_op_attr
             3 GETXATTRDIR once  nfs_fh3 bool -> nfs_fh3 post_op_attr | else: post_op_attr
            """),
                    Set.of(GETACL));

    private NfsAcl() {}
}
