package io.github.rpcrdma4j.nfs.state.event;

import io.github.rpcrdma4j.nfs.v4.type.StateId;
import java.util.Optional;

/**
 * What an OPEN says about a delegation (RFC 8881, Section 18.16).
 *
 * @param open the stateid that the OPEN was granted
 * @param isReclaim whether the client had the delegation before the server restarted
 * @param change the change attribute of the file, which the client sees with the delegation
 * @param times if present, the client is to keep the times of the file, which are these now
 */
public record DelegateCall(
        FileKey file,
        StateId open,
        Wish wish,
        boolean isReclaim,
        long change,
        Optional<DelegatedTimes> times) {
    /** What a client wishes for. */
    public enum Wish {
        READ,
        WRITE,
        /** Either kind, or the client says nothing: the server decides by what the open may do. */
        ANY
    }
}
