/**
 * ONC RPC version 2 (RFC 5531): the messages, and the seam between programs and transports.
 *
 * <p>A program is served by an {@link io.github.rpcrdma4j.oncrpc.RpcProgram} and called through an
 * {@link io.github.rpcrdma4j.oncrpc.RpcClient}, many times at once by a {@link
 * io.github.rpcrdma4j.oncrpc.CallPipeline}; neither knows which transport carries it. The
 * byte-stream transport is in {@code record} and {@code tcp}, rpcbind (RFC 1833) in {@code
 * rpcbind}, RPCSEC_GSS (RFC 2203) in {@code gss}: it meets clients as a {@link
 * io.github.rpcrdma4j.oncrpc.spi.CallProtection}, and servers as an {@link
 * io.github.rpcrdma4j.oncrpc.spi.Authenticator}.
 *
 * <p>Left out: AUTH_SHORT and AUTH_DH, which are answered with AUTH_REJECTEDCRED, and the program
 * specification language.
 */
package io.github.rpcrdma4j.oncrpc;
