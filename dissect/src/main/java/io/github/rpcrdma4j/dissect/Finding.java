package io.github.rpcrdma4j.dissect;

/**
 * Something that a sender should not have done.
 *
 * @param what was found
 * @param rule the document and section that it breaks
 * @param owed what the receiver has to do
 */
public record Finding(String what, String rule, String owed) {}
