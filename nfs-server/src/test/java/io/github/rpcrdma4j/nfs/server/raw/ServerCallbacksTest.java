package io.github.rpcrdma4j.nfs.server.raw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Delegations;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.rpcrdma.raw.Words;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Goal: the server calls its clients as RFC 8267, Section 6.5.2, says. Method: the test operates
 * clients whose connections carry calls of different lengths.
 */
class ServerCallbacksTest {
    /** RFC 8797: without private data, a receive has 1024 bytes. */
    private static final byte[] SAYS_NOTHING = {};

    /** RFC 8797: version 1, no remote invalidation, 5120 bytes to send and to receive. */
    private static final byte[] LONG_RECEIVES = Words.hex("f6ab0e18 01000404").bytes();

    private static final byte[] LONG_OWNER = new byte[1000];
    private static final byte[] OWNER = Compound.ascii("owner");
    private static final int ROOMY = 4096;

    private static final int WRITE_LT = 2;
    private static final int WRITEW_LT = 4;
    private static final int ERR_DENIED = 10010;
    private static final int ERR_DELAY = 10008;
    private static final int WANT_READ_DELEGATION = 0x100;
    private static final int READ = 1;
    private static final int WRITE = 2;

    /** For reading and writing, without a delegation. */
    private static final int FOR_LOCKS = READ | WRITE | 0x400;

    private final RdmaProvider provider = RawCaller.provider();
    private TestDirectory directory;
    private NfsServer nfs;
    private CompoundContract.Serving serving;

    @BeforeEach
    void serve() throws Exception {
        directory = RawCaller.directory();
        RawCaller.file(directory, "file", new byte[10]);
        var export = new Export(RawCaller.EXPORT, directory.root(), false);
        nfs = new NfsServer(List.of(export.with(Delegations.EXCLUSIVE)), new byte[32]);
        serving = RawServer.serve(nfs, ServedProfile.RFC_8166, provider);
    }

    @AfterEach
    void close() throws Exception {
        serving.program().close();
        nfs.close();
        directory.close();
    }

    /** A client with a session, which has the file open. */
    private final class Client implements AutoCloseable {
        private final RawCaller caller;
        private final RawSession session;

        Client(String name, byte[] privateData, Words back, Words security) throws Exception {
            caller =
                    new RawCaller(ServedProfile.RFC_8166, provider, serving.address(), privateData);
            session = new RawSession(caller, name, back, security);
        }

        /** A client that accepts no callbacks until it says so. */
        Client(String name) throws Exception {
            caller =
                    new RawCaller(
                            ServedProfile.RFC_8166, provider, serving.address(), LONG_RECEIVES);
            session = RawSession.withoutCallbacks(caller, name, RawSession.back(ROOMY, ROOMY, 1));
        }

        Client(String name, byte[] privateData) throws Exception {
            this(name, privateData, RawSession.back(ROOMY, ROOMY, 1), RawSession.noSecurity());
        }

        /** Calls an operation on the file, and returns its results from its number on. */
        Words onFile(Words operation) throws Exception {
            var reply =
                    session.call(
                            Words.of(24),
                            Words.of(15).opaque(Compound.ascii("export")),
                            Words.of(15).opaque(Compound.ascii("file")),
                            operation);
            return RawSession.behindSequence(reply).from(3 * 2);
        }

        /** Opens the file, and returns the results from the number of OPEN on. */
        Words open(int access) throws Exception {
            var open =
                    Words.of(18, 0, access, 0)
                            .and(session.clientId())
                            .opaque(OWNER)
                            .word(0, 0)
                            .opaque(Compound.ascii("file"));
            var reply =
                    session.call(Words.of(24), Words.of(15).opaque(Compound.ascii("export")), open);
            return RawSession.behindSequence(reply).from(2 * 2);
        }

        /** Returns the delegation that comes with an open; several are tried. */
        int delegation() throws Exception {
            int found = 0;
            for (int i = 0; i < 3 && found != 1; i++) {
                var opened = open(READ | WANT_READ_DELEGATION);
                assertEquals(0, opened.at(1), "the status of OPEN");
                // The stateid, the changes, flags and the bitmap precede it.
                found = opened.at(13 + opened.at(12));
            }
            return found;
        }

        Words stateId(Words opened) {
            return new Words(Arrays.copyOf(opened.from(2).bytes(), 16));
        }

        /** Asks for a lock of the file, and returns its results. */
        Words lock(int type, Words open, byte[] owner) throws Exception {
            return onFile(
                    Words.of(12, type, 0)
                            .twoWords(0)
                            .twoWords(10)
                            .word(1, 0)
                            .and(open)
                            .word(0)
                            .and(session.clientId())
                            .opaque(owner));
        }

        void unlock(Words locked) throws Exception {
            var done =
                    onFile(Words.of(14, WRITE_LT, 0).and(stateId(locked)).twoWords(0).twoWords(10));
            assertEquals(0, done.at(1));
        }

        @Override
        public void close() {
            caller.close();
        }
    }

    /**
     * Waits for a lock until the other client gives it up, and takes it then.
     *
     * @return the operations by which the server has called
     */
    private static List<Integer> waits(Client waiter, Client holder, byte[] owner)
            throws Exception {
        var ofHolder = holder.stateId(holder.open(FOR_LOCKS));
        var held = holder.lock(WRITE_LT, ofHolder, OWNER);
        assertEquals(0, held.at(1));
        var own = waiter.stateId(waiter.open(FOR_LOCKS));
        assertEquals(ERR_DENIED, waiter.lock(WRITEW_LT, own, owner).at(1));
        holder.unlock(held);
        var called = waiter.session.awaitCallback();
        var locked = waiter.lock(WRITEW_LT, own, owner);
        assertEquals(0, locked.at(1), "the client asks by itself");
        waiter.unlock(locked);
        called.ifPresent(
                each -> {
                    assertEquals(Map.of(), each.header().reads());
                    assertEquals(List.of(), each.header().writes());
                    assertEquals(0, each.header().reply().length());
                });
        return called.map(RawSession.SeenCallback::operation).stream().toList();
    }

