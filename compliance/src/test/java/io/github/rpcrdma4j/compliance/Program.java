package io.github.rpcrdma4j.compliance;

import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A program of the product that a test can start. */
enum Program {
    /** A queue pair of the iWARP provider, over TCP. */
    PROVIDER("iwarp/tcp/IwarpProvider.<init>"),
    /** A server of RPC-over-RDMA. */
    SERVER(
            "rpcrdma/RpcRdmaServerBuilder.start",
            "rpcrdma/RpcRdmaServer.start",
            "rpcrdma/session/ServerThreads.<init>"),
    /** A client of RPC-over-RDMA. */
    CLIENT(
            "rpcrdma/RpcRdmaClientBuilder.connect",
            "rpcrdma/RpcRdmaClientBuilder.connector",
            "rpcrdma/RpcRdmaClient.connect",
            "rpcrdma/RpcRdmaClient.open",
            "rpcrdma/session/ClientConnection.open"),
    /** The NFS server, over any transport. */
    NFS_SERVER("nfs/server/NfsServer.<init>"),
    /** The NFS client, over any transport. */
    NFS_CLIENT(
            "nfs/client/v3/Nfs3Client.<init>",
            "nfs/client/v4/Nfs4Service.connect",
            "nfs/client/NfsClient.connect",
            "nfs/client/NfsFiles.connect"),
    /** The gateway, which has a server and a client of RPC-over-RDMA or of TCP. */
    GATEWAY("gateway/Gateway.<init>");

    /** The main class of the command. A test starts it as a process, or inside its own. */
    static final String COMMAND = "cli/Rpcrdma";

    private static final Map<String, Set<Program>> COMMANDS =
            Map.of(
                    "serve", EnumSet.of(SERVER, NFS_SERVER),
                    "gateway", EnumSet.of(GATEWAY),
                    "ls", EnumSet.of(CLIENT, NFS_CLIENT),
                    "get", EnumSet.of(CLIENT, NFS_CLIENT),
                    "put", EnumSet.of(CLIENT, NFS_CLIENT));

    /** The methods of the product that start the program, below the package of the project. */
    final List<String> starts;

    Program(String... starts) {
        this.starts = List.of(starts);
    }

    /**
     * Returns the programs that a test of the command starts.
     *
     * @param words the constant strings of the test, among them the names of commands
     */
    static Set<Program> ofCommand(Set<String> words) {
        var programs = EnumSet.noneOf(Program.class);
        COMMANDS.forEach(
                (command, started) -> {
                    if (words.contains(command)) {
                        programs.addAll(started);
                    }
                });
        return programs;
    }
}
