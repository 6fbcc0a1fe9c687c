package io.github.rpcrdma4j.nfs.server.raw;

import static io.github.rpcrdma4j.nfs.server.raw.RawCaller.inExport;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.rpcrdma.raw.RawChunk;
import io.github.rpcrdma4j.rpcrdma.raw.Words;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Goal: a client directs the results of single operations (draft-cel-nfsv4-rpcrdma-version-two and
 * its extension for round trips, RTR-7.4). Method: sets for ranges of a COMPOUND, word by word.
 */
public abstract class CompoundRangesContract extends CompoundContract {
    private static final int CREDITS = 4;
    private static final int OPTIONAL = 5;
    private static final int XMTREQ = 5;
    private static final int XMTRESP = 6;
    private static final int EXRW = 1;
    private static final int NOITEM = 6;
    private static final int FIRST = 700;
    private static final int SECOND = 900;

    /** Begins with a client that has told that it knows sets. */
    private void begin() throws Exception {
        begin(ServedProfile.VERSION_2);
        int initxch = 1;
        int receiveSize = 1;
        int supported = 4;
        var values =
                Words.of(2, receiveSize)
                        .opaque(Words.of(8192).bytes())
                        .word(supported)
                        .opaque(Words.of(7).bytes())
                        .word(0);
        int xid = caller.nextXid();
        caller.end().send(Words.of(xid, 2, CREDITS, OPTIONAL, 0, initxch).opaque(values.bytes()));
        assertEquals(xid, caller.end().receive().at(0));
    }

    /**
     * Two READs behind others: a target for what precedes the first READ, where nothing reads, and
     * one for the second READ.
     */
    private final class Directed {
        private final RawChunk unused = sink(SECOND);
        private final RawChunk used = sink(400, SECOND);
        private final Words reply;

        Directed(int xid, Compound.Call before) throws Exception {
            int first = before.message(0).length();
            var between = before.read(0, FIRST).restore().lookUp("file");
            int second = between.message(0).length();
            var message = between.read(100, SECOND).message(xid);
            var info =
                    Words.of(0, 2)
                            .word(0, first, 1, 1, EXRW)
                            .and(unused.offered())
                            .word(second, message.length(), 1, 1, EXRW)
                            .and(used.offered())
                            .word(1, 1, message.length());
            caller.end()
                    .send(
                            Words.of(xid, 2, CREDITS, OPTIONAL, 0, XMTREQ)
                                    .opaque(info.bytes())
                                    .and(message));
            reply = caller.end().receive();
        }

        /** Requires that the second READ alone was placed, and returns the RPC message. */
        Words placed() {
            int items = 7;
            Words.of(reply.at(0), 2, reply.at(2), OPTIONAL, 1, XMTRESP, reply.at(6))
                    .and(Words.of(2, 0, 0, NOITEM))
                    .word(reply.at(items + 4), SECOND, EXRW)
                    .and(used.filled(SECOND))
                    .requireSame(head(reply, items + 4 + 3 + 9));
            unused.taken(0);
            assertArrayEquals(read(100, SECOND), used.taken(SECOND));
            var message = reply.from(items + reply.at(items - 1) / Integer.BYTES);
            // The data of the second READ is at the end, and its length word the last word.
            int last = message.length() / Integer.BYTES - 1;
            assertEquals(SECOND, message.at(last));
            // A restored handle, a name that was found, and what precedes the data of a READ.
            int between = 2 + 2 + 3;
            assertArrayEquals(
                    read(0, FIRST),
                    head(message.from(last - between - FIRST / 4), FIRST / 4).bytes());
            return message;
        }

        private static Words head(Words words, int count) {
            return new Words(Arrays.copyOf(words.bytes(), count * Integer.BYTES));
        }
    }

    @Test
    @Tag("RTR-7.4-7")
    @Tag("RTR-3.4-1")
    @Tag("RTR-7.4-1")
    void aTargetIsForTheResultsOfItsOperationsAlone() throws Exception {
        begin();
        new Directed(caller.nextXid(), inExport().save().lookUp("file")).placed();
    }

    /** The reply to a repeated call comes from a cache. */
    @Test
    @Tag("RTR-7.4-7")
    void theResultsOfARepeatedCallHaveThePlacesOfTheirOperations() throws Exception {
        begin();
        var call = inExport().save().makeDirectory("made").restore().lookUp("file");
        int xid = caller.nextXid();
        var first = new Directed(xid, call).placed();
        first.requireSame(new Directed(xid, call).placed());
    }

    /** A session keeps replies itself. */
    @Test
    @Tag("RTR-7.4-7")
    void theResultsOfARepeatedCallInASessionHaveThePlacesOfTheirOperations() throws Exception {
        begin();
        var session =
                new RawSession(
                        caller, "ranges", RawSession.back(4096, 4096, 1), RawSession.noSecurity());
        var call =
                session.begin(3, 1, true)
                        .putRoot()
                        .lookUp("export")
                        .save()
                        .makeDirectory("made")
                        .restore()
                        .lookUp("file");
        var first = new Directed(caller.nextXid(), call).placed();
        var second = new Directed(caller.nextXid(), call).placed();
        first.from(1).requireSame(second.from(1));
    }
}
