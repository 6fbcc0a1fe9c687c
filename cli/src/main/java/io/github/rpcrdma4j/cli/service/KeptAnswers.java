package io.github.rpcrdma4j.cli.service;

import java.security.Security;

/** The answers of the resolver that the JVM keeps. */
public final class KeptAnswers {
    private static final String ADDRESSES = "networkaddress.cache.ttl";
    private static final String FAILURES = "networkaddress.cache.negative.ttl";

    private KeptAnswers() {}

    /**
     * Makes the JVM ask the resolver for each lookup, unless the operator of the JVM has chosen. By
     * default it keeps an answer for 30 seconds: a gateway would lead clients to where the server
     * was, and a server would read its rules again with the addresses of before. It takes effect
     * before the first lookup of the process alone.
     */
    public static void forget() {
        if (Security.getProperty(ADDRESSES) == null) {
            Security.setProperty(ADDRESSES, "0");
            Security.setProperty(FAILURES, "0");
        }
    }
}
