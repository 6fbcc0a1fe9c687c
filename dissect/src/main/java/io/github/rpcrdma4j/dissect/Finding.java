package io.github.rpcrdma4j.dissect;

/**
 * A fault of a sender.
 *
 * @param what the fault
 * @param rule the document and section that it violates
 * @param owed the reaction that the receiver owes
 */
public record Finding(String what, String rule, String owed) {}
