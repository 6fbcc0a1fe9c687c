package io.github.rpcrdma4j.nfs.server.audit;

import io.github.rpcrdma4j.oncrpc.Credential;
import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * A change by a client. Its names and paths are the client's: any bytes.
 *
 * @param client the address of the client
 * @param version of NFS: 2, 3 or 4. A call of NFSACL belongs to the version that it goes with
 * @param claimed who the client said it was; a principal of Kerberos was proved
 * @param user the user that the server acted as, after the rule of the export; empty if it acts for
 *     no callers, but with the rights of its process
 * @param export the name of the export
 * @param failure why the call failed, although all of the change or a part may have been made;
 *     empty if it succeeded
 */
public record AuditEntry(
        InetSocketAddress client,
        int version,
        Credential claimed,
        Optional<User> user,
        String export,
        AuditedChange change,
        Optional<String> failure) {
    /**
     * A user of the server's machine.
     *
     * @param uid unsigned
     * @param gid unsigned
     */
    public record User(int uid, int gid) {}
}
