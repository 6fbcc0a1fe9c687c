package io.github.rpcrdma4j.rpcrdma.responder;

/**
 * What the calls of one connection may take of what its client may hold. A connection that was
 * denied is told by {@link Responder#resume} when it may ask again.
 */
public interface Allowance {
    /** For a peer that is trusted. */
    Allowance UNLIMITED =
            new Allowance() {
                @Override
                public int firstReceives(int receives) {
                    return receives;
                }

                @Override
                public boolean takeReceives() {
                    return true;
                }

                @Override
                public boolean take(long bytes) {
                    return true;
                }

                @Override
                public void hold(long bytes) {}

                @Override
                public void answered(long bytes) {}

                @Override
                public void give(long bytes) {}

                @Override
                public void close() {}
            };

    /**
     * How many receives stand posted until the first message comes: before it is answered, no
     * requester may count on more than one (RFC 8166, section 3.3.1).
     *
     * @param receives that will stand posted then
     */
    int firstReceives(int receives);

    /**
     * Takes the memory for all receives, when the first message has come.
     *
     * @return false if there is none; the connection is to be closed then
     */
    boolean takeReceives();

    /**
     * Takes one call.
     *
     * @param bytes what it may come to hold, in octets
     * @return false if it has to wait; nothing was taken then
     */
    boolean take(long bytes);

    /**
     * Takes what a reply holds until it is fetched. It is there already, so it never waits; calls
     * do that come later.
     *
     * @param bytes in octets
     */
    void hold(long bytes);

    /** Gives one call back, with some of the octets that were taken for it. */
    void answered(long bytes);

    /** Gives further octets back. */
    void give(long bytes);

    /** The connection is gone and asks for nothing more; what it has taken is given back still. */
    void close();
}
