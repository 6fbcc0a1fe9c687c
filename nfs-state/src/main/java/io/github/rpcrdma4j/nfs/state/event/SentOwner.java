package io.github.rpcrdma4j.nfs.state.event;

import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.oncrpc.KeyedHash;

/**
 * What a client sends of itself, with the principal that sends it. Clients at several addresses may
 * send the same.
 */
public record SentOwner(ClientOwner owner, Principal principal) {
    /** The same without the verifier, which each start of a client chooses. */
    public record Name(OpaqueName name, Principal principal) {
        @Override
        public int hashCode() {
            return KeyedHash.of(name.hashCode(), KeyedHash.of(principal.name()));
        }
    }

    public static SentOwner of(ClientRecord record) {
        return new SentOwner(record.sent(), record.principal());
    }

    public Name name() {
        return new Name(owner.name(), principal);
    }

    @Override
    public int hashCode() {
        return KeyedHash.of(owner.hashCode(), KeyedHash.of(principal.name()));
    }
}
