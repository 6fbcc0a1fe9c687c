package io.github.rpcrdma4j.rpcrdma.rfc5666;

import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionParameters;
import io.github.rpcrdma4j.rpcrdma.profile.ClientProfile;
import io.github.rpcrdma4j.rpcrdma.profile.WireProfile;
import io.github.rpcrdma4j.rpcrdma.rfc5666.wire.AlignedPayload;
import io.github.rpcrdma4j.rpcrdma.rfc5666.wire.Alignment;
import io.github.rpcrdma4j.xdr.XdrException;
import java.util.Optional;

/** The RFC 5666 profile on one connection of a client, which may configure the server first. */
record Rfc5666Client(Rfc5666 options, ClientProfile.Setup setup) implements ClientProfile {
    @Override
    public Optional<WireProfile> open() throws RpcException, InterruptedException {
        var requester = new Rfc5666Requester(setup.requester(), setup.endpoint(), setup.counters());
        setup.locked(() -> setup.requester().useProfile(requester));
        if (!options.configures()) {
            agree(setup.initial(), options.align());
            return Optional.empty();
        }
        var settings = setup.settings();
        var own =
                new ConfRdma.Arguments(
                        settings.inlineSend(),
                        settings.inlineReceive(),
                        ConnectionParameters.READS);
        var server = exchange(own);
        if (server.isPresent()) {
            var parameters = server.get().parameters(setup.initial(), own, settings.inlineSend());
            setup.locked(
                    () -> {
                        requester.limitReads(Math.max(1, parameters.readsMax()));
                        // The private data says that both sides support invalidation, and the
                        // reply to CONF_RDMA that the server takes RDMA_DONE.
                        if (parameters.remoteInvalidation()) {
                            requester.invalidate();
                        }
                    });
            agree(parameters, align(server.get(), options.align()));
        }
        // Any other server is used as RFC 8166 defines.
        return Optional.empty();
    }

    private void agree(ConnectionParameters parameters, int align) {
        var alignment = align == 1 ? Alignment.NONE : new Alignment(0, align, options.alignFrom());
        setup.agree(parameters, new Rfc5666CallPlanner(alignment));
    }

    /**
     * Returns the alignment that the server prefers, or 1 if it cannot be used (RFC 5666-6.2-8).
     */
    private static int align(ConfRdma.Results server, int own) {
        long preferred = Integer.toUnsignedLong(server.align());
        return own == 1 || preferred == 0 || preferred > AlignedPayload.ALIGN_MAX
                ? 1
                : (int) preferred;
    }

    /**
     * Makes the first call of the connection.
     *
     * @return empty if the server refuses this call, or this caller
     */
    private Optional<ConfRdma.Results> exchange(ConfRdma.Arguments own)
            throws RpcException, InterruptedException {
        try (var reply = setup.call(ConfRdma.call(own))) {
            return Optional.of(ConfRdma.Results.decode(reply.results()));
        } catch (RpcException.Refused | RpcException.Denied _) {
            return Optional.empty();
        } catch (XdrException malformed) {
            throw new RpcException.BadReply(
                    "the server's reply to CONF_RDMA is malformed: " + malformed.getMessage());
        }
    }
}
