package io.github.rpcrdma4j.nfs.client.service;

/** Whether an extended attribute that is set may exist already (RFC 8276, Section 8.4.2). */
public enum XattrRule {
    /** It may. */
    EITHER,
    /** It must not: {@link Status#EXIST}. */
    CREATE,
    /** It must: {@link Status#NOXATTR}. */
    REPLACE
}
