package io.github.rpcrdma4j.nfs.state.event;

import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;

/**
 * How an asynchronous copy has ended.
 *
 * @param bytes how much was copied, with what was copied before the reply to COPY
 * @param committed the least of all its parts
 * @param verifier that of its first part
 */
public record CopyEnd(Nfs4Status status, long bytes, Stability committed, long verifier) {}
