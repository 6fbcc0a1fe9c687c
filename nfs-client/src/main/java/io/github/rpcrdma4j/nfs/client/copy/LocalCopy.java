package io.github.rpcrdma4j.nfs.client.copy;

import io.github.rpcrdma4j.nfs.client.local.ExtendedAcls;
import io.github.rpcrdma4j.nfs.client.local.LocalChanges;
import io.github.rpcrdma4j.nfs.client.local.UserXattrs;
import java.io.IOException;

/** Changes the attributes of one local file. */
interface LocalCopy {
    void change(LocalChanges changes) throws IOException;

    /** Replaces both access control lists. */
    void setAcls(ExtendedAcls acls) throws IOException;

    /**
     * Replaces the extended attributes of users.
     *
     * @param name of the file, for messages
     */
    void setXattrs(UserXattrs xattrs, String name) throws IOException;
}
