package io.github.rpcrdma4j.nfs.v4;

import io.github.rpcrdma4j.nfs.shape.Shape;
import io.github.rpcrdma4j.nfs.shape.ShapeNotation;
import java.util.Map;
import java.util.TreeMap;

/**
 * The shapes of all operations of NFS version 4, in the notation of {@link ShapeNotation}: minor
 * versions 0 (RFC 7530), 1 (RFC 8881) and 2 (RFC 7862) with its extensions for extended attributes
 * (RFC 8276), the umask (RFC 8275) and delegated times (RFC 9754). The extension of RFC 8275 is an
 * attribute, so no shape shows it: attributes, and what belongs to one type of layout, are opaque.
 *
 * <p>Tests: {@code GoldenCompoundsTest}, {@code ResultsBoundTest}.
 */
final class ShapeTable {
    /**
     * The types, named as in the RFCs.
     *
     * <p>The assumed limits: attributes and operations have numbers below 96, so a bitmap of them
     * has 3 words; one of the hints of IO_ADVISE has 2. The name in an ACE has 256 bytes, like the
     * names of users and groups at servers, and so have the owners among the attributes. A network
     * address has 64 bytes, which any IPv6 address needs less of; so does its kind. The names in an
     * {@code nfs_impl_id4} have 1024 bytes, the limit of similar items.
     */
    private static final ShapeNotation TYPES =
            new ShapeNotation(
                    """
            offset4                hyper
            length4                hyper
            changeid4              hyper
            clientid4              hyper
            nfs_cookie4            hyper
            count4                 word
            seqid4                 word
            sequenceid4            word
            slotid4                word
            layouttype4            word
            nfsstat4               word
            verifier4              fixed[8]
            sessionid4             fixed[16]
            deviceid4              fixed[16]
            nfs_fh4                opaque<128>
            component4             opaque<>
            stateid4               seqid4 fixed[12]
            nfstime4               hyper word
            fsid4                  hyper hyper
            change_info4           bool changeid4 changeid4
            bitmap4                word<3?>
            fattr4                 bitmap4 opaque<>
            requested4             mask
            . 1 2 5 6 7 9 10 11 13 14 15 16 17 18 25 26 28 29 33 34 35 46 65 66 76 77 79 82 83: 4
            . 3 4 20 21 22 23 27 30 31 38 39 40 41 42 43 44 45 55 73 74 78 81: 8
            . 47 49 50 51 52 53 56 57 84 85: 12
            . 0 8 48 54 60 70 72 75: 16
            . 69 71: 24
            . 86: 80
            . 19: 132
            . 36 37: 260
            netaddr4               opaque<64?> opaque<64?>
            nfs_client_id4         verifier4 opaque<1024>
            client_owner4          verifier4 opaque<1024>
            server_owner4          hyper opaque<1024>
            state_owner4           clientid4 opaque<1024>
            nfs_impl_id4           opaque<1024?> opaque<1024?> nfstime4
            createtype4            union
            . NF4BLK=3 NF4CHR=4: word word
            . NF4LNK=5: bulk<>
            . else:
            locker4                union
            . TRUE=1: seqid4 stateid4 seqid4 state_owner4
            . FALSE=0: stateid4 seqid4
            LOCK4denied            offset4 length4 word state_owner4
            createhow4             union
            . UNCHECKED4=0 GUARDED4=1: fattr4
            . EXCLUSIVE4=2: verifier4
            . EXCLUSIVE4_1=3: verifier4 fattr4
            openflag4              union
            . OPEN4_CREATE=1: createhow4
            . else:
            open_claim4            union
            . CLAIM_NULL=0 CLAIM_DELEGATE_PREV=3: component4
            . CLAIM_PREVIOUS=1: word
            . CLAIM_DELEGATE_CUR=2: stateid4 component4
            . CLAIM_FH=4 CLAIM_DELEG_PREV_FH=6:
            . CLAIM_DELEG_CUR_FH=5: stateid4
            nfs_space_limit4       union
            . NFS_LIMIT_SIZE=1: hyper
            . NFS_LIMIT_BLOCKS=2: word word
            nfsace4                word word word opaque<256?>
            open_none_delegation4  union
            . WND4_CONTENTION=1 WND4_RESOURCE=2: bool
            . else:
            open_delegation4       union
            . OPEN_DELEGATE_NONE=0:
            . OPEN_DELEGATE_READ=1 OPEN_DELEGATE_READ_ATTRS_DELEG=4: stateid4 bool nfsace4
            . OPEN_DELEGATE_WRITE=2 OPEN_DELEGATE_WRITE_ATTRS_DELEG=5: \
            stateid4 bool nfs_space_limit4 nfsace4
            . OPEN_DELEGATE_NONE_EXT=3: open_none_delegation4
            deleg_claim4           union
            . CLAIM_FH=4 CLAIM_DELEG_PREV_FH=6:
            . CLAIM_PREVIOUS=1: word
            entry4                 nfs_cookie4 component4 fattr4
            secinfo4               union
            . RPCSEC_GSS=6: opaque<> word word
            . else:
            authsys_parms          word opaque<255> word word word<16>
            callback_sec_parms4    union
            . AUTH_NONE=0:
            . AUTH_SYS=1: authsys_parms
            . RPCSEC_GSS=6: word opaque<> opaque<>
            state_protect_ops4     bitmap4 bitmap4
            sec_oid4               opaque<>
            state_protect4_a       union
            . SP4_NONE=0:
            . SP4_MACH_CRED=1: state_protect_ops4
            . SP4_SSV=2: state_protect_ops4 sec_oid4<> sec_oid4<> word word
            gsshandle4_t           opaque<>
            state_protect4_r       union
            . SP4_NONE=0:
            . SP4_MACH_CRED=1: state_protect_ops4
            . SP4_SSV=2: state_protect_ops4 word word word word gsshandle4_t<>
            channel_attrs4         count4 count4 count4 count4 count4 count4 word<1>
            dir_delegation4        verifier4 stateid4 bitmap4 bitmap4 bitmap4
            GET_DIR_DELEGATION4res_non_fatal  union
            . GDD4_OK=0: dir_delegation4
            . GDD4_UNAVAIL=1: bool
            newtime4               union
            . TRUE=1: nfstime4
            . FALSE=0:
            newoffset4             union
            . TRUE=1: offset4
            . FALSE=0:
            newsize4               union
            . TRUE=1: length4
            . FALSE=0:
            layoutupdate4          layouttype4 opaque<>
            layout4                offset4 length4 word layouttype4 opaque<>
            layoutreturn4          union
            . LAYOUTRETURN4_FILE=1: offset4 length4 stateid4 opaque<>
            . else:
            layoutreturn_stateid   union
            . TRUE=1: stateid4
            . FALSE=0:
            netloc4                union
            . NL4_NAME=1 NL4_URL=2: opaque<>
            . NL4_NETADDR=3: netaddr4
            write_response4        stateid4<1> length4 word verifier4
            device_error4          deviceid4 nfsstat4 word
            io_info4               hyper hyper
            app_data_block4        offset4 length4 length4 length4 count4 length4 opaque<>
            read_plus_content      union
            . NFS4_CONTENT_DATA=0: offset4 opaque<>
            . NFS4_CONTENT_HOLE=1: offset4 length4
            . else:
            layoutrecall4          union
            . LAYOUTRECALL4_FILE=1: nfs_fh4 offset4 length4 stateid4
            . LAYOUTRECALL4_FSID=2: fsid4
            . LAYOUTRECALL4_ALL=3:
            notify4                bitmap4 opaque<>
            referring_call4        sequenceid4 slotid4
            referring_call_list4   sessionid4 referring_call4<>
            offload_info4          union
            . NFS4_OK=0: write_response4
            . else: length4
            """);

