package io.github.rpcrdma4j.nfs.client.copy;

import io.github.rpcrdma4j.nfs.client.local.ExtendedAcls;
import io.github.rpcrdma4j.nfs.client.local.LocalChanges;
import java.io.IOException;

/** Changes the attributes of one local file. */
interface LocalCopy {
    void change(LocalChanges changes) throws IOException;

    /** Replaces both access control lists. */
    void setAcls(ExtendedAcls acls) throws IOException;
}
