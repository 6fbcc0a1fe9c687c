package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.state.event.OwnerCall;
import io.github.rpcrdma4j.nfs.state.event.OwnerReply;
import io.github.rpcrdma4j.nfs.state.event.Principal;

/** What becomes of an operation that is in the sequence of an owner. */
public sealed interface OwnerTurn {
    /** It is the next one. It is carried out, and {@link LeaseEvents#endTurn} is due. */
    final class Next implements OwnerTurn {
        final Owner owner;
        final int sequence;
        final Principal caller;

        /** The name of a new lock owner, and its sequence; null if the operation has none. */
        final OwnerCall.NewLock lock;

        boolean isEnded;

        Next(Owner owner, int sequence, Principal caller, OwnerCall.NewLock lock) {
            this.owner = owner;
            this.sequence = sequence;
            this.caller = caller;
            this.lock = lock;
        }

        /** Returns whether the owner has yet to send OPEN_CONFIRM. */
        public boolean isUnconfirmed() {
            return !owner.isConfirmed;
        }
    }

    /** It was the last one already, and gets the reply of that. */
    record Repeated(OwnerReply reply) implements OwnerTurn {}
}
