package io.github.rpcrdma4j.nfs.server.v4;

import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.oncrpc.ProcedureDescriptor.Cost;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.util.HashMap;
import java.util.Map;

/**
 * Estimates, before a COMPOUND is carried out, whether its operations keep a thread busy for a
 * short time only.
 */
final class CompoundCost {
    /** A COMPOUND of more operations is not looked at. */
    private static final int OPERATIONS_MAX = 8;

    private static final int HANDLE_MAX = 128;
    private static final int NAME_MAX = 255;
    private static final int BITMAP_MAX = 8;

    /** The bytes of a stateid and an offset. */
    private static final int STATE_AND_OFFSET_BYTES = 24;

    /** The bytes of SEQUENCE: the session, three numbers and a flag. */
    private static final int SEQUENCE_BYTES = 32;

    /** Reads past the arguments of an operation. */
    private interface Skip {
        void past(XdrReader in) throws XdrException;
    }

    /** The operations that take a few system calls; those of locks and of names take more. */
    private static final Map<Integer, Skip> QUICK = new HashMap<>();

    static {
        put(Opcode.SEQUENCE, in -> in.fixedOpaque(SEQUENCE_BYTES));
        put(Opcode.PUTROOTFH, _ -> {});
        put(Opcode.PUTFH, in -> in.opaque(HANDLE_MAX));
        put(Opcode.GETFH, _ -> {});
        put(Opcode.SAVEFH, _ -> {});
        put(Opcode.RESTOREFH, _ -> {});
        put(Opcode.LOOKUP, in -> in.opaque(NAME_MAX));
        put(Opcode.READLINK, _ -> {});
        put(Opcode.ACCESS, XdrReader::uint32);
        put(
                Opcode.GETATTR,
                in -> in.fixedOpaque((long) Integer.BYTES * in.count(Integer.BYTES, BITMAP_MAX)));
        put(Opcode.READ, in -> in.fixedOpaque(STATE_AND_OFFSET_BYTES + Integer.BYTES));
        put(
                Opcode.WRITE,
                in -> {
                    in.fixedOpaque(STATE_AND_OFFSET_BYTES + Integer.BYTES);
                    in.bulk(Integer.MAX_VALUE);
                });
    }

    private CompoundCost() {}

    private static void put(Opcode opcode, Skip arguments) {
        QUICK.put(opcode.number(), arguments);
    }

    /**
     * Returns the cost.
     *
     * @param arguments those of COMPOUND; they stay unread
     * @param asksClients whether GETATTR may have to ask a client that has written to a file
     */
    static Cost of(XdrReader arguments, boolean asksClients) {
        try {
            return areQuick(arguments.peek(), asksClients) ? Cost.USUALLY_QUICK : Cost.UNKNOWN;
        } catch (XdrException _) {
            return Cost.UNKNOWN;
        }
    }

    private static boolean areQuick(XdrReader in, boolean asksClients) throws XdrException {
        in.opaque(Integer.MAX_VALUE);
        in.uint32();
        int count = in.uint32();
        if (Integer.compareUnsigned(count, OPERATIONS_MAX) > 0) {
            return false;
        }
        for (int i = 0; i < count; i++) {
            int opcode = in.uint32();
            var skip = QUICK.get(opcode);
            if (skip == null || asksClients && opcode == Opcode.GETATTR.number()) {
                return false;
            }
            skip.past(in);
        }
        return true;
    }
}
