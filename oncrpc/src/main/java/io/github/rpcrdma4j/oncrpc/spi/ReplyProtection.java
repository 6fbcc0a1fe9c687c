package io.github.rpcrdma4j.oncrpc.spi;

import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.xdr.XdrWriter;

/** What an authentication flavor does to one reply of a server. Used by one thread, once. */
public interface ReplyProtection extends AutoCloseable {
    /** No verifier, nothing wrapped. */
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

    /** The verifier of the reply, if it is accepted. */
    RawAuth verifier();

    /** Whether the results travel wrapped. */
    boolean wrapsData();

    /**
     * Writes results as they travel.
     *
     * @param results of the program; not needed any more afterwards
     * @param reply stands behind its header
     * @return SUCCESS, or SYSTEM_ERR if they could not be wrapped
     */
    AcceptStatus wrap(XdrWriter results, XdrWriter reply);

    /** The reply was written. */
    @Override
    void close();
}
