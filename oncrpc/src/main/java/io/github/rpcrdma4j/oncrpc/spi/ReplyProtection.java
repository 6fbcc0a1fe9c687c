package io.github.rpcrdma4j.oncrpc.spi;

import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.xdr.XdrWriter;

/**
 * The protection that an authentication flavor gives one reply of a server. One thread uses it,
 * once.
 */
public interface ReplyProtection extends AutoCloseable {
    /** A protection without a verifier and without wrapping. */
    ReplyProtection NONE =
            new ReplyProtection() {
                @Override
                public RawAuth verifier() {
                    return RawAuth.NONE;
                }

                @Override
                public boolean wrapsData() {
                    return false;
                }

                @Override
                public AcceptStatus wrap(XdrWriter results, XdrWriter reply) {
                    throw new AssertionError("nothing is wrapped");
                }

                @Override
                public void close() {}
            };

    /** Returns the verifier of an accepted reply. */
    RawAuth verifier();

    /** Returns whether the results travel wrapped. */
    boolean wrapsData();

    /**
     * Wraps results and writes them to the reply.
     *
     * @param results the results of the program; this method copies them
     * @param reply positioned after its header
     * @return SUCCESS, or SYSTEM_ERR if they could not be wrapped
     */
    AcceptStatus wrap(XdrWriter results, XdrWriter reply);

    /**
     * Releases the resources of this protection. The dispatcher closes it after it has written the
     * reply.
     */
    @Override
    void close();
}