    private static final Map<Integer, Operation> COMPOUND =
            operations(
                    CompoundKind.COMPOUND,
                    """
             3 ACCESS              0  word -> word word
             4 CLOSE               0  seqid4 stateid4 -> stateid4
             5 COMMIT              0  offset4 count4 -> verifier4
             6 CREATE              0  createtype4 component4 fattr4 -> change_info4 bitmap4
             7 DELEGPURGE          0  clientid4 ->
             8 DELEGRETURN         0  stateid4 ->
             9 GETATTR             0  attributes=requested4 -> bitmap4 opaque<attributes>
            10 GETFH               0  -> nfs_fh4
            11 LINK                0  component4 -> change_info4
            12 LOCK                0  word bool offset4 length4 locker4 \
            -> stateid4 | DENIED: LOCK4denied
            13 LOCKT               0  word offset4 length4 state_owner4 -> | DENIED: LOCK4denied
            14 LOCKU               0  word seqid4 stateid4 offset4 length4 -> stateid4
            15 LOOKUP              0  component4 ->
            16 LOOKUPP             0  ->
            17 NVERIFY             0  fattr4 ->
            18 OPEN                0  seqid4 word word state_owner4 openflag4 open_claim4 \
            -> stateid4 change_info4 word bitmap4 open_delegation4
            19 OPENATTR            0  bool ->
            20 OPEN_CONFIRM        0  stateid4 seqid4 -> stateid4
            21 OPEN_DOWNGRADE      0  stateid4 seqid4 word word -> stateid4
            22 PUTFH               0  nfs_fh4 ->
            23 PUTPUBFH            0  ->
            24 PUTROOTFH           0  ->
            25 READ                0  stateid4 offset4 count=count4 -> bool bulk<count>
            26 READDIR             0  nfs_cookie4 verifier4 count4 maxcount=count4 bitmap4 \
            -> within<maxcount>{ verifier4 entry4* bool }
            27 READLINK            0  -> bulk<>
            28 REMOVE              0  component4 -> change_info4
            29 RENAME              0  component4 component4 -> change_info4 change_info4
            30 RENEW               0  clientid4 ->
            31 RESTOREFH           0  ->
            32 SAVEFH              0  ->
            33 SECINFO             0  component4 -> secinfo4<>
            34 SETATTR             0  stateid4 fattr4 -> bitmap4 | else: bitmap4
            35 SETCLIENTID         0  nfs_client_id4 callback=word netaddr4 word \
            -> clientid4 verifier4 | CLID_INUSE: netaddr4
            36 SETCLIENTID_CONFIRM 0  clientid4 verifier4 ->
            37 VERIFY              0  fattr4 ->
            38 WRITE               0  stateid4 offset4 word bulk<> -> count4 word verifier4
            39 RELEASE_LOCKOWNER   0  state_owner4 ->
            40 BACKCHANNEL_CTL     1  callback=word callback_sec_parms4<> ->
            41 BIND_CONN_TO_SESSION 1 sessionid4 word bool -> sessionid4 word bool
            42 EXCHANGE_ID         1  client_owner4 word how=state_protect4_a nfs_impl_id4<1> \
            -> clientid4 sequenceid4 word state_protect4_r@how \
            server_owner4 opaque<1024> nfs_impl_id4<1>
            43 CREATE_SESSION      1  clientid4 sequenceid4 word channel_attrs4 channel_attrs4 \
            callback=word callback_sec_parms4<> \
            -> sessionid4 sequenceid4 word channel_attrs4 channel_attrs4
            44 DESTROY_SESSION     1  sessionid4 ->
            45 FREE_STATEID        1  stateid4 ->
            46 GET_DIR_DELEGATION  1  bool bitmap4 nfstime4 nfstime4 bitmap4 bitmap4 \
            -> GET_DIR_DELEGATION4res_non_fatal
            47 GETDEVICEINFO       1  deviceid4 layouttype4 maxcount=count4 bitmap4 \
            -> within<maxcount>{ layouttype4 opaque<> bitmap4 } | TOOSMALL: count4
            48 GETDEVICELIST       1  layouttype4 maxdevices=count4 nfs_cookie4 verifier4 \
            -> nfs_cookie4 verifier4 deviceid4<maxdevices> bool
            49 LAYOUTCOMMIT        1  offset4 length4 bool stateid4 newoffset4 newtime4 \
            layoutupdate4 -> newsize4
            50 LAYOUTGET           1  bool layouttype4 word offset4 length4 length4 stateid4 \
            maxcount=count4 \
            -> bool stateid4 layout4<bytes:maxcount> | LAYOUTTRYLATER: bool
            51 LAYOUTRETURN        1  bool layouttype4 word layoutreturn4 -> layoutreturn_stateid
            52 SECINFO_NO_NAME     1  word -> secinfo4<>
            53 SEQUENCE            1  sessionid4 sequenceid4 slotid4 slotid4 bool \
            -> sessionid4 sequenceid4 slotid4 slotid4 slotid4 word
            54 SET_SSV             1  opaque<> opaque<> -> opaque<>
            55 TEST_STATEID        1  stateids=stateid4<> -> nfsstat4<stateids>
            56 WANT_DELEGATION     1  word deleg_claim4 -> open_delegation4
            57 DESTROY_CLIENTID    1  clientid4 ->
            58 RECLAIM_COMPLETE    1  bool ->
            59 ALLOCATE            2  stateid4 offset4 length4 ->
            60 COPY                2  stateid4 stateid4 offset4 offset4 length4 bool bool netloc4<> \
            -> write_response4 bool bool | OFFLOAD_NO_REQS: bool bool
            61 COPY_NOTIFY         2  stateid4 netloc4 -> nfstime4 stateid4 netloc4<>
            62 DEALLOCATE          2  stateid4 offset4 length4 ->
            63 IO_ADVISE           2  stateid4 offset4 length4 bitmap4 -> word<2?>
            64 LAYOUTERROR         2  offset4 length4 stateid4 device_error4<> ->
            65 LAYOUTSTATS         2  offset4 length4 stateid4 io_info4 io_info4 deviceid4 \
            layoutupdate4 ->
            66 OFFLOAD_CANCEL      2  stateid4 ->
            67 OFFLOAD_STATUS      2  stateid4 -> length4 nfsstat4<1>
            68 READ_PLUS           2  stateid4 offset4 count4 -> bool read_plus_content<>
            69 SEEK                2  stateid4 offset4 word -> bool offset4
            70 WRITE_SAME          2  stateid4 word app_data_block4 -> write_response4
            71 CLONE               2  stateid4 stateid4 offset4 offset4 length4 ->
            72 GETXATTR            2  component4 -> opaque<>
            73 SETXATTR            2  word component4 opaque<> -> change_info4
            74 LISTXATTRS          2  nfs_cookie4 maxcount=count4 \
            -> within<maxcount>{ nfs_cookie4 component4<> bool }
            75 REMOVEXATTR         2  component4 -> change_info4
            10044 ILLEGAL          0  ->
            """);

