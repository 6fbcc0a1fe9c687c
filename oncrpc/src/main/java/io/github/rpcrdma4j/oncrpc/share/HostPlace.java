package io.github.rpcrdma4j.oncrpc.share;

import io.github.rpcrdma4j.oncrpc.KeyedHash;

/**
 * Where a call comes from: a host, and a place in it. What a caller holds counts for both. Places
 * of a network are hosts of their own, which share what one host may have. So each leaves a part of
 * that to the others.
 *
 * @param host null stands for a host of its own, which is no network
 * @param name tells the places of a host apart, and is equal after restarts; empty if they are not
 *     told apart
 */
public record HostPlace(Host host, String name) {
    /** In a network, a place leaves this part of what the other places leave to them. */
    private static final int LEFT_PART = 4;

    /** Returns whether the host is a network, in which there may be other hosts. */
    public boolean isInNetwork() {
        return host != null && host.isNetwork();
    }

    /**
     * Returns the share of the place in what its host may have: in a network three quarters of what
     * the other places leave, else all.
     *
     * @param ofHost how much the host may have
     * @param others how much the other places of the host have
     */
    public long share(long ofHost, long others) {
        if (!isInNetwork()) {
            return ofHost;
        }
        long left = Math.max(0, ofHost - others);
        return left - left / LEFT_PART;
    }

    @Override
    public int hashCode() {
        return KeyedHash.of(KeyedHash.of(name), host == null ? 0 : host.hashCode());
    }
}
