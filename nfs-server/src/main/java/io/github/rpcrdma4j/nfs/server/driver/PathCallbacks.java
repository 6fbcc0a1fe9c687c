package io.github.rpcrdma4j.nfs.server.driver;

import io.github.rpcrdma4j.nfs.server.driver.Callbacks.CallEnd;
import io.github.rpcrdma4j.nfs.server.export.ExportRule;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackCompound;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackResult;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcCall;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Calls clients of minor version 0 back over TCP (RFC 7530, Section 15.2 and the sections behind
 * it; RFC 8267-6.5.1-1). Each call has a connection of its own, which ends with it: such calls are
 * seldom, and no client keeps a connection or a thread of the server.
 */
final class PathCallbacks {
    private static final int CB_NULL = 0;

    /**
     * Linux takes no call without a user (AUTH_NONE), and asks no more of the user. It is one
     * without rights, because the client has chosen the port: the call may arrive at any program of
     * its host.
     */
    private static final Credential USER =
            new Credential.Sys(0, "", ExportRule.NOBODY, ExportRule.NOBODY, List.of());

    private final StateDriver state;

    PathCallbacks(StateDriver state) {
        this.state = state;
    }

    /** Makes a call: CB_NULL if there are no operations. */
    CallEnd call(
            long clientId, CallerPath path, List<CallbackArguments> operations, Duration timeout) {
        boolean isAnswered = false;
        try {
            var last =
                    operations.isEmpty() ? tried(path, timeout) : called(path, operations, timeout);
            isAnswered = true;
            return new CallEnd.Answered(last);
        } catch (RpcException _) {
            return new CallEnd.NotTaken();
        } finally {
            boolean isUp = isAnswered;
            state.read(
                    (all, now) -> {
                        all.version0().called(clientId, path, isUp, now);
                        return null;
                    });
        }
    }

    private static Optional<CallbackResult> tried(CallerPath path, Duration timeout)
            throws RpcException {
        var call = new RpcCall(path.program(), Callbacks.VERSION, CB_NULL, _ -> {}, 0);
        return TcpRpcCall.make(
                path.address(), new Credential.None(), call, _ -> Optional.empty(), timeout);
    }

    private static Optional<CallbackResult> called(
            CallerPath path, List<CallbackArguments> operations, Duration timeout)
            throws RpcException {
        var compound = new CallbackCompound(Callbacks.NO_TAG, 0, path.ident(), operations);
        var call =
                new RpcCall(
                        path.program(),
                        Callbacks.VERSION,
                        Callbacks.CB_COMPOUND,
                        compound::encode,
                        Callbacks.RESULTS_MAX);
        return TcpRpcCall.make(
                        path.address(), USER, call, CallbackCompound.Outcome::decode, timeout)
                .last();
    }
}
