package io.github.rpcrdma4j.nfs.server;

import io.github.rpcrdma4j.nfs.lock.Nlm;
import io.github.rpcrdma4j.nfs.lock.NlmCall;
import io.github.rpcrdma4j.nfs.lock.NlmLock;
import io.github.rpcrdma4j.nfs.lock.NlmProcedure;
import io.github.rpcrdma4j.nfs.lock.NlmReply;
import io.github.rpcrdma4j.nfs.lock.NlmShare;
import io.github.rpcrdma4j.nfs.lock.NlmStatus;
import io.github.rpcrdma4j.nfs.lock.Nsm;
import io.github.rpcrdma4j.nfs.lock.NsmCall;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.oncrpc.Credential;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A process of a host that locks a file by NLM.
 *
 * @param version that of NLM
 * @param address of the host
 * @param name of the host
 * @param process its number
 * @param file the handle of the file
 * @param state the number of the start of the host
 */
record LockingHost(
        TestServer server,
        int version,
        String address,
        String name,
        int process,
        byte[] file,
        int state) {
    static final Credential ROOT = new Credential.Sys(0, "test", 0, 0, List.of());
    static final OpaqueName COOKIE = name("cookie");

    static LockingHost of(TestServer server, String address, byte[] file) {
        return new LockingHost(server, 4, address, "host", 7, file, 1);
    }

    static OpaqueName name(String text) {
        return OpaqueName.of(text.getBytes(StandardCharsets.US_ASCII));
    }

    LockingHost withName(String other) {
        return new LockingHost(server, version, address, other, process, file, state);
    }

    LockingHost withProcess(int other) {
        return new LockingHost(server, version, address, name, other, file, state);
    }

    LockingHost withState(int other) {
        return new LockingHost(server, version, address, name, process, file, other);
    }

    LockingHost withFile(byte[] other) {
        return new LockingHost(server, version, address, name, process, other, state);
    }

    LockingHost withVersion(int other, byte[] handle) {
        return new LockingHost(server, other, address, name, process, handle, state);
    }

    LockingHost on(TestServer other) {
        return new LockingHost(other, version, address, name, process, file, state);
    }

    NlmLock range(long offset, long length) {
        var owner = name(process + "@" + name);
        return new NlmLock(name(name), OpaqueName.of(file), owner, process, offset, length);
    }

    NlmReply call(NlmProcedure procedure, NlmCall call) throws Exception {
        return call(ROOT, procedure, call);
    }

    NlmReply call(Credential caller, NlmProcedure procedure, NlmCall call) throws Exception {
        server.moveTo(address);
        return NlmReply.decode(
                version,
                procedure,
                server.results(
                        Nlm.PROGRAM,
                        version,
                        procedure.number(),
                        caller,
                        out -> call.encode(version, out)));
    }

    /** Calls a procedure without results. */
    void tell(NlmProcedure procedure, NlmCall call) throws Exception {
        server.moveTo(address);
        server.results(
                        Nlm.PROGRAM,
                        version,
                        procedure.number(),
                        ROOT,
                        out -> call.encode(version, out))
                .finish();
    }

    NlmCall.Lock locking(boolean isExclusive, long offset, long length) {
        return new NlmCall.Lock(COOKIE, false, isExclusive, range(offset, length), false, state);
    }

    NlmStatus lock(boolean isExclusive, long offset, long length) throws Exception {
        return call(NlmProcedure.LOCK, locking(isExclusive, offset, length)).status();
    }

    NlmStatus await(boolean isExclusive, long offset, long length) throws Exception {
        return call(
                        NlmProcedure.LOCK,
                        new NlmCall.Lock(
                                COOKIE, true, isExclusive, range(offset, length), false, state))
                .status();
    }

    NlmStatus reclaim(boolean isExclusive, long offset, long length) throws Exception {
        return call(
                        NlmProcedure.LOCK,
                        new NlmCall.Lock(
                                COOKIE, false, isExclusive, range(offset, length), true, state))
                .status();
    }

    NlmStatus cancel(boolean isExclusive, long offset, long length) throws Exception {
        return call(
                        NlmProcedure.CANCEL,
                        new NlmCall.Cancel(COOKIE, true, isExclusive, range(offset, length)))
                .status();
    }

    NlmStatus unlock(long offset, long length) throws Exception {
        return call(NlmProcedure.UNLOCK, new NlmCall.Unlock(COOKIE, range(offset, length)))
                .status();
    }

    NlmReply.Tested test(boolean isExclusive, long offset, long length) throws Exception {
        return (NlmReply.Tested)
                call(
                        NlmProcedure.TEST,
                        new NlmCall.Test(COOKIE, isExclusive, range(offset, length)));
    }

    private NlmShare use(int access, int deny) {
        return new NlmShare(name(name), OpaqueName.of(file), name("share"), deny, access);
    }

    NlmStatus share(int access, int deny) throws Exception {
        return call(NlmProcedure.SHARE, sharing(access, deny)).status();
    }

    NlmCall sharing(int access, int deny) {
        return new NlmCall.Share(COOKIE, use(access, deny), false);
    }

    NlmStatus unshare() throws Exception {
        return call(NlmProcedure.UNSHARE, new NlmCall.Unshare(COOKIE, use(0, 0), false)).status();
    }

    /** Tells that a host has restarted. */
    void restarted(String host, int newState) throws Exception {
        server.moveTo(address);
        var notice = new NsmCall.Notify(name(host), newState);
        server.results(
                        Nsm.PROGRAM,
                        1,
                        NsmCall.Procedure.NOTIFY.number(),
                        new Credential.None(),
                        notice::encode)
                .finish();
    }
}
