package io.github.rpcrdma4j.nfs.server.v4;

import io.github.rpcrdma4j.nfs.server.driver.OperationFailure;
import io.github.rpcrdma4j.nfs.server.served.Refusal;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.DataResult;
import io.github.rpcrdma4j.nfs.v4.operation.NameResult;
import io.github.rpcrdma4j.nfs.v4.operation.Result;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;

/**
 * The result of one operation of a COMPOUND, which encodes itself into the reply: its operation
 * number, its status and its values.
 */
interface Answer {
    /**
     * Writes the result.
     *
     * @throws OperationFailure if the operation fails after all, as do the others; what was written
     *     is then discarded
     */
    void encode(XdrWriter out) throws OperationFailure, Refusal, StoreException;

    /** Returns the length of its bulk item, in bytes. */
    default long bulkBytes() {
        return 0;
    }

    /** Releases the memory of an answer that is not written. */
    default void discard() {}

    /** Returns the status of the operation. */
    default Nfs4Status status() {
        return Nfs4Status.OK;
    }

    static Answer of(Result result) {
        return new Values(result);
    }

    /**
     * A result without a bulk item: it holds no data that may move in a chunk (RFC 8166, Section
     * 6.1). It is the result of a success, or of a failure that has values.
     */
    record Values(Result result) implements Answer {
        @Override
        public void encode(XdrWriter out) {
            result.encode(out);
        }

        @Override
        public Nfs4Status status() {
            return result.status();
        }
    }

    static Answer of(DataResult.Read read) {
        return new Bulk(read, read.data(), read.release());
    }

    static Answer of(NameResult.ReadLink link) {
        return new Bulk(link, link.text(), link.release());
    }

    /**
     * A result with a bulk item: the data of READ or READLINK, which may move in a chunk (RFC 8166,
     * Section 6.1). It comes with what releases the memory of that data.
     */
    record Bulk(Result result, MemorySegment data, Runnable release) implements Answer {
        @Override
        public void encode(XdrWriter out) {
            result.encode(out);
        }

        @Override
        public long bulkBytes() {
            return data.byteSize();
        }

        @Override
        public void discard() {
            release.run();
        }
    }
}
