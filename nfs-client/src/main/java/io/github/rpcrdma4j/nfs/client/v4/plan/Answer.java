package io.github.rpcrdma4j.nfs.client.v4.plan;

import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.nfs.v4.operation.Result;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The results of a COMPOUND, as far as they can be understood (RFC 8881, Section 16.2). A client is
 * generous: what it cannot decode costs the operation, not the results in front of it, among which
 * is that of SEQUENCE.
 *
 * @param results those that were understood; each is of the operation that was sent
 * @param status of the COMPOUND: SERVERFAULT for a number that no RFC defines
 * @param malformed what is wrong with the rest; empty if nothing is
 */
public record Answer(List<Result> results, Nfs4Status status, Optional<String> malformed) {
    /** Copies the list. */
    public Answer {
        results = List.copyOf(results);
    }

    /**
     * Decodes a reply.
     *
     * @param operations the operations of the call, SEQUENCE among them
     */
    public static Answer decode(XdrReader in, List<Opcode> operations) {
        var results = new ArrayList<Result>();
        var status = Nfs4Status.SERVERFAULT;
        try {
            status = Nfs4Status.of(in.uint32()).orElse(Nfs4Status.SERVERFAULT);
            OpaqueName.decode(in);
            int count = in.uint32();
            // A server that replays the reply of another call may have more of them.
            for (int i = 0; i != count; i++) {
                if (i == operations.size()) {
                    throw new XdrException("there are more results than operations");
                }
                var result = Result.decodeGenerously(in);
                if (result.opcode() != operations.get(i) && result.opcode() != Opcode.ILLEGAL) {
                    throw new XdrException(
                            "a result of " + result.opcode() + " answers " + operations.get(i));
                }
                results.add(result);
            }
            in.finish();
            return new Answer(results, status, Optional.empty());
        } catch (XdrException malformed) {
            return new Answer(results, status, Optional.of(malformed.getMessage()));
        }
    }
}
