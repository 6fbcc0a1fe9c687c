package io.github.rpcrdma4j.rpcrdma.options;

/** What one connection takes by its options: receives, and memory for what has no chunks. */
public final class ConnectionSizes {
    private static final int KIB = 1024;

    /** A peer that has said nothing yet costs little. */
    private static final int FIRST_RECEIVES = 8;

    /** What is kept for each credit to write short replies to. */
    private static final int REPLY_BYTES = 8 * KIB;

    private final RpcRdmaOptions options;

    ConnectionSizes(RpcRdmaOptions options) {
        this.options = options;
    }

    static long receiveBytes(int credits, int reverseCredits, int receiveLength) {
        return (long) receiveLength * (credits + reverseCredits) + (long) REPLY_BYTES * credits;
    }

    /** The receives that stand posted for calls until the first message comes. */
    public int firstReceives() {
        return Math.min(options.credits(), FIRST_RECEIVES);
    }

    /** Their bytes. */
    public long firstReceiveBytes() {
        return (long) firstReceives() * receiveLength();
    }

    /** What a connection takes when the first message comes, in bytes. */
    public long laterReceiveBytes() {
        return receiveBytes() - firstReceiveBytes();
    }

    /** The length of every receive that is posted, in bytes. */
    public int receiveLength() {
        return options.profile().receiveBytes(options.inlineReceive());
    }

    /** The most receives that stand posted for one connection. */
    public int receives() {
        return options.credits()
                + options.reverseCredits()
                + options.profile().spareReceives(options.credits(), options.reverseCredits());
    }

    /**
     * The bytes that one connection of a server takes without chunks: its receives, and short
     * replies that are written to memory which is kept for the next.
     */
    public long receiveBytes() {
        return receiveBytes(options.credits(), options.reverseCredits(), receiveLength());
    }

    /** The most bytes that one call is taken to hold at a server: arguments and results. */
    public long largestCall() {
        return 2 * options.callBytesMax();
    }
}
