package io.github.rpcrdma4j.dissect;

import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Lists the names of the operations in a COMPOUND call of NFSv4, or in a CB_COMPOUND (RFC 7530,
 * 8881, 7862 and 8276). To find the next operation, it skips the arguments of the current one by
 * their shape:
 *
 * <pre>
 *   u  32 bits            o  opaque or string      s  stateid
 *   h  64 bits            b  bitmap                f  attributes: bitmap and opaque
 *   i  session, 16 bytes w  data that may lie in a Read chunk
 *   a capital letter is a union, or a structure with one in it; ! ends the walk
 * </pre>
 */
final class CompoundOperations {
    /** The entry for operations whose names could not be found. */
    static final String MORE = "...";

    private static final int OPERATIONS_MAX = 512;
    private static final int OPAQUE_MAX = 1 << 20;
    private static final int DATA_MAX = 1 << 26;
    private static final int WORDS_MAX = 1 << 10;
    private static final int SESSION_BYTES = 16;

    private record Operation(String name, String shape) {}

    private static final Map<Integer, Operation> CALLS =
            table(
                    """
            3 ACCESS u
            4 CLOSE us
            5 COMMIT hu
            6 CREATE Cof
            7 DELEGPURGE h
            8 DELEGRETURN s
            9 GETATTR b
            10 GETFH
            11 LINK o
            12 LOCK uuhhL
            13 LOCKT uhhho
            14 LOCKU uushh
            15 LOOKUP o
            16 LOOKUPP
            17 NVERIFY f
            18 OPEN uuuhoO
            19 OPENATTR u
            20 OPEN_CONFIRM su
            21 OPEN_DOWNGRADE suuu
            22 PUTFH o
            23 PUTPUBFH
            24 PUTROOTFH
            25 READ shu
            26 READDIR hhuub
            27 READLINK
            28 REMOVE o
            29 RENAME oo
            30 RENEW h
            31 RESTOREFH
            32 SAVEFH
            33 SECINFO o
            34 SETATTR sf
            35 SETCLIENTID houoou
            36 SETCLIENTID_CONFIRM hh
            37 VERIFY f
            38 WRITE shuw
            39 RELEASE_LOCKOWNER ho
            40 BACKCHANNEL_CTL uS
            41 BIND_CONN_TO_SESSION iuu
            42 EXCHANGE_ID houE
            43 CREATE_SESSION huuNNuS
            44 DESTROY_SESSION i
            45 FREE_STATEID s
            46 GET_DIR_DELEGATION !
            47 GETDEVICEINFO iuub
            48 GETDEVICELIST !
            49 LAYOUTCOMMIT !
            50 LAYOUTGET uuuhhhsu
            51 LAYOUTRETURN !
            52 SECINFO_NO_NAME u
            53 SEQUENCE iuuuu
            54 SET_SSV oo
            55 TEST_STATEID !
            56 WANT_DELEGATION !
            57 DESTROY_CLIENTID h
            58 RECLAIM_COMPLETE u
            59 ALLOCATE shh
            60 COPY !
            61 COPY_NOTIFY !
            62 DEALLOCATE shh
            63 IO_ADVISE shhb
            64 LAYOUTERROR !
            65 LAYOUTSTATS !
            66 OFFLOAD_CANCEL s
            67 OFFLOAD_STATUS s
            68 READ_PLUS shu
            69 SEEK shu
            70 WRITE_SAME !
            71 CLONE sshhh
            72 GETXATTR o
            73 SETXATTR uoo
            74 LISTXATTRS hu
            75 REMOVEXATTR o
            """);

    private static final Map<Integer, Operation> CALLBACKS =
            table(
                    """
            3 CB_GETATTR ob
            4 CB_RECALL suo
            5 CB_LAYOUTRECALL !
            6 CB_NOTIFY !
            7 CB_PUSH_DELEG !
            8 CB_RECALL_ANY ub
            9 CB_RECALLABLE_OBJ_AVAIL ub
            10 CB_RECALL_SLOT u
            11 CB_SEQUENCE iuuuuR
            12 CB_WANTS_CANCELLED uu
            13 CB_NOTIFY_LOCK oho
            14 CB_NOTIFY_DEVICEID !
            15 CB_OFFLOAD !
            """);

