package io.github.rpcrdma4j.nfs.state.event;

import io.github.rpcrdma4j.nfs.v4.type.Timestamp;

/** The times of a file when a client got a delegation that includes them (RFC 9754, Section 5). */
public record DelegatedTimes(Timestamp accessed, Timestamp modified) {}
