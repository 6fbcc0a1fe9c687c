package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.lock.NlmCall;
import io.github.rpcrdma4j.nfs.lock.NlmProcedure;
import io.github.rpcrdma4j.nfs.lock.NlmStatus;
import io.github.rpcrdma4j.oncrpc.ClientAddress;
import io.github.rpcrdma4j.oncrpc.PeerIdentity;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: users of the server's machine do not free the locks of each other by NLM. Method: calls
 * with all that the owner of a lock sends, from its address and from port 1023, of another user.
 */
class LocalUsersTest {
    private final CalledHost called;
    private TestDirectory testDirectory;
    private TestServer server;
    private LockingHost host;

    LocalUsersTest() throws Exception {
        called = new CalledHost();
    }

    @BeforeEach
    void serve() throws Exception {
        testDirectory = TestDirectory.of(TestDirectory.Kind.BASIC);
        server = TestServer.of(testDirectory, Nfs4Options.DEFAULT, called.port());
        var file = server.create(server.root(), "file");
        host = LockingHost.of(server, CalledHost.ADDRESS, file.bytes());
    }

    @AfterEach
    void stop() throws Exception {
        called.close();
        server.close();
        testDirectory.close();
    }

    private void be(int uid) {
        server.be(
                new PeerIdentity(
                        ClientAddress.ofLocalUser(uid), new PeerIdentity.Process.Local(uid)));
    }

    private NlmStatus lockOfOther() throws Exception {
        be(3000);
        return host.withName("other").lock(true, 0, 10);
    }

    @Test
    void nobodyFreesTheLocksOfAnotherUser() throws Exception {
        be(1000);
        assertEquals(NlmStatus.GRANTED, host.lock(true, 0, 10));
        be(2000);
        host.unlock(0, 10);
        assertEquals(NlmStatus.DENIED, lockOfOther());
        be(2000);
        host.tell(NlmProcedure.FREE_ALL, new NlmCall.FreeAll(LockingHost.name("host"), 7));
        assertEquals(NlmStatus.DENIED, lockOfOther());
        be(2000);
        host.restarted("host", 7);
        host.restarted(CalledHost.ADDRESS, 7);
        assertEquals(NlmStatus.DENIED, lockOfOther());
        be(1000);
        assertEquals(NlmStatus.GRANTED, host.unlock(0, 10));
        assertEquals(NlmStatus.GRANTED, lockOfOther());
    }

    @Test
    void nobodyCancelsForAnotherUserAndWhoWaitsIsCalled() throws Exception {
        be(1000);
        assertEquals(NlmStatus.GRANTED, host.withName("first").lock(true, 0, 10));
        be(2000);
        assertEquals(NlmStatus.BLOCKED, host.await(true, 0, 10));
        be(1000);
        assertEquals(NlmStatus.DENIED, host.cancel(true, 0, 10));
        assertEquals(NlmStatus.GRANTED, host.withName("first").unlock(0, 10));
        assertEquals(host.range(0, 10), CalledHost.next(called.granted).lock());
    }

    @Test
    void nobodyEndsTheSharesOfAnotherUser() throws Exception {
        be(1000);
        assertEquals(NlmStatus.GRANTED, host.share(1, 2));
        be(2000);
        host.unshare();
        be(3000);
        assertEquals(NlmStatus.DENIED, host.withName("other").share(2, 0));
    }
}
