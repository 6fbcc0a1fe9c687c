package io.github.rpcrdma4j.nfs.server.driver;

import io.github.rpcrdma4j.nfs.state.event.ClientName;
import io.github.rpcrdma4j.nfs.state.event.ClientRecord;
import java.security.SecureRandom;
import java.util.List;

/**
 * Records of a server whose files do not survive it either: it keeps none.
 *
 * @param bootEpoch random, so that clients of an earlier start are recognized
 */
public record VolatileRecords(int bootEpoch) implements ClientRecords {
    /** Returns such records of a new start. */
    public static VolatileRecords fresh() {
        return new VolatileRecords(1 + new SecureRandom().nextInt(Integer.MAX_VALUE - 1));
    }

    @Override
    public String place() {
        return "memory";
    }

    @Override
    public List<ClientRecord> earlier() {
        return List.of();
    }

    @Override
    public void persist(List<ClientRecord> clients) {}

    @Override
    public void revoke(List<ClientRecord> clients) {}

    @Override
    public void forget(List<ClientName> clients) {}

    @Override
    public void forgetEarlier() {}

    @Override
    public void close() {}
}
