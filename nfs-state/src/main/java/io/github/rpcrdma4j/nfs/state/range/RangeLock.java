package io.github.rpcrdma4j.nfs.state.range;

/**
 * A locked range of bytes.
 *
 * @param <O> the owner, a value
 */
public record RangeLock<O>(O owner, LockMode type, ByteRange range) {
    public boolean conflictsWith(RangeLock<O> other) {
        return !owner.equals(other.owner)
                && type.conflictsWith(other.type)
                && range.overlaps(other.range);
    }
}
