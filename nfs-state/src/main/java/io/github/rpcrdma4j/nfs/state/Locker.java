package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.v4.type.StateOwner;

/**
 * What the stateid of a byte-range lock stands for: a lock owner, and the open by which it locks.
 * The file has the ranges.
 */
final class Locker extends State {
    final StateOwner owner;
    private final Open open;

    Locker(Open open, int number, StateOwner owner) {
        super(open.client, open.file, number, owner.name());
        this.open = open;
        this.owner = owner;
    }

    /** Returns the open that grants access. */
    Open open() {
        return open;
    }
}
