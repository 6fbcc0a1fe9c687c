package io.github.rpcrdma4j.nfs.server.store.linux;

/** The operations on the files of a store, by subject. */
record Operations(
        AttributeOperations attributes,
        XattrOperations xattrs,
        DirectoryOperations directories,
        ListOperations lists,
        DataOperations data) {
    static Operations of(LinuxStore store) {
        var access = new DataAccess(store);
        var xattrs = new XattrOperations(store);
        return new Operations(
                new AttributeOperations(store, access, xattrs),
                xattrs,
                new DirectoryOperations(store),
                new ListOperations(store),
                new DataOperations(store, access));
    }
}
