package io.github.rpcrdma4j.nfs.v3;

import io.github.rpcrdma4j.nfs.shape.ProgramShapes;
import io.github.rpcrdma4j.nfs.shape.ShapeNotation;

/** The shapes of all procedures of NFS version 3 (RFC 1813, Section 3). */
final class Nfs3Shapes {
    /** The types, named as in the RFC. */
    private static final ShapeNotation TYPES =
            new ShapeNotation(
                    """
            nfs_fh3        opaque<64>
            filename3      opaque<>
            nfstime3       fixed[8]
            cookieverf3    fixed[8]
            fattr3         fixed[84]
            post_op_attr   union
            . TRUE=1: fattr3
            . FALSE=0:
            pre_op_attr    union
            . TRUE=1: fixed[24]
            . FALSE=0:
            wcc_data       pre_op_attr post_op_attr
            post_op_fh3    union
            . TRUE=1: nfs_fh3
            . FALSE=0:
            set_word       union
            . TRUE=1: word
            . FALSE=0:
            set_size       union
            . TRUE=1: hyper
            . FALSE=0:
            set_time       union
            . SET_TO_CLIENT_TIME=2: nfstime3
            . DONT_CHANGE=0 SET_TO_SERVER_TIME=1:
            sattr3         set_word set_word set_word set_size set_time set_time
            sattrguard3    union
            . TRUE=1: nfstime3
            . FALSE=0:
            diropargs3     nfs_fh3 filename3
            createhow3     union
            . UNCHECKED=0 GUARDED=1: sattr3
            . EXCLUSIVE=2: fixed[8]
            mknoddata3     union
            . NF3BLK=3 NF3CHR=4: sattr3 word word
            . NF3SOCK=6 NF3FIFO=7: sattr3
            . else:
            created        post_op_fh3 post_op_attr wcc_data
            entry3         hyper filename3 hyper
            entryplus3     hyper filename3 hyper post_op_attr post_op_fh3
            """);

    /**
     * In RFC 1813 the count of READDIR and READDIRPLUS bounds the whole successful result but its
     * status. The Linux server counts the list of entries alone, so the attributes and the verifier
     * are extra.
     */
    static final ProgramShapes ALL =
            new ProgramShapes(
                    Nfs3.PROGRAM,
                    Nfs3.VERSION,
                    TYPES,
                    """
             0 NULL        again =>
             1 GETATTR     again nfs_fh3 -> fattr3
             2 SETATTR     once  nfs_fh3 sattr3 sattrguard3 -> wcc_data | else: wcc_data
             3 LOOKUP      again diropargs3 \
            -> nfs_fh3 post_op_attr post_op_attr | else: post_op_attr
             4 ACCESS      again nfs_fh3 word -> post_op_attr word | else: post_op_attr
             5 READLINK    again nfs_fh3 -> post_op_attr bulk<> | else: post_op_attr
             6 READ        again nfs_fh3 hyper count=word \
            -> post_op_attr word bool bulk<count> | else: post_op_attr
             7 WRITE       again nfs_fh3 hyper word word bulk<> \
            -> wcc_data word word fixed[8] | else: wcc_data
             8 CREATE      once  diropargs3 createhow3 -> created | else: wcc_data
             9 MKDIR       once  diropargs3 sattr3 -> created | else: wcc_data
            10 SYMLINK     once  diropargs3 sattr3 bulk<> -> created | else: wcc_data
            11 MKNOD       once  diropargs3 mknoddata3 -> created | else: wcc_data
            12 REMOVE      once  diropargs3 -> wcc_data | else: wcc_data
            13 RMDIR       once  diropargs3 -> wcc_data | else: wcc_data
            14 RENAME      once  diropargs3 diropargs3 \
            -> wcc_data wcc_data | else: wcc_data wcc_data
            15 LINK        once  nfs_fh3 diropargs3 \
            -> post_op_attr wcc_data | else: post_op_attr wcc_data
            16 READDIR     again nfs_fh3 hyper cookieverf3 count=word \
            -> post_op_attr cookieverf3 within<count>{ entry3* bool } | else: post_op_attr
            17 READDIRPLUS again nfs_fh3 hyper cookieverf3 word count=word \
            -> post_op_attr cookieverf3 within<count>{ entryplus3* bool } | else: post_op_attr
            18 FSSTAT      again nfs_fh3 -> post_op_attr fixed[48] word | else: post_op_attr
            19 FSINFO      again nfs_fh3 -> post_op_attr fixed[48] | else: post_op_attr
            20 PATHCONF    again nfs_fh3 -> post_op_attr fixed[24] | else: post_op_attr
            21 COMMIT      again nfs_fh3 hyper word \
            -> wcc_data fixed[8] | else: wcc_data
            """);

    private Nfs3Shapes() {}
}
