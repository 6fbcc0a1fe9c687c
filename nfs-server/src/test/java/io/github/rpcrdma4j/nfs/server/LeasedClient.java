package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.nfs.v4.Nfs4Binding;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundResult;
import io.github.rpcrdma4j.nfs.v4.operation.LeaseArguments;
import io.github.rpcrdma4j.nfs.v4.operation.LeaseResult;
import io.github.rpcrdma4j.nfs.v4.operation.LockArguments;
import io.github.rpcrdma4j.nfs.v4.operation.LockResult;
import io.github.rpcrdma4j.nfs.v4.operation.LockType;
import io.github.rpcrdma4j.nfs.v4.operation.OpenClaim;
import io.github.rpcrdma4j.nfs.v4.operation.OpenCreation;
import io.github.rpcrdma4j.nfs.v4.operation.Result;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
import io.github.rpcrdma4j.nfs.v4.operation.StateResult;
import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.xdr.XdrException;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** A client of NFS version 4.0 with one open owner, whose sequence it counts. */
final class LeasedClient {
    private static final OpaqueName TAG = OpaqueName.of(new byte[0]);

    private final TestServer server;
    private final String name;
    Credential caller = CompoundClient.ROOT;

    /** Where it is called back, and by what; a foreign address unless a test has another one. */
    String netId = "tcp";

    String address = "192.0.2.7.8.1";
    int ident;
    long id;

    /** The sequence of the last operation of the open owner. */
    int sequence = 10;

    private LeasedClient(TestServer server, String name) {
        this.server = server;
        this.name = name;
    }

    /** Returns a client that is confirmed. */
    static LeasedClient of(TestServer server, String name) throws Exception {
        return new LeasedClient(server, name).connect();
    }

    /** Returns a client that is called back, and confirmed. */
    static LeasedClient of(TestServer server, String name, String address) throws Exception {
        var client = new LeasedClient(server, name);
        client.address = address;
        return client.connect();
    }

    /** Sends SETCLIENTID, and confirms it. */
    LeasedClient connect() throws Exception {
        var given = (LeaseResult.SetClientId) last(setClientId(1));
        id = given.clientId();
        last(new LeaseArguments.SetClientIdConfirm(given.clientId(), given.verifier()));
        return this;
    }

    Arguments setClientId(long verifier) {
        var place =
                new LeaseArguments.CallbackPlace(
                        CallbackListener.PROGRAM, Nfs4Calls.name(netId), Nfs4Calls.name(address));
        var owner = new ClientOwner(verifier, Nfs4Calls.name(name));
        return new LeaseArguments.SetClientId(owner, place, ident);
    }

    CompoundResult compound(Arguments... operations) throws XdrException, InterruptedException {
        var call = new CompoundArguments(TAG, 0, List.of(operations));
        var results =
                server.results(
                        Nfs4Binding.PROGRAM,
                        Nfs4Binding.VERSION,
                        Nfs4Binding.COMPOUND,
                        caller,
                        call::encode);
        var bytes = new byte[(int) results.remaining()];
        MemorySegment.ofArray(bytes).copyFrom(results.fixedOpaque(bytes.length));
        return CompoundClient.decode(bytes);
    }

    Nfs4Status status(Arguments... operations) throws XdrException, InterruptedException {
        return compound(operations).status();
    }

    /** Sends operations that must succeed, and returns the result of the last. */
    Result last(Arguments... operations) throws XdrException, InterruptedException {
        var reply = compound(operations);
        assertEquals(Nfs4Status.OK, reply.status(), () -> reply.results().toString());
        return reply.results().getLast();
    }

    StateOwner owner(String text) {
        return new StateOwner(id, Nfs4Calls.name(text));
    }

    /** Returns the next OPEN of the owner: of a name that exists. */
    Arguments opening(String file, int access, int deny) {
        return opening(access, deny, new OpenCreation.None(), Nfs4Calls.claim(file));
    }

    Arguments opening(int access, int deny, OpenCreation creation, OpenClaim claim) {
        return new StateArguments.Open(++sequence, access, deny, owner("owner"), creation, claim);
    }

    /** Opens a file below the export, and confirms the owner if it has to. */
    StateId open(String file, int access, int deny) throws Exception {
        var reply = compound(Nfs4Calls.at("", opening(file, access, deny), Nfs4Calls.getFh()));
        assertEquals(Nfs4Status.OK, reply.status(), () -> reply.results().toString());
        var results = reply.results();
        return confirmed((StateResult.Open) results.get(results.size() - 2), file);
    }

    StateId confirmed(StateResult.Open open, String file) throws Exception {
        if ((open.flags() & StateResult.Open.CONFIRM) == 0) {
            return open.open();
        }
        var confirm = new StateArguments.OpenConfirm(open.open(), ++sequence);
        return ((StateResult.OpenConfirm) last(Nfs4Calls.at(file, confirm))).open();
    }

    Arguments closing(StateId open) {
        return new StateArguments.Close(++sequence, open);
    }

    /** Returns the OPEN of the current file that was open before a restart. */
    Arguments reclaiming() {
        return reclaiming(0);
    }

    /**
     * @param delegation {@code open_delegation_type4}: what the client had
     */
    Arguments reclaiming(int delegation) {
        var previous = new OpenClaim.Previous(delegation);
        return opening(StateArguments.Open.BOTH, 0, new OpenCreation.None(), previous);
    }

    /** Returns the LOCK of a new lock owner. */
    Arguments locking(StateId open, String owner, long offset, long length) {
        return locking(open, owner, offset, length, false);
    }

    Arguments locking(StateId open, String owner, long offset, long length, boolean isReclaim) {
        var locker = new LockArguments.Locker.NewOwner(++sequence, open, 0, owner(owner));
        return new LockArguments.Lock(LockType.WRITE, isReclaim, offset, length, locker);
    }

    StateId lock(String file, StateId open, String owner, long offset, long length)
            throws Exception {
        var lock = locking(open, owner, offset, length);
        return ((LockResult.Lock) last(Nfs4Calls.at(file, lock))).lock();
    }
}
