/**
 * Kerberos version 5 (RFC 4121) as the mechanism of {@link io.github.rpcrdma4j.oncrpc.gss}, by the
 * JGSS of the JDK. Realms and key distribution centres are found as the JDK finds them: by {@code
 * krb5.conf}.
 */
package io.github.rpcrdma4j.oncrpc.gss.krb5;
