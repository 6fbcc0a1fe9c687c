package io.github.rpcrdma4j.nfs.server.raw;

import static io.github.rpcrdma4j.nfs.server.raw.Compound.data;
import static io.github.rpcrdma4j.nfs.server.raw.RawCaller.inExport;
import static io.github.rpcrdma4j.rpcrdma.raw.HeaderWords.readList;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.rpcrdma.raw.Words;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The NFS server. */
class ServerCompoundReadListsTest extends CompoundReadListsContract {
    @Override
    protected Serving serve(NfsServer nfs, ServedProfile profile, RdmaProvider provider)
            throws Exception {
        return RawServer.serve(nfs, profile, provider);
    }

    /** A client that is newer than the server learns that from its first COMPOUND. */
    @ParameterizedTest
    @EnumSource
    void aLaterMinorVersionIsNamedAsThatInSpiteOfChunks(ServedProfile profile) throws Exception {
        begin(profile);
        byte[] data = data(1000, 3);
        var call = inExport().lookUp("written").writeApart(data);
        var message = call.reduced(caller.nextXid());
        var later = message.bytes().clone();
        int minorVersion = 11 * Integer.BYTES + 3;
        later[minorVersion] = 3;
        var reply =
                caller.call(
                        readList(source(data, call.positions().getFirst(), 1000)),
                        new Words(later));
        int errMinorVersionMismatch = 10021;
        assertEquals(errMinorVersionMismatch, SeenResults.of(reply).status());
    }
}
