package io.github.rpcrdma4j.nfs.server.driver;

import io.github.rpcrdma4j.nfs.state.event.ClientName;
import io.github.rpcrdma4j.nfs.state.event.ClientRecord;
import java.io.IOException;
import java.util.List;

/**
 * What stable storage keeps of clients, so that they may reclaim their state after a restart (RFC
 * 8881, Section 8.4.2.1). One thread at a time makes changes. A change is on storage when its
 * method returns.
 */
public interface ClientRecords extends AutoCloseable {
    /** Returns where the records are, for the operator: one line. */
    String place();

    /** Returns the number of this start of the server, larger than all before: 1 at least. */
    int bootEpoch();

    /** Returns the records of earlier starts. */
    List<ClientRecord> earlier();

    /**
     * Writes records of this start, each in place of another one of its name. If that fails, any of
     * them may be there.
     */
    void persist(List<ClientRecord> clients) throws IOException;

    /**
     * Keeps records as those of clients that reclaim nothing, in place of what is there of their
     * names. If that fails, any of them may be kept so.
     */
    void revoke(List<ClientRecord> clients) throws IOException;

    /** Removes the records of clients, as far as there are any. If that fails, some may be gone. */
    void forget(List<ClientName> clients) throws IOException;

    /** Removes all records that were not written in this start. */
    void forgetEarlier() throws IOException;

    /**
     * Releases what the records need, when a change in progress has ended.
     *
     * @throws IOException if that fails, or if a change hangs; the message is one line
     */
    @Override
    void close() throws IOException;
}
