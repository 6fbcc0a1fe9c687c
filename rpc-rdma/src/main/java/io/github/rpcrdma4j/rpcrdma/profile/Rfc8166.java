package io.github.rpcrdma4j.rpcrdma.profile;

/** RFC 8166 alone: the engine does all of it. */
record Rfc8166() implements WireProfile {
    @Override
    public String name() {
        return "RFC 8166";
    }

    @Override
    public ClientProfile client(ClientSetup setup) {
        return new ClientProfile() {};
    }

    @Override
    public ServerProfile server(ServerSetup setup) {
        return new ServerProfile() {};
    }
}
