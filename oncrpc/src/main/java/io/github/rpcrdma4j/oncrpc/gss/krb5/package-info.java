/**
 * Kerberos version 5 (RFC 4121) as the mechanism of {@link io.github.rpcrdma4j.oncrpc.gss}, through
 * JGSS of the JDK. The JDK finds realms and key distribution centers by {@code krb5.conf}.
 */
package io.github.rpcrdma4j.oncrpc.gss.krb5;
