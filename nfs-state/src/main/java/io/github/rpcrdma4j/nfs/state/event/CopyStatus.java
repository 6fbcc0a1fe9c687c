package io.github.rpcrdma4j.nfs.state.event;

import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import java.util.Optional;

/**
 * How far an asynchronous copy is.
 *
 * @param bytes how much is copied
 * @param end its status, if it has ended
 */
public record CopyStatus(long bytes, Optional<Nfs4Status> end) {}
