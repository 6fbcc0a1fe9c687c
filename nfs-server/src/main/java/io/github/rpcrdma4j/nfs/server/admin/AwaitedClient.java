package io.github.rpcrdma4j.nfs.server.admin;

/**
 * A client that has not come back since the server started, and may still reclaim what it had.
 *
 * @param name what the client calls itself: printable ASCII, or {@code hex:} with hexadecimal
 *     digits
 * @param principal who the client is by its credential, such as {@code sys:0}
 */
public record AwaitedClient(String name, String principal) {}
