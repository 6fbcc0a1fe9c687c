package io.github.rpcrdma4j.nfs.client.v4.plan;

import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.nfs.v4.operation.OpenCreation;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
import java.util.EnumSet;
import java.util.Set;

/**
 * Counts what a client does that may change files: what the server has told of names and attributes
 * holds no longer than that. Thread-safe.
 */
public final class Changes {
    /** The operations that change neither names nor attributes. */
    private static final Set<Opcode> QUESTIONS =
            EnumSet.of(
                    Opcode.ACCESS,
                    Opcode.BACKCHANNEL_CTL,
                    Opcode.BIND_CONN_TO_SESSION,
                    Opcode.CLOSE,
                    Opcode.COMMIT,
                    Opcode.COPY_NOTIFY,
                    Opcode.CREATE_SESSION,
                    Opcode.DELEGPURGE,
                    Opcode.DELEGRETURN,
                    Opcode.DESTROY_CLIENTID,
                    Opcode.DESTROY_SESSION,
                    Opcode.EXCHANGE_ID,
                    Opcode.FREE_STATEID,
                    Opcode.GETATTR,
                    Opcode.GETDEVICEINFO,
                    Opcode.GETDEVICELIST,
                    Opcode.GETFH,
                    Opcode.GETXATTR,
                    Opcode.GET_DIR_DELEGATION,
                    Opcode.ILLEGAL,
                    Opcode.IO_ADVISE,
                    Opcode.LAYOUTERROR,
                    Opcode.LAYOUTGET,
                    Opcode.LAYOUTRETURN,
                    Opcode.LAYOUTSTATS,
                    Opcode.LISTXATTRS,
                    Opcode.LOCK,
                    Opcode.LOCKT,
                    Opcode.LOCKU,
                    Opcode.LOOKUP,
                    Opcode.LOOKUPP,
                    Opcode.NVERIFY,
                    Opcode.OFFLOAD_CANCEL,
                    Opcode.OFFLOAD_STATUS,
                    Opcode.OPEN_CONFIRM,
                    Opcode.OPEN_DOWNGRADE,
                    Opcode.PUTFH,
                    Opcode.PUTPUBFH,
                    Opcode.PUTROOTFH,
                    Opcode.READ,
                    Opcode.READDIR,
                    Opcode.READLINK,
                    Opcode.READ_PLUS,
                    Opcode.RECLAIM_COMPLETE,
                    Opcode.RELEASE_LOCKOWNER,
                    Opcode.RENEW,
                    Opcode.RESTOREFH,
                    Opcode.SAVEFH,
                    Opcode.SECINFO,
                    Opcode.SECINFO_NO_NAME,
                    Opcode.SEEK,
                    Opcode.SEQUENCE,
                    Opcode.SETCLIENTID,
                    Opcode.SETCLIENTID_CONFIRM,
                    Opcode.SET_SSV,
                    Opcode.TEST_STATEID,
                    Opcode.VERIFY,
                    Opcode.WANT_DELEGATION);

    private long count;

    /**
     * Takes note that a plan is sent, or that its call has ended: what is asked for between the two
     * is told before the change or behind it.
     */
    public synchronized void note(Plan plan) {
        if (mayChange(plan)) {
            count++;
        }
    }

    /** Returns a number that is the same as long as nothing was noted that may change files. */
    public synchronized long count() {
        return count;
    }

    /** Returns whether a plan may change the names or the attributes of files. */
    static boolean mayChange(Plan plan) {
        return plan.operations().stream().anyMatch(Changes::mayChange);
    }

    private static boolean mayChange(Arguments operation) {
        return operation instanceof StateArguments.Open open
                ? !(open.creation() instanceof OpenCreation.None)
                : !QUESTIONS.contains(operation.opcode());
    }
}
