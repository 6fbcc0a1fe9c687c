package io.github.rpcrdma4j.nfs.server.state;

/**
 * Where calls come from: what one of them takes of the state, the others cannot have. The driver
 * decides which calls have equal hosts. Several clients may share a host, behind a gateway for
 * example.
 */
public interface Host {}
