package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import io.github.rpcrdma4j.nfs.v4.Nfs4Binding;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundArguments;
import io.github.rpcrdma4j.nfs.v4.operation.DataArguments;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.nfs.v4.operation.SessionArguments;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Makes calls of plans.
 *
 * @param minorVersion 1 or 2
 */
record Compounds(int minorVersion) {
    static final OpaqueName NO_TAG = OpaqueName.of(new byte[0]);

    /** Room for what is beside the data of a READ or a WRITE in a message, in bytes. */
    static final int BESIDE_DATA = 1024;

    /** Status, tag and count of a reply, in bytes. */
    private static final int ENVELOPE = 12;

    /** The result of SEQUENCE, in bytes. */
    private static final int SEQUENCE = 44;

    /** Encodes the arguments of a call. */
    record Encoding(CompoundArguments compound) implements Consumer<XdrWriter> {
        @Override
        public void accept(XdrWriter out) {
            compound.encode(out);
        }

        /** Returns how many bytes of data it has. */
        long dataBytes() {
            long bytes = 0;
            for (var each : compound.operations()) {
                bytes += each instanceof DataArguments.Write write ? write.data().byteSize() : 0;
            }
            return bytes;
        }
    }

    /** A call, and the operations whose results its reply has. */
    record Call(RpcCall rpc, List<Opcode> operations) {}

    /**
     * Returns the call of a plan in a session. The server keeps the reply of a plan that it may not
     * carry out twice.
     *
     * @param resultsMax the most bytes of results that the session lets a reply have: none is
     *     longer, even if the plan has more room
     */
    Call inSession(SessionArguments.Sequence sequence, Plan plan, long resultsMax) {
        var kept =
                new SessionArguments.Sequence(
                        sequence.session(),
                        sequence.sequence(),
                        sequence.slot(),
                        sequence.highestSlot(),
                        !plan.isRepeatable());
        return of(List.of(kept), SEQUENCE, plan, resultsMax);
    }

    /** Returns the call of a plan that stands alone, because it makes or ends a session. */
    Call alone(Plan plan) {
        return of(List.of(), 0, plan, Long.MAX_VALUE);
    }

    private Call of(List<Arguments> first, int more, Plan plan, long resultsMax) {
        var all = new ArrayList<Arguments>(first);
        all.addAll(plan.operations());
        return new Call(
                new RpcCall(
                        Nfs4Binding.PROGRAM,
                        Nfs4Binding.VERSION,
                        Nfs4Binding.COMPOUND,
                        new Encoding(new CompoundArguments(NO_TAG, minorVersion, all)),
                        Math.min(ENVELOPE + more + plan.resultsMax(), resultsMax),
                        plan.targets()),
                all.stream().map(Arguments::opcode).toList());
    }
}
