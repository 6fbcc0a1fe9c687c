package io.github.rpcrdma4j.nfs.state.event;

/**
 * The results of EXCHANGE_ID that belong to the state.
 *
 * @param sequence {@code eir_sequenceid}: of the client's next CREATE_SESSION
 * @param flags {@code eir_flags}
 * @param protection what the server granted when the client was made
 */
public record ExchangedId(long clientId, int sequence, int flags, Protection protection) {}
