/**
 * ONC RPC version 2 (RFC 5531): its messages, and the interfaces between programs and transports.
 *
 * <p>An {@link io.github.rpcrdma4j.oncrpc.RpcProgram} implements a program on a server. Callers use
 * an {@link io.github.rpcrdma4j.oncrpc.RpcClient}, or a {@link
 * io.github.rpcrdma4j.oncrpc.CallPipeline} for many calls at a time. Neither depends on the
 * transport. The byte-stream transport is in {@code record} and {@code tcp}, rpcbind (RFC 1833) in
 * {@code rpcbind}, RPCSEC_GSS (RFC 2203) in {@code gss}. Clients use RPCSEC_GSS as a {@link
 * io.github.rpcrdma4j.oncrpc.spi.CallProtection}, and servers as an {@link
 * io.github.rpcrdma4j.oncrpc.spi.Authenticator}.
 *
 * <p>Left out: AUTH_SHORT and AUTH_DH, which the server rejects with AUTH_REJECTEDCRED, and the
 * program specification language.
 */
package io.github.rpcrdma4j.oncrpc;
