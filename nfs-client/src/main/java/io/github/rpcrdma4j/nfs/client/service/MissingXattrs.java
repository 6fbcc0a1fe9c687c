package io.github.rpcrdma4j.nfs.client.service;

import io.github.rpcrdma4j.nfs.FileName;
import java.util.List;

/** Refuses what needs extended attributes, because the version of NFS has none. */
record MissingXattrs(NfsVersion version) implements FileXattrs {
    private NfsException refusal(String what) {
        return NfsException.found(
                what,
                "version " + version.words() + " of NFS has no extended attributes",
                Status.NOTSUPP);
    }

    @Override
    public boolean exist() {
        return false;
    }

    @Override
    public boolean areKept(FileHandle file, String what) {
        return false;
    }

    @Override
    public List<FileName> names(FileHandle file, String what) throws NfsException {
        throw refusal(what);
    }

    @Override
    public byte[] value(FileHandle file, FileName name, String what) throws NfsException {
        throw refusal(what);
    }

    @Override
    public void set(FileHandle file, FileName name, byte[] value, XattrRule rule, String what)
            throws NfsException {
        throw refusal(what);
    }

    @Override
    public void remove(FileHandle file, FileName name, String what) throws NfsException {
        throw refusal(what);
    }
}
