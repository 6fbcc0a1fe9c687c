package io.github.rpcrdma4j.nfs.state;

import io.github.rpcrdma4j.nfs.v4.type.StateId;

/**
 * An asynchronous copy that may begin.
 *
 * @param number names it for the driver: 1, 2, 3 and so on
 * @param stateId names it for its client
 * @param use stands for its client, in the checks of each part
 */
public record BegunCopy(long number, StateId stateId, ClientUse use) {}