    private static final Map<Integer, Operation> CB_COMPOUND =
            operations(
                    CompoundKind.CB_COMPOUND,
                    """
             3 CB_GETATTR              0  nfs_fh4 attributes=requested4 \
            -> bitmap4 opaque<attributes>
             4 CB_RECALL               0  stateid4 bool nfs_fh4 ->
             5 CB_LAYOUTRECALL         1  layouttype4 word bool layoutrecall4 ->
             6 CB_NOTIFY               1  stateid4 nfs_fh4 notify4<> ->
             7 CB_PUSH_DELEG           1  nfs_fh4 open_delegation4 ->
             8 CB_RECALL_ANY           1  word bitmap4 ->
             9 CB_RECALLABLE_OBJ_AVAIL 1  word bitmap4 ->
            10 CB_RECALL_SLOT          1  slotid4 ->
            11 CB_SEQUENCE             1  sessionid4 sequenceid4 slotid4 slotid4 bool \
            referring_call_list4<> -> sessionid4 sequenceid4 slotid4 slotid4 slotid4
            12 CB_WANTS_CANCELLED      1  bool bool ->
            13 CB_NOTIFY_LOCK          1  nfs_fh4 state_owner4 ->
            14 CB_NOTIFY_DEVICEID      1  notify4<> ->
            15 CB_OFFLOAD              2  nfs_fh4 stateid4 offload_info4 ->
            10044 CB_ILLEGAL           0  ->
            """);

    private ShapeTable() {}

    /** Reads a table of operations: a row for each. Returns them ordered by number. */
    private static Map<Integer, Operation> operations(CompoundKind kind, String text) {
        var operations = new TreeMap<Integer, Operation>();
        for (var row : text.lines().toList()) {
            var sides = row.split("->", -1);
            var words = sides[0].strip().split("\\s+", 4);
            int number = Integer.parseInt(words[0]);
            var name = words[1];
            var arguments = TYPES.parts(words.length == 4 ? words[3] : "");
            var results =
                    TYPES.results(name, sides[1], status -> Nfs4Status.valueOf(status).number());
            var operation =
                    new Operation(
                            kind, number, name, Integer.parseInt(words[2]), arguments, results);
            if (operations.put(number, operation) != null) {
                throw new IllegalArgumentException(name + " has the number of another operation");
            }
        }
        return operations;
    }

    /** Returns the operations of a procedure, ordered by number. */
    static Map<Integer, Operation> operations(CompoundKind kind) {
        return switch (kind) {
            case COMPOUND -> COMPOUND;
            case CB_COMPOUND -> CB_COMPOUND;
        };
    }

    /** Returns the named types. */
    static Map<String, Shape> types() {
        return TYPES.types();
    }
}
