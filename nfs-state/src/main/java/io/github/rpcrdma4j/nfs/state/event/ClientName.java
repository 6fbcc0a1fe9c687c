package io.github.rpcrdma4j.nfs.state.event;

import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.oncrpc.KeyedHash;

/**
 * What tells clients apart: the name that a client gives itself, and where that name is valid. What
 * a caller without proof names itself is valid at its own address: another host that sends the same
 * name is another client.
 *
 * @param owner the name that the client gives itself
 * @param place the address; empty if the name is valid everywhere
 */
public record ClientName(OpaqueName owner, String place) {
    /** Returns the name of the client that a sender makes. */
    public static ClientName of(ClientOwner sent, Sender sender) {
        return new ClientName(sent.name(), sender.placeOfNames());
    }

    @Override
    public int hashCode() {
        return KeyedHash.of(owner.hashCode(), KeyedHash.of(place));
    }
}
