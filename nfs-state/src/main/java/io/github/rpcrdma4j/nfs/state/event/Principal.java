package io.github.rpcrdma4j.nfs.state.event;

/**
 * Who sends a call, as its RPC credential says (RFC 8881, Section 1.7). Two principals are one if
 * their names are equal.
 *
 * @param name chosen by the driver, equal after restarts: such as "sys:0" or "krb5:nfs@host"; it
 *     begins with "sys:" or "none" if the credential proves nothing
 */
public record Principal(String name) {
    /** Returns whether nothing but the word of a host says who this is: AUTH_SYS and AUTH_NONE. */
    public boolean isClaimed() {
        return name.startsWith("sys:") || name.startsWith("none");
    }

    @Override
    public String toString() {
        return name;
    }
}
