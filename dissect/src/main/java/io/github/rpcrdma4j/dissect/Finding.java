package io.github.rpcrdma4j.dissect;

/**
 * A fault of a sender.
 *
 * @param what the fault
 * @param rule the document and section that it violates
 * @param owed the reaction that the receiver owes
 */
public record Finding(String what, String rule, String owed) {
    /**
     * A reply invalidates a handle, and its sender stated no support for that. Linux does so on
     * every connection.
     */
    public static final String INVALIDATION_NOT_OFFERED =
            "it invalidates a handle, and its own side did not offer remote invalidation";
}