    private static Map<Integer, Operation> table(String rows) {
        var table = new HashMap<Integer, Operation>();
        rows.lines()
                .map(row -> row.split(" "))
                .forEach(
                        row ->
                                table.put(
                                        Integer.parseInt(row[0]),
                                        new Operation(row[1], row.length > 2 ? row[2] : "")));
        return Map.copyOf(table);
    }

    private final XdrReader in;

    private CompoundOperations(XdrReader in) {
        this.in = in;
    }

    /**
     * Returns the names of the operations, followed by {@link #MORE} if not all could be found.
     *
     * @param in positioned at the arguments of the procedure
     * @param callback whether the procedure is CB_COMPOUND
     */
    static List<String> of(XdrReader in, boolean callback) {
        var names = new ArrayList<String>();
        try {
            new CompoundOperations(in).walk(callback, names);
        } catch (XdrException _) {
            names.add(MORE);
        }
        return List.copyOf(names);
    }

    private void walk(boolean callback, List<String> names) throws XdrException {
        skip(callback ? "ouu" : "ou");
        int count = in.count(Integer.BYTES, OPERATIONS_MAX);
        var table = callback ? CALLBACKS : CALLS;
        for (int i = 0; i < count; i++) {
            int number = in.uint32();
            var operation = table.get(number);
            if (operation == null) {
                names.add("operation " + Integer.toUnsignedString(number));
                throw new XdrException("an operation without a known shape");
            }
            names.add(operation.name);
            // The arguments of the last operation need not be skipped.
            if (i < count - 1) {
                skip(operation.shape);
            }
        }
    }

    private void skip(String shape) throws XdrException {
        for (int i = 0; i < shape.length(); i++) {
            switch (shape.charAt(i)) {
                case 'u' -> in.uint32();
                case 'h' -> in.uint64();
                case 'o' -> in.opaque(OPAQUE_MAX);
                case 's', 'i' -> in.fixedOpaque(SESSION_BYTES);
                case 'b' -> words();
                case 'f' -> skip("bo");
                case 'w' -> in.bulk(DATA_MAX);
                case 'C' -> created();
                case 'L' -> skip(in.bool() ? "usuho" : "su");
                case 'O' -> opened();
                case 'E' -> protection();
                case 'N' -> {
                    skip("uuuuuu");
                    words();
                }
                case 'S' -> security();
                case 'R' -> referrals();
                default -> throw new XdrException("arguments without a known shape");
            }
        }
    }

    private int words() throws XdrException {
        int count = in.count(Integer.BYTES, WORDS_MAX);
        in.fixedOpaque((long) count * Integer.BYTES);
        return count;
    }

    /** Skips {@code createtype4}; links and devices have fields after the type. */
    private void created() throws XdrException {
        switch (in.uint32()) {
            case 5 -> skip("o");
            case 3, 4 -> skip("uu");
            default -> {}
        }
    }

    /** Skips {@code openflag4} and {@code open_claim4}. */
    private void opened() throws XdrException {
        if (in.bool()) {
            switch (in.uint32()) {
                case 0, 1 -> skip("f");
                case 2 -> skip("h");
                default -> skip("hf");
            }
        }
        switch (in.uint32()) {
            case 0, 3 -> skip("o");
            case 1 -> skip("u");
            case 2 -> skip("so");
            case 5 -> skip("s");
            default -> {}
        }
    }

    /** Skips {@code state_protect4_a} and {@code nfs_impl_id4}. */
    private void protection() throws XdrException {
        switch (in.uint32()) {
            case 0 -> {}
            case 1 -> skip("bb");
            default -> skip("!");
        }
        for (int count = in.count(Integer.BYTES, 1); count > 0; count--) {
            skip("oohu");
        }
    }

    /** Skips {@code callback_sec_parms4} with AUTH_NONE and AUTH_SYS. */
    private void security() throws XdrException {
        for (int count = in.count(Integer.BYTES, WORDS_MAX); count > 0; count--) {
            switch (in.uint32()) {
                case 0 -> {}
                case 1 -> skip("uouub");
                default -> skip("!");
            }
        }
    }

    /** Skips {@code referring_call_list4}. */
    private void referrals() throws XdrException {
        for (int lists = in.count(Integer.BYTES, WORDS_MAX); lists > 0; lists--) {
            skip("i");
            for (int calls = in.count(2 * Integer.BYTES, WORDS_MAX); calls > 0; calls--) {
                skip("uu");
            }
        }
    }
}
