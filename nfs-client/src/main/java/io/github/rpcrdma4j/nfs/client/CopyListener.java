package io.github.rpcrdma4j.nfs.client;

/** Is told how a copy gets on; by several threads at once. */
public interface CopyListener {
    /** Nobody listens. */
    CopyListener NONE =
            new CopyListener() {
                @Override
                public void expect(long octets) {}

                @Override
                public void copied(long octets) {}

                @Override
                public void file(String name) {}
            };

    /** So many octets more are to be copied. */
    void expect(long octets);

    /** So many octets more are copied. */
    void copied(long octets);

    /** A file is complete under its final name. */
    void file(String name);
}
