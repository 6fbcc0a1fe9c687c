package io.github.rpcrdma4j.nfs.server.state;

/**
 * Who sends a call, as its RPC credential says (RFC 8881, Section 1.7). Two principals are one if
 * their names are equal.
 *
 * @param name chosen by the driver, equal after restarts: such as "sys:0" or "krb5:nfs@host"
 */
public record Principal(String name) {
    @Override
    public String toString() {
        return name;
    }
}