    @Test
    @Tag("8267-6.5.2-1")
    @Tag("8267-6.5.2-3")
    @Tag("8797-5.1-1")
    @Tag("8167-4.2-1")
    void aCallThatTheConnectionDoesNotCarryCostsItselfAlone() throws Exception {
        try (var holder = new Client("holder", LONG_RECEIVES);
                var waiter = new Client("waiter", SAYS_NOTHING)) {
            assertEquals(List.of(RawSession.CB_NOTIFY_LOCK), waits(waiter, holder, OWNER));
            assertEquals(List.of(), waits(waiter, holder, LONG_OWNER));
            assertEquals(0, waiter.session.statusFlags());
            assertEquals(List.of(RawSession.CB_NOTIFY_LOCK), waits(waiter, holder, OWNER));
        }
    }

    @Test
    @Tag("8267-6.5.2-2")
    void aCallThatTheSessionDoesNotTakeCostsItselfAlone() throws Exception {
        var back = RawSession.back(300, ROOMY, 1);
        try (var holder = new Client("holder", LONG_RECEIVES);
                var waiter = new Client("waiter", LONG_RECEIVES, back, RawSession.noSecurity())) {
            assertEquals(List.of(), waits(waiter, holder, LONG_OWNER));
            assertEquals(0, waiter.session.statusFlags());
            assertEquals(List.of(RawSession.CB_NOTIFY_LOCK), waits(waiter, holder, OWNER));
        }
    }

    @Test
    @Tag("8267-6.5.2-3")
    @Tag("8267-6.5.2-5")
    void aCallOfSeveralKilobytesIsAShortMessageIfTheConnectionCarriesIt() throws Exception {
        try (var holder = new Client("holder", LONG_RECEIVES);
                var waiter = new Client("waiter", LONG_RECEIVES)) {
            assertEquals(List.of(RawSession.CB_NOTIFY_LOCK), waits(waiter, holder, LONG_OWNER));
        }
    }

    @Test
    @Tag("8267-6.5.2-1")
    void aDelegationIsRecalledOverAConnectionOfShortMessages() throws Exception {
        try (var holder = new Client("holder", SAYS_NOTHING);
                var other = new Client("other", LONG_RECEIVES)) {
            assertEquals(1, holder.delegation());
            assertEquals(ERR_DELAY, other.open(WRITE).at(1));
            assertEquals(
                    RawSession.CB_RECALL, holder.session.awaitCallback().orElseThrow().operation());
        }
    }

    @Test
    @Tag("8167-6-1")
    void nobodyIsCalledWhoHasNotSaidThatItAcceptsCalls() throws Exception {
        try (var holder = new Client("holder", LONG_RECEIVES);
                var waiter = new Client("waiter")) {
            assertTrue(holder.session.isCalledBack());
            assertFalse(waiter.session.isCalledBack());
            assertEquals(List.of(), waits(waiter, holder, OWNER));
            assertTrue(waiter.delegation() != 1);
            waiter.session.acceptCallbacks();
            assertEquals(List.of(RawSession.CB_NOTIFY_LOCK), waits(waiter, holder, OWNER));
        }
    }

    /** The type of a message is looked at before its XID. */
    @Test
    @Tag("5667-5.1-1")
    void aCallMayHaveTheXidOfACallbackThatIsNotAnswered() throws Exception {
        try (var holder = new Client("holder", LONG_RECEIVES);
                var other = new Client("other", LONG_RECEIVES)) {
            assertEquals(1, holder.delegation());
            assertEquals(ERR_DELAY, other.open(WRITE).at(1));
            var reply = holder.session.callWithTheXidOfACallback();
            RawSession.requireOk(reply);
            assertEquals(
                    RawSession.CB_RECALL, holder.session.awaitCallback().orElseThrow().operation());
        }
    }

    /** With the credential that the client wants, it takes CB_SEQUENCE alone, and no CB_RECALL. */
    @Test
    void nobodyGetsADelegationThatCouldNotBeRecalled() throws Exception {
        var security =
                Words.of(1, 1, 0)
                        .opaque(Compound.ascii("m".repeat(255)))
                        .word(0, 0, 16)
                        .and(new Words(new byte[64]));
        try (var narrow =
                        new Client(
                                "narrow", LONG_RECEIVES, RawSession.back(480, ROOMY, 1), security);
                var roomy =
                        new Client(
                                "roomy",
                                LONG_RECEIVES,
                                RawSession.back(ROOMY, ROOMY, 1),
                                security)) {
            assertTrue(narrow.delegation() != 1);
            assertEquals(1, roomy.delegation());
        }
    }

    /** A session may have more slots than its connection has credits. */
    @Test
    @Tag("8267-6.6-1")
    void slotsNeedNotMatchCredits() throws Exception {
        try (var client = new Client("client", LONG_RECEIVES)) {
            int slots = 32;
            int xid = client.caller.nextXid();
            for (int slot = 1; slot < slots; slot++) {
                var call = client.session.begin(slot, 1, false).putRoot();
                RawSession.requireOk(client.session.call(call));
            }
            assertTrue(client.caller.xid() - xid == slots - 1);
        }
    }
}
