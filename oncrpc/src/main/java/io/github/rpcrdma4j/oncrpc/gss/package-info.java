/**
 * RPCSEC_GSS version 1 (RFC 2203). Callers prove their identity by a context of the GSS-API, and
 * optionally sign or encrypt their data.
 *
 * <p>Codecs, state machines, sequence numbers and the store of contexts are pure. {@link
 * io.github.rpcrdma4j.oncrpc.gss.GssClient} and {@link io.github.rpcrdma4j.oncrpc.gss.GssServer}
 * drive them, with any mechanism that implements {@link io.github.rpcrdma4j.oncrpc.gss.GssContext}.
 * Kerberos is in {@code krb5}.
 *
 * <p>Left out: versions 2 and 3 of RPCSEC_GSS (RFC 5403, RFC 7861), and qualities of protection
 * other than the default of the mechanism.
 */
package io.github.rpcrdma4j.oncrpc.gss;
