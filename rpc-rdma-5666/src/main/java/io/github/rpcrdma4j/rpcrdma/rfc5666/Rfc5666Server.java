package io.github.rpcrdma4j.rpcrdma.rfc5666;

import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionParameters;
import io.github.rpcrdma4j.rpcrdma.profile.ServerProfile;
import java.util.Optional;

/** The RFC 5666 profile on one connection of a server. */
final class Rfc5666Server implements ServerProfile {
    private final Rfc5666 options;
    private final ServerProfile.Setup setup;

    /** Null until {@link #begin}. */
    private Rfc5666Responder responder;

    Rfc5666Server(Rfc5666 options, ServerProfile.Setup setup) {
        this.options = options;
        this.setup = setup;
    }

    @Override
    public void begin() {
        responder =
                new Rfc5666Responder(
                        options, setup.responder(), setup.endpoint(), setup.counters());
        setup.responder().useProfile(responder);
    }

    /**
     * Returns the configuration program: it returns this side's values and applies the peer's (RFC
     * 5666-6.2-1).
     */
    @Override
    public Optional<RpcProgram> program() {
        var results =
                new ConfRdma.Results(
                        setup.settings().inlineReceive(),
                        options.align(),
                        ConnectionParameters.READS);
        return Optional.of(new ConfRdmaProgram(results, this::configured, setup.flavors()));
    }

    private void configured(ConfRdma.Arguments client) {
        setup.locked(
                () -> {
                    responder.clientConfigured();
                    setup.agree(
                            client.parameters(
                                    setup.responder().parameters(), setup.settings().inlineSend()));
                });
    }
}
