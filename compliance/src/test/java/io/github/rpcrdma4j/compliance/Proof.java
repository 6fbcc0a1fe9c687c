package io.github.rpcrdma4j.compliance;

import static io.github.rpcrdma4j.compliance.Program.CLIENT;
import static io.github.rpcrdma4j.compliance.Program.GATEWAY;
import static io.github.rpcrdma4j.compliance.Program.NFS_CLIENT;
import static io.github.rpcrdma4j.compliance.Program.NFS_SERVER;
import static io.github.rpcrdma4j.compliance.Program.PROVIDER;
import static io.github.rpcrdma4j.compliance.Program.SERVER;

import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** What a test of a rule runs. Earlier constants prove more than later ones. */
enum Proof {
    /** The program that the rule is about, over RDMA. */
    ENDPOINT,
    /** The gateway, though the rule is about another program. */
    GATEWAY_ALONE,
    /** A part of a program: a codec, a plan, a role of the engine. */
    COMPONENT;

    /** The documents of the layers below RPC-over-RDMA. */
    private static final Set<String> OF_PROVIDERS = Set.of("5040", "5041", "5044", "6581");

    /** The documents about the programs of NFS. */
    private static final Set<String> OF_NFS = Set.of("8267", "5667");

    /** Returns the word on the page. */
    String word() {
        return this == GATEWAY_ALONE ? "gateway" : name().toLowerCase(Locale.ROOT);
    }

    /**
     * Returns what a test proves of a rule.
     *
     * @param started the programs that the test starts. A test of the gateway proves nothing about
     *     a program behind it.
     */
    static Proof of(Rule rule, Set<Program> started) {
        if (started.contains(GATEWAY)) {
            return GATEWAY_ALONE;
        }
        return wanted(rule).stream().anyMatch(started::containsAll) ? ENDPOINT : COMPONENT;
    }

    /** Returns the sets of programs of which a test has to start one, to prove a rule. */
    private static List<Set<Program>> wanted(Rule rule) {
        if (OF_PROVIDERS.contains(rule.document()) || rule.who().equals("provider")) {
            return List.of(EnumSet.of(PROVIDER));
        }
        var nfsServer = EnumSet.of(NFS_SERVER, SERVER);
        var nfsClient = EnumSet.of(NFS_CLIENT, CLIENT);
        boolean ofNfs = OF_NFS.contains(rule.document());
        return switch (rule.who()) {
            case "NFS server" -> List.of(nfsServer);
            case "NFS client" -> List.of(nfsClient);
            case "requester", "client" -> List.of(EnumSet.of(CLIENT));
            case "responder", "server" -> List.of(EnumSet.of(SERVER));
            case "both", "sender", "receiver", "binding" ->
                    ofNfs
                            ? List.of(nfsServer, nfsClient)
                            : List.of(EnumSet.of(SERVER), EnumSet.of(CLIENT));
            default -> throw new IllegalArgumentException(rule.id() + ": " + rule.who());
        };
    }
}
